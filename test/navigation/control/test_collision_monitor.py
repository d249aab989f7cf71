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
"""Tests of the collision monitor, which passes only commands from which the robot can stop."""

import math

from arena import BURGER
from bug_nav.navigation.control.collision_monitor import CollisionMonitor, UNOBSERVED_SPEED
from bug_nav.navigation.control.drive import SPEED_NEAR_PERSON
from bug_nav.navigation.control.forward_simulation import (
    advance,
    extrapolate,
    integrate,
    is_in_sight,
    SIGHT_DISTANCE,
    TICK,
)
from bug_nav.navigation.control.state import COMMANDS, limits_of, MARGIN, new_state
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.perception import Perceived
from bug_nav.navigation.perception.tracker import DynamicObstacle, INITIAL_SPEED
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Along, Intent, Scan, STOP, Twist
from hostile import BEHAVIORS, drive, ROBOT_VARIANTS
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

NOWHERE = np.empty((0, 2))


def divided(elapsed: float):
    """Return the number of equal steps of at most a tick, and their length [s]."""
    count = math.ceil(elapsed / TICK - 1e-9)
    return count, elapsed / count


class Driver:
    """A robot that executes the commands of its collision monitor."""

    def __init__(self, model: RobotModel = BURGER, settings: Settings = Settings()) -> None:
        self.model, self.state = model, new_state()
        self.limits = limits_of(model, settings)
        self.monitor = CollisionMonitor(model, self.state, self.limits)
        self.motion = np.zeros(6)

    @property
    def pose(self) -> Pose:
        return Pose(*self.motion[:3])

    def clip(self, wish: Intent, points=NOWHERE, seen_at=None, age=0.0, slowness=0.0, **known
             ) -> Twist:
        """Return the safe part of a wish, with the current or an earlier odometry pose."""
        self.state['pose'] = self.pose if seen_at is None else seen_at
        return self.monitor.clip(wish, TICK, Perceived(points=points, **known), age, slowness)

    def drive(self, elapsed: float = TICK) -> None:
        """Drive the newest command for a tick, or until a late one."""
        for step in np.full(*divided(elapsed)):
            integrate(self.motion, *self.monitor.command, step, self.model.acc_lim_x,
                      self.model.acc_lim_theta)
        advance(self.state[0], self.limits[0], elapsed)

    def extrapolated(self, age: float) -> np.ndarray:
        """Return the current pose and motion (6,) for an odometry pose of ``age`` [s]."""
        self.state['pose'] = self.pose
        extrapolate(self.state[0], self.limits[0], age)
        return self.state['extrapolated'][0]


def driving(model, command, seconds=3.0, points=NOWHERE, **known):
    """Drive with a constant wish; return the driver, its pose and its velocity."""
    driver = Driver(model)
    for _ in range(round(seconds / TICK)):
        driver.clip(command, points, **known)
        driver.drive()
    return driver, driver.pose, Twist(*driver.motion[3:])


def test_robot_in_open_space_reaches_its_speed_limit():
    _, pose, motion = driving(BURGER, Twist(9.0, 0.0))
    assert motion == pytest.approx((0.22, 0.0, 0.0)) and pose.y == 0.0


@pytest.mark.parametrize('radius', [0.5, 1.0, 2.0])
def test_wall_beside_the_heading_stops_a_robot_that_drives_an_arc_into_it(radius):
    # The way straight ahead is free; the arc leads to the wall on the left.
    model = RobotModel(max_vel_x=1.5, max_wheel_vel=3.0, acc_lim_x=1.0, max_vel_theta=3.0)
    wall = np.stack((np.linspace(-1.0, 5.0, 400), np.full(400, 0.8)), axis=1)
    for seconds in (0.5, 1.0, 1.5, 2.0, 4.0):
        _, pose, _ = driving(model, Twist(1.5, 1.5 / radius), seconds, wall)
        assert pose.y < 0.8 - model.robot_radius


def test_robot_too_near_to_a_point_may_leave_or_turn_but_not_approach():
    point = np.array([[0.135, 0.0]])
    assert driving(BURGER, Twist(0.2, 0.0), points=point)[1].x == 0.0
    assert driving(BURGER, Twist(-0.2, 0.0), 1.0, point)[1].x < -0.1
    turned = driving(BURGER, Twist(0.0, 0.5), 1.0, point)[1]
    assert turned.theta > 0.4


@pytest.mark.parametrize('x, y, passes', [
    (0.02, 0.13, True), (0.02, -0.13, True), (0.13, 0.02, False)])
def test_robot_passes_a_point_beside_it_that_is_too_near(x, y, passes):
    # With a wrong reading beside it, the robot stood until the goal ended as blocked.
    pose = driving(BURGER, Along(0.0), 5.0, np.array([[x, y]]))[1]
    assert bool(pose.x > 0.5) is passes


def test_speed_allows_the_robot_to_stop_within_its_sensing_range():
    model = RobotModel(max_vel_x=3.0, max_wheel_vel=3.0, acc_lim_x=1.0)
    motion = driving(model, Twist(3.0, 0.0), 8.0, sensing_range=1.0)[2]
    assert 0.8 < motion.v < math.sqrt(2.0)


def test_uncertainty_of_places_per_speed_limits_the_speed():
    motion = driving(BURGER, Twist(0.22, 0.0), slowness=10.0)[2]
    assert motion.v == pytest.approx(0.1)


def test_late_odometry_is_extrapolated():
    driver, pose, motion = driving(BURGER, Twist(0.2, 0.3))
    assert driver.extrapolated(0.0).tolist() == [*pose, *motion]
    x, _, theta, *_ = driver.extrapolated(0.3)
    assert x - pose.x == pytest.approx(0.06 * math.cos(pose.theta + 0.045), abs=1e-3)
    assert theta - pose.theta == pytest.approx(0.09, abs=1e-6)
    # Within a tick, and by half a second at most.
    assert driver.extrapolated(0.02)[2] - pose.theta == pytest.approx(0.006, abs=1e-6)
    assert driver.extrapolated(9.0)[2] - pose.theta == pytest.approx(0.15, abs=1e-6)


def test_extrapolation_matches_the_executed_motion():
    driver, commands = Driver(), np.random.default_rng(1)
    for _ in range(COMMANDS + 9):  # fills the ring buffer of past commands
        driver.monitor.clip(Twist(*commands.uniform(-1.0, 1.0, 2)), TICK, Perceived())
        then = driver.pose
        driver.drive()
    now = driver.motion.copy()
    driver.motion[:3] = then
    assert driver.extrapolated(TICK) == pytest.approx(now)


def test_zero_elapsed_time_records_no_command():
    driver = driving(BURGER, Twist(0.2, 0.3))[0]
    count = int(driver.state['past_count'][0])
    advance(driver.state[0], driver.limits[0], 0.0)
    assert driver.state['past_count'] == count == 60


def test_robot_keeps_its_margin_to_a_wall_with_delayed_odometry():
    driver = Driver()
    wall = np.stack((np.full(200, 0.6), np.linspace(-1.0, 1.0, 200)), axis=1)
    known = [IDENTITY] * 7
    for _ in range(200):
        driver.clip(Twist(0.22, 0.0), wall, known[-7], age=6 * TICK)
        driver.drive()
        known.append(driver.pose)
    assert 0.6 - BURGER.robot_radius - MARGIN - 0.01 < driver.pose.x < (
        0.6 - BURGER.robot_radius - MARGIN + 1e-3)


@pytest.mark.parametrize('clearance', [0.02, 0.03, 0.1])
@pytest.mark.parametrize('error', [0.0, 0.008])
def test_passage_as_wide_as_the_contour_stays_open_if_readings_are_too_near(clearance, error):
    model = RobotModel(robot_radius=0.333)
    driver = Driver(model, Settings(clearance=clearance))
    across = model.robot_radius + clearance - error
    posts = np.array([[0.5, across], [0.5, -across]])
    for _ in range(100):
        driver.clip(Along(0.0), posts)
        driver.drive()
    assert driver.pose.x > 0.9 and abs(driver.pose.y) < 1e-3


# Late ticks.

FAST = RobotModel(max_vel_x=2.0, max_wheel_vel=2.0, acc_lim_x=4.9, max_vel_theta=4.0,
                  acc_lim_theta=12.0)


@given(st.floats(0.06, 0.4), st.lists(st.booleans(), min_size=80, max_size=80))
def test_robot_that_had_a_late_tick_stops_in_time_if_others_are_as_late(late, is_late):
    driver = Driver(FAST)
    wall = np.stack((np.full(200, 4.0), np.linspace(-1.0, 1.0, 200)), axis=1)
    for elapsed in (TICK, late, *(late if each else TICK for each in is_late)):
        driver.clip(Twist(2.0, 0.0), wall)
        driver.drive(elapsed)
        assert driver.pose.x < 4.0 - FAST.robot_radius
    assert driver.state['period'][0] == late


def test_ticks_in_time_and_those_of_a_robot_that_stands_are_not_late():
    driver = Driver(FAST)
    driver.clip(STOP)
    driver.drive(0.3)
    for _ in range(40):
        driver.clip(Twist(2.0, 0.0))
        driver.drive()
    assert driver.state['period'][0] == TICK and driver.pose.x > 2.0


def test_robot_is_fast_again_when_ticks_have_been_in_time_for_a_while():
    driver = Driver(FAST)
    for elapsed in (TICK, 0.2, *[TICK] * 450):
        driver.clip(Twist(0.5, 0.0))
        driver.drive(elapsed)
    assert driver.state['period'][0] == TICK


# Visibility.

def seen(ranges):
    return np.asarray(ranges, dtype=float), np.array((0.0, 0.0, 0.0, math.radians(1.0)))


@pytest.mark.parametrize('x, y, visible', [
    (1.0, 0.0, True), (3.0, 0.0, False), (0.0, 3.0, True), (SIGHT_DISTANCE / 2.0, 0.0, True)])
def test_place_behind_an_obstacle_is_not_in_sight(x, y, visible):
    ranges = np.full(360, math.inf)
    ranges[:30] = ranges[-30:] = 1.5
    assert is_in_sight(*seen(ranges), x, y, 0.15) is visible


def test_disc_is_in_sight_only_if_it_is_visible_as_a_whole():
    ranges = np.full(360, math.inf)
    ranges[4:40] = 1.0          # hides places slightly to the left of the heading
    assert not is_in_sight(*seen(ranges), 2.0, 0.0, 0.2)
    assert is_in_sight(*seen(ranges), 2.0, 0.0, 0.1)


def test_place_without_beams_is_hidden_by_nothing():
    assert is_in_sight(*seen(np.full(90, 3.0)), 1.4, 1.4, 0.2)
    assert is_in_sight(*seen(np.full(90, 3.0)), -2.0, 0.0, 0.1)      # see the observed area
    assert is_in_sight(*seen(np.full(359, 3.0)), 2.0, 0.0, 0.2)     # across a full turn
    assert is_in_sight(*seen(np.full(360, math.nan)), 2.0, 0.0, 0.2)


# Areas that were not observed.

def blind_area():
    """Return the area of a robot whose four rangers have measured nothing."""
    area = ObservedArea(BURGER.robot_radius)
    for k in range(4):
        mount = Pose(0.0, 0.0, k * math.pi / 2)
        area.add(Scan(0.0, np.array([math.nan]), 0.0, 0.3, 0.0, 2.0, mount), IDENTITY)
    return area


def test_robot_looks_around_once_and_then_drives_slowly_in_an_unobserved_area():
    driver, area, turned = Driver(), blind_area(), 0.0
    monitor, wish = driver.monitor, Twist(BURGER.max_vel_x, 0.0)
    driver.clip(wish, observed=area)
    while monitor.is_looking:
        assert monitor.command.v == 0.0 and turned < 2.0 * math.pi
        driver.drive()
        turned += abs(monitor.command.w) * TICK
        driver.clip(wish, observed=area)
    assert area.max_gap <= turned < 1.5 * area.max_gap
    driver.clip(wish, observed=area)
    assert monitor.command.v == pytest.approx(UNOBSERVED_SPEED * BURGER.max_vel_x)


@pytest.mark.parametrize('ahead', [0.35, 0.4, 0.45])
@pytest.mark.parametrize('side', [1.0, -1.0])
def test_robot_that_brakes_to_look_around_keeps_clear_of_what_it_would_pass(ahead, side):
    # It turned while it still drove, on an arc that nothing had checked.
    driver = driving(FAST, Twist(2.0, 0.0), 1.0)[0]
    across = FAST.robot_radius + MARGIN + 0.001
    posts = np.array([[driver.pose.x + ahead, side * across]])
    blind = blind_area()
    while True:
        driver.clip(Twist(2.0, 0.0), posts, observed=blind)
        driver.drive()
        assert np.hypot(*(posts[0] - driver.motion[:2])) > FAST.robot_radius + 0.5 * MARGIN
        if not driver.motion[3]:
            break
    assert driver.monitor.is_looking


def area_of_view(degrees: int, seen: float) -> ObservedArea:
    """Return the area of a lidar with a field of view that has seen equally far everywhere."""
    area, first = ObservedArea(BURGER.robot_radius), -math.radians(degrees) / 2.0
    area.add_view(Scan(0.0, np.full(degrees, seen), first, math.radians(1.0), 0.0, 3.5), IDENTITY)
    return area


def test_lidar_whose_way_came_into_view_looks_on_for_another_way_from_the_same_place():
    # It stood until its goal ended as blocked.
    driver, wish = Driver(FAST), Twist(2.0, 0.0)
    driver.clip(wish, observed=area_of_view(120, 0.0))
    assert driver.monitor.is_looking
    driver.drive()
    driver.clip(wish, observed=area_of_view(360, 3.0))
    assert not driver.monitor.is_looking
    driver.clip(wish, observed=area_of_view(120, 0.0))
    assert driver.monitor.is_looking


def test_stopped_robot_does_not_look_around():
    driver = Driver()
    driver.clip(Twist(0.1, 0.0), observed=blind_area())
    assert driver.monitor.is_looking
    driver.monitor.stop()
    assert not driver.monitor.is_looking and driver.state['command'].tolist() == [[0.0, 0.0, 0.0]]


def test_robot_that_looks_around_does_not_turn_back_with_the_algorithm():
    driver = Driver()
    assert driver.clip(Twist(0.0, -0.5), observed=blind_area()).w < 0.0
    assert not driver.monitor.is_looking  # a turn on the spot needs no look
    side = driver.clip(Twist(0.1, 0.0), observed=blind_area()).w
    for _ in range(10):
        driver.drive()
        driver.clip(Twist(0.0, -math.copysign(0.5, side)), observed=blind_area())
        assert driver.monitor.is_looking
    assert driver.monitor.command.w * side > 0.0


# Hostile plug-ins.

@pytest.mark.parametrize('way', BEHAVIORS)
@pytest.mark.parametrize('variant', ROBOT_VARIANTS)
def test_hostile_plugin_causes_no_contact(variant, way):
    for seed in range(2):
        assert drive(variant, way, seed, 8.0).contacts == 0


def test_fast_robot_does_not_drive_into_a_wall_at_a_grazing_angle():
    # The readings on the wall ahead are far apart, and at 1.9 m/s no second scan confirms them.
    assert drive('burger at 2 m/s', 'spinning', 205046584, 2.0).contacts == 0


# Dynamic obstacles.

def dynamic_obstacle(x, y, velocity, followed=True):
    return DynamicObstacle(
        np.array([(x, y)]), velocity, math.hypot(*velocity) if followed else INITIAL_SPEED,
        followed)


@pytest.mark.parametrize('thing, stands', [
    (dynamic_obstacle(0.9, 0.0, (-1.5, 0.0)), True),
    (dynamic_obstacle(0.1, 0.9, (0.0, -1.5)), True),            # from the side
    (dynamic_obstacle(-0.1, 0.9, (0.0, -1.5)), True),
    (dynamic_obstacle(-0.1, 0.25, (0.0, -0.2)), False),         # the robot drives away from it
    (dynamic_obstacle(-0.05, 0.25, (0.2, 0.0)), True),          # it overtakes the robot
    (dynamic_obstacle(-0.3, 0.0, (0.0, 0.0), False), True),
    (dynamic_obstacle(1.6, 0.0, (-1.5, 0.0)), False),
    (dynamic_obstacle(0.9, 0.0, (1.5, 0.0)), False),            # it moves away
    (dynamic_obstacle(0.9, 0.0, (0.0, 0.0), False), True),      # seen for the first time
    (dynamic_obstacle(0.6, 0.0, (0.0, 0.2)), False),
    (dynamic_obstacle(0.25, 0.0, (0.0, 0.0)), True),            # it may start to move
    (dynamic_obstacle(-0.25, 0.0, (0.0, 0.0)), False)])
def test_robot_yields_before_a_dynamic_obstacle_can_reach_it(thing, stands):
    driver = Driver()
    driver.clip(Twist(0.22, 0.0))
    assert driver.monitor.must_yield((thing,), 0.2) is stands
    assert not driver.monitor.must_yield((), 0.2)


@pytest.mark.parametrize('wish', [STOP, Twist(0.0, 1.0)])
def test_robot_that_stands_or_turns_on_the_spot_need_not_yield(wish):
    driver = Driver()
    driver.clip(wish)
    assert not driver.monitor.must_yield((dynamic_obstacle(0.25, 0.0, (-1.5, 0.0)),), 0.2)


@pytest.mark.parametrize('twist, x, stands', [
    (Twist(0.22, 2.0), -0.03, True), (Twist(0.22, -2.0), -0.03, False),  # to its side, or away
    (Twist(0.22, 0.0, -5.0), 0.05, True)])  # the wheels obey the forward part alone
def test_robot_leaves_an_obstacle_only_in_the_direction_in_which_it_drives(twist, x, stands):
    driver = driving(BURGER, twist)[0]
    thing = dynamic_obstacle(*driver.pose.apply((x, 0.25)), (0.0, 0.0))
    driver.clip(twist)
    assert driver.monitor.must_yield((thing,), 0.2) is stands


def test_robot_may_leave_an_obstacle_only_if_it_leaves_every_near_part_of_it():
    driver = Driver()
    driver.clip(Twist(0.22, 0.0))
    leaf = [(-0.2, 0.15), (-0.1, 0.2), (1.0, 0.6)]
    thing = dynamic_obstacle(0.0, 0.0, (0.0, 0.0))
    assert not driver.monitor.must_yield((thing._replace(points=np.array(leaf)),), 0.2)
    leaf[2] = 0.1, 0.22
    assert driver.monitor.must_yield((thing._replace(points=np.array(leaf)),), 0.2)


@pytest.mark.parametrize('direction', [180.0, 135.0, 90.0])  # head-on, or crossing its way
@pytest.mark.parametrize('speed', [0.0, 0.5, 1.5])
@pytest.mark.parametrize('model', [BURGER, *(
    RobotModel(robot_radius=0.35, max_vel_x=speed, max_wheel_vel=3.0, acc_lim_x=braking)
    for speed, braking in ((2.0, 5.0), (1.5, 1.0)))])
def test_robot_stands_before_an_obstacle_ahead_reaches_it(model, speed, direction):
    full, lag, heading = Twist(model.max_vel_x, 0.0), TICK, math.radians(direction)
    velocity = speed * math.cos(heading), speed * math.sin(heading)
    driver, until = driving(model, full)[0], 4.0
    meeting = driver.pose.x + until * model.max_vel_x
    while driver.motion[3] > 0.0 and until > -4.0:
        before = until + lag
        thing = dynamic_obstacle(meeting - before * velocity[0], -before * velocity[1], velocity)
        driver.clip(full)
        if driver.monitor.must_yield((thing,), lag):
            driver.monitor.stop()
        driver.drive()
        until -= TICK
        assert math.dist((meeting - until * velocity[0], -until * velocity[1]),
                         driver.pose.position) > model.robot_radius


@pytest.mark.parametrize('wish, away, stands', [
    (Twist(0.2, 0.0), 0.225, True), (Twist(0.2, 0.0), 0.3, False), (STOP, 0.225, False)])
def test_stopped_robot_yields_to_a_dynamic_obstacle_in_its_way(wish, away, stands):
    driver = Driver()
    thing = dynamic_obstacle(-away, 0.0, (-2.0, 0.0))    # it moves away
    driver.clip(wish, np.array([(0.13, 0.0)]))  # a wall that stops the robot, too
    assert driver.monitor.command == STOP
    assert driver.monitor.must_yield((thing,), 0.0) is stands


def test_robot_is_slow_near_a_standing_person():
    person = np.array([(0.4, 0.0)])
    twist = driving(BURGER, Twist(0.22, 0.0), 1.0, new_points=person)[0].monitor.command
    assert twist.v == pytest.approx(SPEED_NEAR_PERSON)


# Invalid velocities, other bases, and the visible range.

def test_small_robot_with_contact_sensing_passes_a_wall_on_its_contour():
    model, settings = RobotModel(robot_radius=0.05), Settings(sensing='contact')
    assert limits_of(model, settings)['guarded_radius'] < contour_radius(model, settings)


def test_non_finite_velocity_is_rejected_and_changes_nothing():
    driver = driving(BURGER, Twist(0.1, 0.2), 1.0)[0]
    assert driver.clip(Twist(math.inf, 0.5)) is None
    assert driver.monitor.wanted == Twist(math.inf, 0.5)
    assert driver.monitor.command == Twist(*driver.state['command'][0]) == Twist(0.1, 0.2)


def test_omnidirectional_base_brakes_for_a_wall_at_its_side():
    model = RobotModel(base='omni', max_vel_x=1.0, max_wheel_vel=2.0)
    wall = np.stack((np.linspace(-1.0, 1.0, 200), np.full(200, 0.8)), axis=1)
    driver, pose, motion = driving(model, Twist(0.0, 0.0, 1.0), 3.0, wall)
    assert motion.v == 0.0 and 0.5 < pose.y <= 0.8 - model.robot_radius - MARGIN + 1e-3
    assert driving(BURGER, Twist(0.1, 0.0, 1.0))[2].u == 0.0


@pytest.mark.parametrize('reach, speed', [(0.5, 0.3), (math.inf, 1.0)])
def test_speed_allows_the_robot_to_stop_within_its_visible_range(reach, speed):
    view = np.full(360, reach), np.array((0.0, 0.0, 0.0, math.radians(1.0)))
    model = RobotModel(max_vel_x=1.0, max_wheel_vel=1.0)
    motion = driving(model, Twist(1.0, 0.0), 2.0, view=view)[2]
    assert motion.v == pytest.approx(speed, abs=0.07)
