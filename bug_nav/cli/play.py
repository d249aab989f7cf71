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
import errno
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

from bug_nav.cli import CannotRun, Interrupted, report_notes
from bug_nav.cli.argument_types import settings_of
from bug_nav.cli.ros_session import catch_signals, report_ros_errors, require_ros
from bug_nav.cli.send_goal import valid_namespace
from bug_nav.files import BadInput
from bug_nav.lab.run_setup import parameters_of
from bug_nav.lab.workers import start_forkserver
from bug_nav.playground.origin_check import LOCAL_HOSTS, local_names, new_token
from bug_nav.playground.worker_pool import WORKER_MODULE, WorkerPool
from bug_nav.simulation.robots import equip

if TYPE_CHECKING:
    from bug_nav.playground.live import LiveView
    from bug_nav.playground.server import Server

DEFAULT_PORT = 8770
"""Port that is tried first without ``--port``."""
MAX_WEBSOCKET_MESSAGE = 1_000_000
"""Maximum size of a message from a page [bytes]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.namespace and not arguments.live:
        raise BadInput(f'--namespace {arguments.namespace} applies to the robot of a running '
                       'node; give --live as well')
    _check_installed()
    if arguments.live:
        require_ros()
    start_forkserver(WORKER_MODULE)  # first: it runs in parallel with the rest of the start-up
    _check_world(arguments.world)
    fragment = _fragment(arguments)
    listener = _open_socket(arguments.host, arguments.port)
    live, pool = None, None
    with catch_signals() as interrupted:
        try:
            from bug_nav.playground.server import Server
            if arguments.live:
                live = _live_view(valid_namespace(arguments.namespace))
            pool = WorkerPool()
            with tempfile.TemporaryDirectory(prefix='bug_nav_play_') as folder:
                _serve(Server(Path(folder), arguments.world, pool, live), arguments, listener,
                       fragment, interrupted)
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


def _live_view(namespace: str) -> LiveView:
    """Return the view of the robot of the node in a namespace."""
    from bug_nav.playground.live import LiveView
    from bug_nav.ros.client.live_robot import LiveRobot  # after require_ros
    with report_ros_errors():
        return LiveView(LiveRobot(namespace))


def _check_world(name: str) -> None:
    """Report what a world lacks of its file; raise BadInput if there is no such world."""
    from bug_nav.simulation.catalogue import find_world
    from bug_nav.simulation.world import WorldError
    try:
        report_notes(find_world(name))
    except WorldError as error:
        raise BadInput(str(error)) from error


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; without a port, at the default or else at a free port."""
    family = socket.AF_INET6 if ':' in host else socket.AF_INET
    for tried in (port,) if port is not None else (DEFAULT_PORT, 0):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, tried))
            listener.listen()  # early requests wait instead of being refused
        except (OSError, UnicodeError) as error:
            listener.close()
            if port is None and tried == DEFAULT_PORT:
                continue
            is_host = (isinstance(error, (socket.gaierror, UnicodeError))
                       or error.errno == errno.EADDRNOTAVAIL)
            where, option = ('', '--host') if is_host else (f', port {tried}', '--port')
            reason = getattr(error, 'strerror', None) or error
            raise CannotRun(f'cannot listen on {host}{where}: {reason}; give another {option}, or '
                            'omit it') from None
        return listener
    raise AssertionError('port 0 is always free')


def _fragment(arguments: argparse.Namespace) -> str:
    """Return the end of the address that shows the robot of ``--params``; '' without one."""
    if not arguments.params:
        return ''
    from bug_nav.playground.request_parser import is_world_name
    from bug_nav.visualization.address import playground_link
    if not is_world_name(arguments.world):
        raise BadInput(f'--params applies to a shipped or random world here, not to the file '
                       f'{arguments.world!r}; leave out the file, and drop it on the page')
    try:
        of_robot = parameters_of(settings_of(arguments.settings))[0]
        equip('burger', of_robot)
    except ValueError as error:
        raise BadInput(str(error)) from error
    turn = of_robot.pop('turn_direction', 'left')
    link = playground_link(arguments.world, algorithms=['bug2'], turn=turn, seed=1,
                           settings=of_robot)
    return '#' + link.partition('#')[2]


def _serve(server: Server, arguments: argparse.Namespace, listener: socket.socket,
           fragment: str, interrupted: Callable[[], bool]) -> None:
    """Serve until Ctrl-C."""
    from bug_nav.playground.server import with_origin_check
    import uvicorn
    port = listener.getsockname()[1]
    is_public = arguments.host not in LOCAL_HOSTS
    token = new_token() if is_public else ''
    hosts = local_names(arguments.host, socket.gethostname()) if is_public else LOCAL_HOSTS
    address = f'http://{_url_host(arguments.host)}:{port}/' + (
        f'?token={token}' if token else '') + fragment
    config = uvicorn.Config(
        with_origin_check(server.app, hosts, token), log_level='warning',
        ws_max_size=MAX_WEBSOCKET_MESSAGE, timeout_graceful_shutdown=1, server_header=False,
        date_header=False)
    print(f'bug_nav play: {address}\n'
          + ('anyone with this address can use the page; ' if is_public else '')
          + 'press Ctrl-C to stop', file=sys.stderr, flush=True)
    if not arguments.no_browser and _has_display():
        # In a thread, because starting the browser may take long.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    class Service(uvicorn.Server):
        """Server without its own signal handlers; it polls ``interrupted`` ten times a second."""

        def install_signal_handlers(self) -> None:
            pass  # uvicorn before 0.29

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def on_tick(self, counter: int) -> bool:
            if interrupted():
                logging.disable()  # cancelled requests log tracebacks
                return True
            return await super().on_tick(counter)

    Service(config).run(sockets=[listener])


def _url_host(host: str) -> str:
    """Return the host part of the URL; for a wildcard address, one that others can reach."""
    if host in ('0.0.0.0', '::'):
        return _own_address() or socket.gethostname()
    return f'[{host}]' if ':' in host else host


def _own_address() -> str:
    """Return the network address of this host; '' if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(('192.0.2.1', 9))  # TEST-NET-1; connecting a UDP socket sends nothing
        except OSError:
            return ''
        return str(probe.getsockname()[0])


def _has_display() -> bool:
    """Return whether there is a display; without one, a text browser may open."""
    return (sys.platform in ('darwin', 'win32') or 'DISPLAY' in os.environ
            or 'WAYLAND_DISPLAY' in os.environ)
