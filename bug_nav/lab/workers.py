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

"""
Workers that drive the episodes of a campaign: `concurrent.futures` executors that can restart.

A pool of processes serves one machine, a Dask scheduler a cluster. All differences between the
two are in this file.
"""

from __future__ import annotations

import abc
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
import functools
import multiprocessing
from multiprocessing import forkserver, resource_tracker
import multiprocessing.util
import os
import shutil
import signal
import sys
import threading
from typing import Any, Callable, Dict, Iterable, Optional

from bug_nav.files import interrupt
from bug_nav.files.module_path import outside_current_folder


class WorkersError(RuntimeError):
    """No workers are available; the message is one sentence."""


class Workers(abc.ABC):
    """An executor, and how to recover when one of its processes dies."""

    executor: Executor
    all_lost_on_crash = False
    """Whether all submitted work is lost when one process dies."""
    crashes_per_loss = 1
    """Number of processes that died when one piece of work is reported as lost."""

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """Return the number of episodes that run at the same time."""

    def submit(self, work: Callable, *args: Any) -> Future:
        """Submit work."""
        return self.executor.submit(work, *args)

    def has_died(self, error: BaseException) -> bool:
        """Return whether an error only means that the process of the work died."""
        return isinstance(error, BrokenExecutor)

    def restart(self) -> None:  # noqa: B027
        """Replace dead processes."""

    def cancel(self, futures: Iterable[Future]) -> None:
        """Cancel the work that has not begun."""
        for future in futures:
            future.cancel()

    def request_stop(self) -> None:  # noqa: B027
        """Make running work end after its current episode."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release the workers and drop pending work."""


_stop_event: Optional[Any] = None
"""In a pool process: event that is set when work must end after the current episode."""


def stop_requested() -> bool:
    """Return, within work, whether it must end after the current episode."""
    return _stop_event is not None and _stop_event.is_set()


class WorkDropped(Exception):
    """Work was not begun, because the processes have been asked to stop."""


def _unless_stopped(work: Callable, *args: Any) -> Any:
    """Do work in a pool process."""
    if stop_requested():
        raise WorkDropped
    return work(*args)


def _begin(hurried: Any) -> None:
    """Initialize a pool process: it ignores Ctrl-C, which its parent handles."""
    global _stop_event
    _stop_event = hurried
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """Make this process exit with its parent, which may be killed."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def start_forkserver(module: str) -> Any:
    """
    Start the fork server in the background and return the context that makes workers.

    The server has compiled kernels and has imported ``module``. Workers are not forked from this
    process, because its threads and sockets do not survive a fork.
    """
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['bug_nav.lab.forkserver_preload', module])
    # The terminal sends Ctrl-C to all processes; the server ignores it from the start.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        interrupt.register_cleanup(
            functools.partial(_abandon, multiprocessing.util.get_temp_dir()))
        with outside_current_folder():
            _start_tracker()
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


@functools.lru_cache(maxsize=None)
def _start_tracker() -> None:
    """
    Start the process that removes leaked semaphores, without its warnings.

    After Ctrl-C there are always some.
    """
    sys.warnoptions.append(f'ignore:resource_tracker:{UserWarning.__name__}')
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


def _abandon(folder: str) -> None:
    """Kill the fork server and remove its folder; the workers exit by themselves."""
    server = getattr(forkserver._forkserver, '_forkserver_pid', None)
    if server is not None:  # else it exits when its kernels are compiled
        os.kill(server, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


class Pool(Workers):
    """Processes on this machine."""

    all_lost_on_crash = True

    def __init__(self, count: int) -> None:
        """Start ``count`` processes; the first needs some seconds."""
        self._context = start_forkserver('bug_nav.lab.campaign')
        self._stop_event = self._context.Event()
        self._count = count
        self.restart()

    @property
    def count(self) -> int:
        """Return the number of processes."""
        return self._count

    def restart(self) -> None:
        """Start a new pool; one that lost a process is unusable."""
        self.executor = ProcessPoolExecutor(
            self._count, self._context, _begin, (self._stop_event,))

    def request_stop(self) -> None:
        """Set the event of the processes."""
        self._stop_event.set()

    def cancel(self, futures: Iterable[Future]) -> None:
        """
        Leave the work to the processes, which drop it (see `request_stop`).

        The executor fails with cancelled work if a process dies, as when SIGTERM is sent to all
        processes of a campaign.
        """

    def submit(self, work: Callable, *args: Any) -> Future:
        """
        Submit work, which is dropped if the processes have been asked to stop.

        :raises BrokenExecutor: if the fork server has died, as when SIGTERM is sent to all
            processes of a campaign while it compiles.
        """
        try:
            return self.executor.submit(_unless_stopped, work, *args)
        except (EOFError, ConnectionError) as error:
            raise BrokenExecutor('the fork server has died') from error

    def close(self) -> None:
        """Stop the processes after their current work."""
        self.executor.shutdown()


class Dask(Workers):
    """The workers of a Dask scheduler, which reassigns the work of dead ones."""

    crashes_per_loss = 3

    def __init__(self, scheduler: str, count: int) -> None:
        """
        Connect to a scheduler.

        :param scheduler: address such as `tcp://10.0.0.1:8786`, or `local` for this machine.
        :param count: number of processes of a local scheduler.
        """
        try:
            import distributed
        except ImportError:
            raise WorkersError('--scheduler needs dask; pip install distributed') from None
        self._distributed = distributed
        self._cluster = None
        try:
            if scheduler == 'local':
                self._cluster = distributed.LocalCluster(
                    n_workers=count, threads_per_worker=1, dashboard_address=None)
            self._client = distributed.Client(self._cluster or scheduler, timeout='10s')
        except (OSError, ValueError, TypeError) as error:
            raise WorkersError(f'no Dask scheduler at {scheduler} ({error}); give its '
                               'address, such as tcp://10.0.0.1:8786, or local') from error
        self.executor = self._client.get_executor(pure=False)

    @property
    def count(self) -> int:
        """Return the number of threads of the workers that have connected."""
        return max(1, sum(self._client.nthreads().values()))

    def run(self, work: Callable) -> Dict[str, Any]:
        """Run a function in every worker and return the results by address."""
        return dict(self._client.run(work))

    def has_died(self, error: BaseException) -> bool:
        """Return whether workers died with the work more often than Dask allows."""
        return isinstance(error, self._distributed.KilledWorker)

    def close(self) -> None:
        """Disconnect from the scheduler, and stop a local one."""
        self.executor.shutdown(wait=False)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
