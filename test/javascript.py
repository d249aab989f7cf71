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

"""Run the simulator of the course, in Node.js if it is installed, else in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

from browsing import browser, NoBrowser
from bug_nav.visualization.course_script import render_simulator
import pytest


def call(function: str, argument: Any) -> Any:
    """Return the result of a JavaScript function, which may use ``bugCourse``, for an argument."""
    node = shutil.which('node')
    return _in_node(node, function, argument) if node else _in_chromium(function, argument)


def _in_node(node: str, function: str, argument: Any) -> Any:
    script = (f'{render_simulator()}\nconst given = JSON.parse(require("fs").readFileSync(0));\n'
              f'process.stdout.write(JSON.stringify(({function})(given)));')
    done = subprocess.run([node, '-e', script], input=json.dumps(argument), text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def _in_chromium(function: str, argument: Any) -> Any:
    try:
        with browser() as chromium:
            page = chromium.new_page()
            page.evaluate(render_simulator())
            return page.evaluate(function, argument)
    except NoBrowser as missing:
        pytest.skip(f'Node.js is not installed; {missing}')
