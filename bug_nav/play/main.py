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

"""``bug_nav play``: serve the playground on this host until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import logging
import os
from pathlib import Path
import socket
import sys
import tempfile
import threading
from typing import Callable, Iterator, TYPE_CHECKING
import webbrowser

from bug_nav.bench.workers import start_forkserver
from bug_nav.commands import BadInput, CannotRun, Interrupted
from bug_nav.commands.ros_session import interrupts
from bug_nav.play.guard import LOCAL, local_names, new_token
from bug_nav.play.pool import Pool, WORK

if TYPE_CHECKING:
    from bug_nav.play.server import Server

PORT = 8770
"""Tried first, where no port is asked for."""
LARGEST_MESSAGE = 1_000_000
"""Bytes of a message of a page."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check_installed()
    if arguments.live:
        from bug_nav.commands.ros_session import need_ros
        need_ros()
    start_forkserver(WORK)  # first, for all else is done meanwhile
    _check_world(arguments.world)
    listener = _listen(arguments.host, arguments.port)
    live, pool = None, None
    with interrupts() as interrupted:
        try:
            from bug_nav.play.server import Server
            if arguments.live:
                from bug_nav.play.live import Live
                live = Live(arguments.namespace)
            pool = Pool()
            with tempfile.TemporaryDirectory(prefix='bug_nav_play_') as folder:
                _serve(Server(Path(folder), arguments.world, pool, live), arguments, listener,
                       interrupted)
        finally:
            for each in (live, pool, listener):
                if each is not None:
                    each.close()
    raise Interrupted


def _check_installed() -> None:
    missing = [name for name in ('starlette', 'uvicorn', 'websockets')
               if importlib.util.find_spec(name) is None]
    if missing:
        raise CannotRun(f'the playground needs {" and ".join(missing)}; '
                        'pip install "bug_nav[play]", or run "make setup"')


def _check_world(name: str) -> None:
    """Raise BadInput where there is no such world."""
    from bug_nav.sim.catalogue import find_world
    from bug_nav.sim.world import WorldError
    try:
        find_world(name)
    except WorldError as error:
        raise BadInput(str(error)) from error


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket at the port; without one, at the usual port or, if that is taken, any."""
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    for tried in (port,) if port is not None else (PORT, 0):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen()  # who opens the page at once waits, and is not refused
        except OSError as error:
            listener.close()
            if port is None and tried == PORT:
                continue
            raise CannotRun(f'nothing can be served at {host}, port {tried}: '
                            f'{error.strerror or error}; give another --port, or none') from None
        return listener
    raise AssertionError('port 0 is always free')


def _serve(server: Server, arguments: argparse.Namespace, listener: socket.socket,
           interrupted: Callable[[], bool]) -> None:
    """Serve until Ctrl-C."""
    from bug_nav.play.server import guarded
    import uvicorn
    port = listener.getsockname()[1]
    is_open = arguments.host not in LOCAL
    token = new_token() if is_open else ''
    hosts = local_names(arguments.host, socket.gethostname()) if is_open else LOCAL
    address = f'http://{_shown(arguments.host)}:{port}/' + (f'?token={token}' if token else '')
    config = uvicorn.Config(
        guarded(server.app, hosts, token), log_level='warning', ws_max_size=LARGEST_MESSAGE,
        timeout_graceful_shutdown=1, server_header=False, date_header=False)
    print(f'bug_nav play: {address}\n'
          + ('whoever has this address can use the page, and nobody else; ' if is_open else '')
          + 'Ctrl-C ends it', file=sys.stderr, flush=True)
    if not arguments.no_browser and _has_screen():
        # What the browser takes to come up must not keep the page waiting.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    class Service(uvicorn.Server):
        """A server that leaves signals alone, and looks ten times a second whether one came."""

        def install_signal_handlers(self) -> None:
            pass  # of uvicorn before 0.29

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def on_tick(self, counter: int) -> bool:
            if interrupted():
                logging.disable()  # requests under way end with tracebacks
                return True
            return await super().on_tick(counter)

    Service(config).run(sockets=[listener])


def _shown(host: str) -> str:
    """Return a host as it stands in an address; for all of this machine's, what others reach."""
    if host in ('0.0.0.0', '::'):
        return _own_address() or socket.gethostname()
    return f'[{host}]' if ':' in host else host


def _own_address() -> str:
    """Return this machine's address in its network, '' where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # of nobody; a datagram's socket sends nothing yet
        except OSError:
            return ''
        return str(probe.getsockname()[0])


def _has_screen() -> bool:
    """Tell whether a browser can be seen; without a screen one might take over the terminal."""
    return (sys.platform in ('darwin', 'win32') or 'DISPLAY' in os.environ
            or 'WAYLAND_DISPLAY' in os.environ)
