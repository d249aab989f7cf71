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
Where the episodes of a campaign are driven: executors of `concurrent.futures` that can be mended.

A pool of processes serves one machine, a Dask scheduler serves a cluster; the campaign knows no
difference but what is here.
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
from typing import Any, Callable, Dict, Optional

from bug_nav.core import interrupt
from bug_nav.core.module_path import outside_current_folder


class WorkersError(RuntimeError):
    """There are no workers, or no more; the message is one sentence."""


class Workers(abc.ABC):
    """An executor, and what is to be done when a part of it dies."""

    executor: Executor
    die_together = False
    """Whether all the work is lost when one process dies."""
    deaths_told = 1
    """How many processes have died where one piece of work is said to be lost."""

    @property
    @abc.abstractmethod
    def count(self) -> int:
        """How many episodes are driven at the same time."""

    def submit(self, work: Callable, *args: Any) -> Future:
        """Begin some work."""
        return self.executor.submit(work, *args)

    def has_died(self, error: BaseException) -> bool:
        """Tell whether an error says that the work has lost its process, and no more."""
        return isinstance(error, BrokenExecutor)

    def mend(self) -> None:  # noqa: B027
        """Replace what has died."""

    def hurry(self) -> None:  # noqa: B027
        """Have the work that has begun end after the episode it is in."""

    @abc.abstractmethod
    def close(self) -> None:
        """Let the workers go; what is not done is dropped."""


_hurried: Optional[Any] = None
"""In a process of a pool: the event that is set when the work is to end soon."""


def is_hurried() -> bool:
    """Tell, within some work, whether it is to end soon."""
    return _hurried is not None and _hurried.is_set()


def _begin(hurried: Any) -> None:
    """Get a process of a pool ready: deaf to Ctrl-C, which is for the one that began it."""
    global _hurried
    _hurried = hurried
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def end_with_parent() -> None:
    """Have this process end with the one that began it, which may have no time to end others."""
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def get_ready(module: str) -> Any:
    """
    Begin to get ready, and return the context that makes workers.

    They are forked off a process that has the kernels and has imported a module, while this one
    does something else; not off this one, whose threads and sockets they would have halves of.
    """
    context = multiprocessing.get_context('forkserver')
    context.set_forkserver_preload(['bug_nav.bench.ready', module])
    # The terminal sends Ctrl-C to all processes: this one ignores it from the beginning.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with outside_current_folder():
            _start_tracker()
            forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    interrupt.on_end(functools.partial(_abandon, multiprocessing.util.get_temp_dir()))
    return context


@functools.lru_cache(maxsize=None)
def _start_tracker() -> None:
    """
    Start the process that removes the semaphores of one that has ended.

    After Ctrl-C there are always some; it does not warn of them.
    """
    sys.warnoptions.append(f'ignore:resource_tracker:{UserWarning.__name__}')
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.pop()


def _abandon(folder: str) -> None:
    """End the server that workers are forked off and remove its folder; they end themselves."""
    server = getattr(forkserver._forkserver, '_forkserver_pid', None)
    if server is not None:  # else it ends when it has the kernels, which takes a while
        os.kill(server, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


class Pool(Workers):
    """Processes on this machine."""

    die_together = True

    def __init__(self, count: int) -> None:
        """Begin so many; the first needs some seconds."""
        self._context = get_ready('bug_nav.bench.campaign')
        self._hurried = self._context.Event()
        self._count = count
        self.mend()

    @property
    def count(self) -> int:
        """How many processes there are."""
        return self._count

    def mend(self) -> None:
        """Begin another pool: one that has lost a process is of no more use."""
        self.executor = ProcessPoolExecutor(self._count, self._context, _begin, (self._hurried,))

    def hurry(self) -> None:
        """Tell the processes."""
        self._hurried.set()

    def close(self) -> None:
        """End the processes when they have done what they are at."""
        self.executor.shutdown()


class Dask(Workers):
    """The workers of a Dask scheduler, which themselves take over from those that die."""

    deaths_told = 3

    def __init__(self, scheduler: str, count: int) -> None:
        """
        Go to a scheduler by its address.

        :param scheduler: such as `tcp://10.0.0.1:8786`; or `local`, for one on this machine.
        :param count: of the processes of a local one.
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
            raise WorkersError(f'there is no Dask scheduler at {scheduler} ({error}); give its '
                               'address, such as tcp://10.0.0.1:8786, or local') from error
        self.executor = self._client.get_executor(pure=False)

    @property
    def count(self) -> int:
        """How many threads the workers have, as far as they have come."""
        return max(1, sum(self._client.nthreads().values()))

    def run(self, work: Callable) -> Dict[str, Any]:
        """Do something in every worker, and return what comes of it by their addresses."""
        return dict(self._client.run(work))

    def has_died(self, error: BaseException) -> bool:
        """Tell whether workers died with the work, more often than Dask puts up with."""
        return isinstance(error, self._distributed.KilledWorker)

    def close(self) -> None:
        """Leave the scheduler, and end a local one."""
        self.executor.shutdown(wait=False)
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
