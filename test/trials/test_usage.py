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

"""Detection of growing resource usage of a process."""

from __future__ import annotations

import os
import threading

import pytest
from trials.usage import growth, report, slope_of, Usage, usage_of


def run(rss=lambda at: 90_000.0, cpu=lambda at: 0.05 * at, **last):
    """Return measurements of a run of 1000 goals."""
    measured = [Usage(at, 20 * at, rss(at), 15, 18, cpu(at), 33) for at in range(0, 1001, 100)]
    return [*measured[:-1], measured[-1]._replace(**last)]


def test_constant_usage_does_not_grow():
    assert growth(run(), 0.5) == []


def test_warm_up_is_not_growth():
    assert growth(run(rss=lambda at: 90_000.0 + 50.0 * min(at, 200)), 0.5) == []


def test_leak_is_detected_by_its_slope():
    leaky = run(rss=lambda at: 90_000.0 + 2.0 * at + 50.0 * (at % 300 == 0))
    (found,) = growth(leaky, 0.5)
    assert found.startswith('memory, by 2.') and slope_of(leaky) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize('name, words', [
    ('threads', 'threads, from 15 to 99'), ('descriptors', 'descriptors, from 18 to 99'),
    ('endpoints', 'endpoints, from 33 to 99')])
def test_more_resources_at_the_end_are_growth(name, words):
    assert growth(run(**{name: 99}), 0.5) == [words]


def test_increasing_cpu_time_of_ticks_is_detected():
    (found,) = growth(run(cpu=lambda at: 0.05 * at * at / 500.0), 0.5)
    assert found.startswith('CPU time of a tick')


def test_short_run_is_reported_as_too_short():
    assert growth(run()[:2], 0.5) == ['the run is too short to judge']


@pytest.mark.skipif(not os.path.exists('/proc/self/stat'), reason='needs the /proc of Linux')
def test_usage_of_the_current_process_is_measured():
    usage = usage_of(os.getpid(), 1.0, 20)
    assert usage.rss > 1000.0 and usage.cpu > 0.0 and usage.descriptors > 2
    assert usage.threads >= threading.active_count()
    assert len(report([usage, usage._replace(at=2.0)], 'goals').splitlines()) == 3
