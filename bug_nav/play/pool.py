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
The workers of the server: processes that drive, each one job at a time.

The newest job of a client wins: those before it are dropped, also while they are driven. A worker
that does not answer in time, or dies, is replaced, and its job ends with a sentence.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import os
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple

from bug_nav.bench.workers import start_forkserver
from bug_nav.play.job import Job

MOST = 8
"""Workers, whatever the machine has."""
WORK = 'bug_nav.play.worker'
"""Workers are forked off a process that has imported this."""
PATIENCE = 90.0
"""A worker that does not answer for so long [s] is replaced."""
DEAD = 'the process that computed this has ended; it is started again'
LATE = f'this takes longer than {PATIENCE:g} s; `bug_nav run` does it in its own time'

Tell = Callable[[Tuple[Any, ...]], None]


@dataclasses.dataclass(eq=False)
class Task:
    """A job, whose it is, and who is told what comes of it."""

    client: object
    job: Job
    tell: Tell


def _serve(pipe: Any) -> None:
    from bug_nav.play.worker import serve
    serve(pipe)


class Pool:
    """So many workers as there are cores."""

    def __init__(self, count: int = 0):
        """Start them; they get ready meanwhile. ``count``: 0 for as many as there are cores."""
        self._context = start_forkserver(WORK)
        self._waiting: Deque[Task] = collections.deque()
        count = count or min(max(os.cpu_count() or 1, 2), MOST)
        self._workers = [_Worker(self._context, self._next) for _ in range(count)]

    def listen(self) -> None:
        """Listen to the workers in the event loop that runs."""
        for worker in self._workers:
            worker.listen()

    def submit(self, tasks: List[Task]) -> None:
        """Have jobs done, in turn with those of other clients."""
        self._waiting.extend(tasks)
        self._next()

    def drop(self, client: object) -> None:
        """Let all jobs of a client alone."""
        self._waiting = collections.deque(
            task for task in self._waiting if task.client is not client)
        for worker in self._workers:
            if worker.task is not None and worker.task.client is client:
                worker.drop()

    def _next(self) -> None:
        for worker in self._workers:
            if not worker.is_busy and self._waiting:
                worker.begin(self._turn())

    def _turn(self) -> Task:
        """Return the next job: of whoever has the fewest workers, so that none waits for all."""
        busy: Dict[int, int] = collections.Counter(
            id(worker.task.client) for worker in self._workers if worker.task is not None)
        task = min(self._waiting, key=lambda each: busy.get(id(each.client), 0))
        self._waiting.remove(task)
        return task

    @property
    def pids(self) -> List[int]:
        """Return the processes."""
        return [worker.pid for worker in self._workers]

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.end()


class _Worker:
    """One process and its pipe."""

    def __init__(self, context: Any, free: Callable[[], None]):
        self._context, self._free = context, free
        self.task: Optional[Task] = None
        self._dropped = False
        self._alarm: Optional[asyncio.TimerHandle] = None
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

    def begin(self, task: Task) -> None:
        self.task, self._dropped = task, False
        self._alarm = asyncio.get_running_loop().call_later(PATIENCE, self._replace, LATE)
        self._send(task.job)

    def drop(self) -> None:
        if not self._dropped:
            self._dropped = True
            self._send(None)

    def _send(self, job: Optional[Job]) -> None:
        try:
            self._pipe.send(job)
        except (BrokenPipeError, OSError):
            self._replace(DEAD)

    def _read(self) -> None:
        try:
            told = self._pipe.recv()
        except (EOFError, OSError):
            self._replace(DEAD)
            return
        task = self.task
        if task is None:
            return
        if told[0] == 'path':
            if not self._dropped:
                task.tell(told)
            return
        self._finish(told)

    def _finish(self, told: Tuple[Any, ...]) -> None:
        task, self.task = self.task, None
        if self._alarm is not None:
            self._alarm.cancel()
        if task is not None and not self._dropped:
            task.tell(told)
        self._free()

    def _replace(self, why: str) -> None:
        self.end()
        self._start()
        self.listen()
        self._finish(('error', why))

    def end(self) -> None:
        try:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())
        except RuntimeError:  # after the loop has ended
            pass
        self._pipe.close()
        self._process.kill()
        self._process.join()
