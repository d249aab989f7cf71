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
Pool of worker processes that run episodes, each one job at a time.

A new job of a client cancels its earlier ones, even while they run. A worker that times out or
dies is replaced, and its job ends with an error message.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import os
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from bug_nav.lab.workers import start_forkserver
from bug_nav.playground.job import Job

MAX_WORKERS = 8
"""Maximum number of workers."""
WORKER_MODULE = 'bug_nav.playground.worker'
"""Module that is imported before workers are forked."""
JOB_TIMEOUT = 90.0
"""Maximum time of a job before its worker is replaced [s]."""
WORKER_DIED = 'the worker process of this run died; it was restarted'
JOB_TIMED_OUT = f'this takes longer than {JOB_TIMEOUT:g} s; use `bug_nav run`, which has no limit'

Reply = Callable[[Tuple[Any, ...]], None]


@dataclasses.dataclass(eq=False)
class Task:
    """Job with its client and the callback for its answers."""

    client: object
    job: Job
    reply: Reply


def _serve(pipe: Any) -> None:
    from bug_nav.playground.worker import serve
    serve(pipe)


class WorkerPool:
    """Pool of worker processes with a fair queue."""

    def __init__(self, count: int = 0):
        """Start ``count`` workers without waiting for them; 0 for one per core."""
        self._context = start_forkserver(WORKER_MODULE)
        self._waiting: Deque[Task] = collections.deque()
        count = count or min(max(os.cpu_count() or 1, 2), MAX_WORKERS)
        self._workers = [_Worker(self._context, self._assign_jobs) for _ in range(count)]

    def listen(self) -> None:
        """Read the answers of the workers in the running event loop."""
        for worker in self._workers:
            worker.listen()

    def submit(self, tasks: List[Task]) -> None:
        """Queue jobs; clients take turns."""
        self._waiting.extend(tasks)
        self._assign_jobs()

    def cancel(self, client: object) -> None:
        """Cancel all jobs of a client."""
        self._waiting = collections.deque(
            task for task in self._waiting if task.client is not client)
        for worker in self._workers:
            if worker.task is not None and worker.task.client is client:
                worker.cancel()

    def _assign_jobs(self) -> None:
        for worker in self._workers:
            if not worker.is_busy and self._waiting:
                worker.start_job(self._pop_fair())

    def _pop_fair(self) -> Task:
        """Remove and return the next job, of the client with the fewest busy workers."""
        busy: Dict[int, int] = collections.Counter(
            id(worker.task.client) for worker in self._workers if worker.task is not None)
        task = min(self._waiting, key=lambda each: busy.get(id(each.client), 0))
        self._waiting.remove(task)
        return task

    @property
    def pids(self) -> List[int]:
        """Process ids of the workers."""
        return [worker.pid for worker in self._workers]

    def close(self) -> None:
        """Stop all workers."""
        for worker in self._workers:
            worker.end()


class _Worker:
    """Worker process and its pipe."""

    def __init__(self, context: Any, on_idle: Callable[[], None]):
        self._context, self._on_idle = context, on_idle
        self.task: Optional[Task] = None
        self._cancelled = False
        self._timeout: Optional[asyncio.TimerHandle] = None
        self._start()

    def _start(self) -> None:
        self._pipe, end = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(end,), daemon=True)
        self._process.start()
        end.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_busy(self) -> bool:
        return self.task is not None

    def listen(self) -> None:
        asyncio.get_running_loop().add_reader(self._pipe.fileno(), self._read)

    def start_job(self, task: Task) -> None:
        self.task, self._cancelled = task, False
        self._timeout = asyncio.get_running_loop().call_later(
            JOB_TIMEOUT, self._replace, JOB_TIMED_OUT)
        self._send(task.job)

    def cancel(self) -> None:
        if not self._cancelled:
            self._cancelled = True
            self._send(None)

    def _send(self, job: Optional[Job]) -> None:
        try:
            self._pipe.send(job)
        except (BrokenPipeError, OSError):
            self._replace(WORKER_DIED)

    def _read(self) -> None:
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError):
            self._replace(WORKER_DIED)
            return
        task = self.task
        if task is None:
            return
        if answer[0] == 'path':
            if not self._cancelled:
                task.reply(answer)
            return
        self._finish(answer)

    def _finish(self, answer: Tuple[Any, ...]) -> None:
        task, self.task = self.task, None
        if self._timeout is not None:
            self._timeout.cancel()
        if task is not None and not self._cancelled:
            task.reply(answer)
        self._on_idle()

    def _replace(self, why: str) -> None:
        self.end()
        self._start()
        self.listen()
        self._finish(('error', why))

    def end(self) -> None:
        try:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        except RuntimeError:  # the event loop has ended
            pass
        self._pipe.close()
        self._process.kill()
        self._process.join()
