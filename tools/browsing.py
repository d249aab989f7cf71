# Copyright 2026 The bug_nav authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Playground server and browser for tools and tests."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from bug_nav.lab.orphans import end_with_parent

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')
READY = 180.0
"""Maximum time until the server is ready [s]."""


class Served:
    """A server in a process of its own, from `start` to `stop`."""

    def __init__(self, *arguments, port=0, folder=ROOT):
        """Take the arguments of ``bug_nav play``; port 0 selects a free one."""
        self._arguments, self.port, self._folder = arguments, port, folder
        self._process = None
        self.address = ''

    def start(self):
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'bug_nav', 'play', '--no-browser', '--port',
             str(self.port), *self._arguments],
            stderr=subprocess.PIPE, text=True, cwd=self._folder, start_new_session=True,
            preexec_fn=end_with_parent(),
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, (
                str(ROOT), os.environ.get('PYTHONPATH'))))})
        late = threading.Timer(READY, os.killpg, (self._process.pid, signal.SIGKILL))
        late.start()
        printed = []
        # The progress of compiling kernels may come before the address.
        for line in self._process.stderr:
            found = re.search(r'http://\S+', line)
            if found:
                late.cancel()
                self.address = found.group()
                self.port = int(re.search(r':(\d+)/', self.address).group(1))
                return self
            printed.append(line)
        late.cancel()
        code, _ = self.stop(signal.SIGKILL)
        raise AssertionError(f'the server printed {"".join(printed)!r} and exited with {code}')

    def __enter__(self):
        return self.start()

    def __exit__(self, *error):
        if self._process.returncode is None:
            self.stop()

    @property
    def pid(self):
        return self._process.pid

    def stop(self, number=signal.SIGINT):
        """Stop the server as Ctrl-C does; return the exit code and its last output."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        try:
            _, said = self._process.communicate(timeout=60.0)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            raise
        return self._process.returncode, said


class NoBrowser(Exception):
    """No browser is installed; the message names the supported ones."""


@contextlib.contextmanager
def browser():
    """Yield Chromium, driven by Playwright; NoBrowser if it is not installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise NoBrowser('playwright is not installed') from None
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise NoBrowser(f'no browser is installed: none of {", ".join(BROWSERS)}')
    with sync_playwright() as playwright:
        # Without a sandbox, because tests may run as root; only our own pages are opened.
        chromium = playwright.chromium.launch(
            executable_path=path, args=['--no-sandbox'], timeout=120_000)
        yield chromium
        chromium.close()


def until(page, condition, patience=60.0):
    """Wait until a condition holds in a page; its security policy forbids evaluating texts."""
    deadline = time.monotonic() + patience
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f'never: {condition}'
        page.wait_for_timeout(10)


def until_idle(page):
    """Wait until all requests are answered."""
    page.wait_for_timeout(30)  # the next frame handles mouse events
    until(page, 'Boolean(window.bugNav && window.bugNav.isIdle())')
