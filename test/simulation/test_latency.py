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
"""Latency, loss and clock skew of sensor data."""

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Scan
from bug_nav.simulation.latency import IDEAL, LatencyQueue, substeps, TimingModel
import numpy as np
import pytest


def queue_with(**changes):
    return LatencyQueue(TimingModel(**changes), np.random.default_rng(0))


def fill(queue, seconds=10.0, step=0.005):
    """Send odometry and scans; return arrived odometry and scans in order of arrival."""
    found = []
    for k in range(round(seconds / step)):
        now = k * step
        queue.send_odometry(now, Pose(now, 0.0, 0.0))
        if k % 40 == 0:
            queue.send_scans(now, (Scan(now, np.ones(4), 0.0, 1.0, 0.1, 3.0),))
        found += queue.arrived(now)
    return [each for each in found if each.odometry is not None], [
        each for each in found if each.scans]


@pytest.mark.parametrize('rate', [5.0, 10.0, 19.9, 50.0, 200.0])
def test_odometry_arrives_at_its_rate(rate):
    poses, scans = fill(queue_with(odometry_rate=rate))
    assert len(poses) == pytest.approx(10.0 * rate, abs=2.0 + 0.1 * rate) and len(scans) == 50


def test_delay_and_jitter_are_applied():
    poses, scans = fill(queue_with(odometry_rate=20.0, odometry_delay=0.1, odometry_jitter=0.2,
                                   scan_delay=0.3))
    late = [each.at - each.stamp for each in poses]
    assert 0.1 <= min(late) < 0.13 and 0.27 < max(late) <= 0.3
    assert all(each.at - each.stamp == pytest.approx(0.3) for each in scans)
    stamps = [each.stamp for each in poses]
    assert stamps != sorted(stamps)     # some arrive out of order
    assert [each.at for each in poses] == sorted(each.at for each in poses)


def test_requested_share_of_messages_is_dropped():
    poses, scans = fill(queue_with(odometry_drop=0.3, scan_drop=1.0))
    assert len(poses) == pytest.approx(1400, abs=60) and scans == []


def test_skew_shifts_the_stamps_of_scans():
    _, scans = fill(queue_with(scan_skew=2.0))
    assert all(each.scans[0].stamp == pytest.approx(each.at + 2.0) for each in scans)


def test_ideal_timing_needs_no_substeps():
    assert IDEAL.is_ideal and substeps(IDEAL, 0.05) == 1
    assert substeps(TimingModel(odometry_rate=20.0), 0.05) == 10
