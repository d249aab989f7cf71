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

"""Measurement of the CPU time and the wall time of a thread."""

import os
import subprocess
import sys
import time
from types import SimpleNamespace

from bug_nav.ros import process
from bug_nav.ros.process import Stopwatch
import pytest

pytestmark = pytest.mark.ros


def busy(seconds):
    """Use the CPU for some seconds; return the measured wall time and own time [s]."""
    watch, end = Stopwatch(), time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return watch.time, watch.own_time


@pytest.mark.skipif(not os.path.exists('/proc/thread-self/schedstat'),
                    reason='this system does not tell for how long a thread waited to run')
def test_time_of_another_process_does_not_count_as_own_time():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    other = subprocess.Popen([sys.executable, '-c', 'while True: pass'])  # on the same core
    try:
        took, own = busy(0.5)
    finally:
        other.kill()
        other.wait()
        os.sched_setaffinity(0, allowed)
    assert took > 0.7
    assert own == pytest.approx(0.5, abs=0.15)


def test_sleep_counts_as_own_time():
    watch = Stopwatch()
    time.sleep(0.3)
    # A wait for the processor between the two clocks reduces a single reading.
    assert any(watch.own_time > 0.29 for _ in range(20))
    assert watch.own_time <= watch.time


def test_wait_while_a_stopwatch_starts_does_not_count_as_own_time(monkeypatch):
    clock, wait = {'now': 0.0, 'waited': 0.0}, 1.0

    def read(name):
        value = clock[name]
        clock.update({each: clock[each] + wait for each in clock})
        return value
    monkeypatch.setattr(process, 'time', SimpleNamespace(monotonic=lambda: read('now')))
    monkeypatch.setattr(process, '_wait_time', lambda: read('waited'))
    watch, wait = Stopwatch(), 0.0
    assert watch.own_time <= 0.0
