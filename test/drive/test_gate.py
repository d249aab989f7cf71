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
"""Driving in advance: no command is let through that the robot cannot stop from."""

import math

from arena import BURGER
from bug_nav.bench.hostile import attempt, GEARS, WAYS
from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.core.interface import Scan, STOP, Twist
from bug_nav.core.settings import RobotModel, Settings
from bug_nav.drive.ahead import FAR, is_in_sight
from bug_nav.drive.gate import Gate, Known, MARGIN, PAST_SOMEBODY, UNOBSERVED_SPEED, UNSEEN
from bug_nav.sense.observed import ObservedArea
from bug_nav.sense.tracker import DynamicObstacle, FASTEST
import numpy as np
import pytest

TICK = 0.05
NOWHERE = np.empty((0, 2))


def driving(model, command, seconds=3.0, points=NOWHERE, view=UNSEEN, sight=100.0, slowness=0.0):
    """Let a robot have a wish for a while; return its gate, its pose and its velocity."""
    gate, pose, motion = Gate(model, Settings()), IDENTITY, STOP
    for _ in range(round(seconds / TICK)):
        gate.advance(TICK)
        nearest = min((math.dist(each, pose.position) for each in points), default=math.inf)
        gate.clip(command, TICK, Known(points, nearest, view, sight), pose, 0.0, slowness)
        probe = Gate(model, Settings())
        probe.command, probe._motion = gate.command, motion
        probe.advance(TICK)
        pose, motion = probe.driven_since(pose, TICK)[0], probe._motion
    return gate, pose, motion


def test_robot_with_nothing_around_reaches_its_limits():
    _, pose, motion = driving(BURGER, Twist(9.0, 0.0))
    assert motion == pytest.approx((0.22, 0.0, 0.0)) and pose.y == 0.0


@pytest.mark.parametrize('radius', [0.5, 1.0, 2.0])
def test_wall_beside_the_heading_stops_a_robot_that_drives_an_arc_into_it(radius):
    # Straight ahead all is free; the arc ends at the wall on the left.
    model = RobotModel(max_vel_x=1.5, max_wheel_vel=3.0, acc_lim_x=1.0, max_vel_theta=3.0)
    wall = np.stack((np.linspace(-1.0, 5.0, 400), np.full(400, 0.8)), axis=1)
    for seconds in (0.5, 1.0, 1.5, 2.0, 4.0):
        _, pose, _ = driving(model, Twist(1.5, 1.5 / radius), seconds, wall)
        assert pose.y < 0.8 - model.robot_radius


def test_point_that_is_too_near_already_may_be_left_and_turned_from_but_not_approached():
    point = np.array([[0.135, 0.0]])
    assert driving(BURGER, Twist(0.2, 0.0), points=point)[1].x == 0.0
    assert driving(BURGER, Twist(-0.2, 0.0), 1.0, point)[1].x < -0.1
    turned = driving(BURGER, Twist(0.0, 0.5), 1.0, point)[1]
    assert turned.theta > 0.4


def test_robot_goes_no_faster_than_it_can_stop_within_its_sight():
    model = RobotModel(max_vel_x=3.0, max_wheel_vel=3.0, acc_lim_x=1.0)
    motion = driving(model, Twist(3.0, 0.0), 8.0, sight=1.0)[2]
    assert 0.8 < motion.v < math.sqrt(2.0)


def test_uncertain_places_slow_the_robot_down():
    motion = driving(BURGER, Twist(0.22, 0.0), slowness=10.0)[2]
    assert motion.v == pytest.approx(0.1)


def test_late_odometry_is_driven_on_from():
    gate, pose, _ = driving(BURGER, Twist(0.2, 0.3))
    then = gate.driven_since(pose, 0.3)[0]
    assert then.x - pose.x == pytest.approx(0.06 * math.cos(pose.theta + 0.045), abs=1e-3)
    assert then.theta - pose.theta == pytest.approx(0.09, abs=1e-6)
    assert gate.driven_since(pose, 0.0) == (pose, gate._motion)


def test_wall_is_kept_away_from_by_a_margin_although_odometry_is_late():
    gate, pose, motion = Gate(BURGER, Settings()), IDENTITY, STOP
    wall = np.stack((np.full(200, 0.6), np.linspace(-1.0, 1.0, 200)), axis=1)
    known = [IDENTITY] * 7
    for _ in range(200):
        gate.advance(TICK)
        there = known[-7]
        gate.clip(Twist(0.22, 0.0), TICK, Known(wall, 0.6 - there.x), there, 6 * TICK, 0.0)
        v = min(max(gate.command.v, motion.v - TICK), motion.v + TICK)
        pose = Pose(pose.x + 0.5 * (v + motion.v) * TICK, 0.0, 0.0)
        motion = Twist(v, 0.0)
        known.append(pose)
    assert 0.6 - BURGER.robot_radius - MARGIN - 0.01 < pose.x < (
        0.6 - BURGER.robot_radius - MARGIN + 1e-3)


# What is in sight.

def seen(ranges):
    return np.asarray(ranges, dtype=float), 0.0, 0.0, 0.0, math.radians(1.0)


@pytest.mark.parametrize('x, y, visible', [
    (1.0, 0.0, True), (3.0, 0.0, False), (0.0, 3.0, True), (FAR / 2.0, 0.0, True)])
def test_place_behind_what_is_seen_is_not_in_sight(x, y, visible):
    ranges = np.full(360, math.inf)
    ranges[:30] = ranges[-30:] = 1.5
    assert is_in_sight(*seen(ranges), x, y, 0.15) is visible


def test_disc_has_to_be_in_sight_as_a_whole():
    ranges = np.full(360, math.inf)
    ranges[4:40] = 1.0          # hides what lies a little to the left of the heading
    assert not is_in_sight(*seen(ranges), 2.0, 0.0, 0.2)
    assert is_in_sight(*seen(ranges), 2.0, 0.0, 0.1)


def test_what_no_beam_looks_at_is_not_in_sight():
    assert is_in_sight(*seen(np.full(90, 3.0)), 1.4, 1.4, 0.2)
    assert not is_in_sight(*seen(np.full(90, 3.0)), -2.0, 0.0, 0.1)
    assert is_in_sight(*seen(np.full(359, 3.0)), 2.0, 0.0, 0.2)     # the seam of a full turn
    assert is_in_sight(*seen(np.full(360, math.nan)), 2.0, 0.0, 0.2)


# What no single ranger has looked at.

def blind_area():
    """Return the area of a robot whose four rangers have measured nothing."""
    area = ObservedArea(BURGER.robot_radius)
    for k in range(4):
        mount = Pose(0.0, 0.0, k * math.pi / 2)
        area.add(Scan(0.0, np.array([math.nan]), 0.0, 0.3, 0.0, 2.0, mount), IDENTITY)
    return area


def test_robot_looks_around_once_and_then_goes_on_slowly_where_no_ranger_has_looked():
    gate, area, pose, turned = Gate(BURGER, Settings()), blind_area(), IDENTITY, 0.0
    known = Known(NOWHERE, math.inf, observed=area)
    wish = Twist(BURGER.max_vel_x, 0.0)
    gate.clip(wish, TICK, known, pose, 0.0, 0.0)
    while gate.looks:
        assert gate.command.v == 0.0 and turned < 2.0 * math.pi
        gate.advance(TICK)
        pose = gate.driven_since(pose, TICK)[0]
        turned += abs(gate.command.w) * TICK
        gate.clip(wish, TICK, known, pose, 0.0, 0.0)
    assert area.gap <= turned < 1.5 * area.gap
    gate.clip(wish, TICK, known, pose, 0.0, 0.0)
    assert gate.command.v == pytest.approx(UNOBSERVED_SPEED * BURGER.max_vel_x)


def test_robot_that_is_made_to_stand_does_not_look():
    gate = Gate(BURGER, Settings())
    gate.clip(Twist(0.1, 0.0), TICK, Known(NOWHERE, math.inf, observed=blind_area()), IDENTITY,
              0.0, 0.0)
    assert gate.looks
    gate.stop()
    assert not gate.looks


# Plug-ins that mean harm.

@pytest.mark.parametrize('way', WAYS)
@pytest.mark.parametrize('gear', GEARS)
def test_hostile_plugin_touches_nothing(gear, way):
    for seed in range(2):
        assert attempt(gear, way, seed, 8.0).contacts == 0


# What moves.

def passing(x, y, velocity, followed=True):
    return DynamicObstacle(
        np.array([(x, y)]), velocity, math.hypot(*velocity) or FASTEST, followed)


@pytest.mark.parametrize('thing, stands', [
    (passing(0.9, 0.0, (-1.5, 0.0)), True),
    (passing(-0.9, 0.0, (1.5, 0.0)), True),            # from behind as well
    (passing(1.6, 0.0, (-1.5, 0.0)), False),
    (passing(0.9, 0.0, (1.5, 0.0)), False),            # it goes away
    (passing(0.9, 0.0, (0.0, 0.0), False), True),      # seen for the first time
    (passing(0.6, 0.0, (0.0, 0.2)), False),
    (passing(0.25, 0.0, (0.0, 0.0)), True)])           # it may set out
def test_robot_stands_before_it_can_be_reached_by_what_moves(thing, stands):
    known = Known(NOWHERE, math.inf, passing=(thing,), seen_ago=0.2)
    assert Gate(BURGER, Settings()).lets_pass(known, IDENTITY, 0.0) is stands


def test_robot_is_slow_beside_somebody_who_stands():
    gate = Gate(BURGER, Settings())
    for _ in range(20):
        gate.advance(TICK)
        known = Known(NOWHERE, math.inf, sight=100.0, beside_somebody=True)
        twist = gate.clip(Twist(0.22, 0.0), TICK, known, IDENTITY, 0.0, 0.0)
    assert twist.v == pytest.approx(PAST_SOMEBODY)
