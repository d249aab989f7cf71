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

"""A replayed recording: placed and dropped scans, waiting times, decisions."""

import bags
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Outcome
from bug_nav.recording.bag import Bag
from bug_nav.recording.replay import MAX_ENDS, Replay
from bug_nav.recording.replay_report import as_json, describe, headline
from bug_nav.recording.trajectory import Sources, trajectory_of
import pytest

SOURCES = Sources('/scan', '/odom', 'base_footprint', Mount(Pose(-0.03, 0.0, 0.0)))


def replayed(tmp_path, messages, goal=(9.0, 0.0)):
    """Return the finished replay of messages."""
    with Bag(bags.write(tmp_path / 'a', messages)) as bag:
        replay = Replay(bag, SOURCES, goal, lambda: Navigator(Bug2()))
        replay.run(lambda share: None)
    return replay


def summary_of(tmp_path, messages, **goal):
    return replayed(tmp_path, messages, **goal).summary


def test_good_recording_is_placed_and_reaches_the_goal(tmp_path):
    summary = summary_of(tmp_path, bags.drive(), goal=(1.0, 0.0))
    assert summary.placed == summary.scans > 20 and not summary.troubles
    assert [end.result.outcome for end in summary.ends] == [Outcome.REACHED]
    assert summary.standing < 5 and summary.skew == pytest.approx(0.0, abs=0.06)
    assert headline(summary) == '100% of the scans were placed'


def test_points_of_the_scans_are_on_the_obstacles(tmp_path):
    summary = summary_of(tmp_path, bags.drive(speed=0.0))
    assert len(summary.points) > 100 and abs(bags.POSTS.clearance(summary.points)).max() < 0.05


def test_clock_skew_places_no_scans_and_is_reported(tmp_path):
    summary = summary_of(tmp_path, bags.drive(scan_ahead=0.8))
    assert summary.placed == 0 and summary.skew == pytest.approx(0.8, abs=0.06)
    assert summary.holds and summary.standing == summary.ticks
    text = '\n'.join(describe('x', summary, ()))
    assert 'NO SCAN COULD BE PLACED' in text and 'ahead of odometry' in text


def test_missing_odometry_causes_a_hold_and_ends_the_goal(tmp_path):
    messages = [each for each in bags.drive(8.0)
                if each[1] != '/odom' or each[0] < bags.BEGAN + 3.0]
    summary = summary_of(tmp_path, messages)
    assert summary.holds['waiting_for_odometry'].longest == pytest.approx(1.7, abs=0.2)
    end, = summary.ends
    assert end.result.outcome in (Outcome.ODOM_STALE, Outcome.SCAN_STALE)
    assert sum(summary.dropped.values()) + summary.placed == summary.scans


def test_missing_scans_end_the_goal_repeatedly(tmp_path):
    messages = [each for each in bags.drive(60.0) if each[1] != '/scan']
    summary = summary_of(tmp_path, [*messages, (bags.BEGAN, '/scan', bags.scan(bags.BEGAN))])
    assert len(summary.ends) == MAX_ENDS
    assert 'more times' in '\n'.join(describe('x', summary, ()))


def test_hit_points_are_counted(tmp_path):
    import numpy as np
    near = np.full(360, 3.0)
    near[-20:] = near[:20] = 0.25
    messages = [each if each[1] != '/scan' else (each[0], '/scan', bags.scan(each[0], near))
                for each in bags.drive(speed=0.0)]
    summary = summary_of(tmp_path, messages)
    assert [event.kind for event in summary.events] == ['hit']
    assert as_json('x', summary, ())['events'][0]['index'] == 1


def test_scan_without_beams_is_dropped_with_the_reason(tmp_path):
    messages = [each if each[1] != '/scan' else (each[0], '/scan', bags.scan(each[0], []))
                for each in bags.drive()]
    summary = summary_of(tmp_path, messages)
    assert summary.placed == 0 and any('0 beams' in why for why in summary.dropped)


def test_missing_transform_is_reported_with_the_assumption(tmp_path):
    replay = replayed(tmp_path, [each for each in bags.drive() if each[1] != '/tf_static'])
    assert len(replay.assumed) == 1 and 'that of the preset' in replay.assumed[0]


def test_base_frame_is_taken_from_odometry(tmp_path):
    replay = replayed(tmp_path, bags.drive(base='base_link'))
    assert 'the robot frame is base_link' in replay.assumed[0]
    assert replay.summary.placed == replay.summary.scans


def test_contour_in_the_blind_zone_is_reported(tmp_path):
    messages = [each if each[1] != '/scan' else (each[0], '/scan', bags.scan(
        each[0], range_min=0.3)) for each in bags.drive()]
    summary = summary_of(tmp_path, messages)
    assert 'make the clearance at least' in summary.refusal
    assert 'the node would not have started' in '\n'.join(describe('x', summary, ()))


def test_gap_of_a_century_is_skipped(tmp_path):
    century = 3e9
    late = [(at + century, topic, message) for at, topic, message in bags.drive(2.0)]
    assert summary_of(tmp_path, [*bags.drive(2.0), *late]).ticks < 500


def test_trajectory_follows_odometry(tmp_path):
    with Bag(bags.write(tmp_path / 'a', bags.drive())) as bag:
        trajectory = trajectory_of(bag, SOURCES)
        assert trajectory.first.x == 0.0 and trajectory.last.x == pytest.approx(1.19)
        assert trajectory.farthest == trajectory.last.position
        assert trajectory_of(bag, SOURCES._replace(odom='/elsewhere')) is None
