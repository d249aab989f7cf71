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


"""Scan matching corrects drifting odometry without a localizer, over real DDS."""

import math

from bug_nav.messages.sensor_messages import odometry_pose, planar, seconds
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.ros.qos import LATCHED
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
import pytest
from visualization_msgs.msg import MarkerArray

pytestmark = pytest.mark.ros
# With 5 % noise, 1 of 200 runs ends 1 m off: frames are the subject here, not matching.
DRIFTING = {'odometry': 'encoders', 'odometry_bias': 0.01, 'odometry_noise': 0.02}


class World:
    """Ground truth and odometry drift of the simulated robot."""

    def __init__(self, stack):
        self._stack = stack
        self._truth = stack.listen(PoseStamped, 'ground_truth')
        self._odometry = stack.listen(Odometry, 'odom')

    def catch_up(self):
        """Receive the messages until the robot stands: the simulator outpaces them."""
        self._stack.wait(lambda: all(len(heard) > 1 and heard[-1].pose == heard[-2].pose
                                     for heard in (self._truth, self._odometry)))

    @property
    def robot(self):
        return planar(self._truth[-1].pose)

    def robot_at(self, stamp):
        """Return the pose of the robot at a time [s]."""
        def off(told):
            return abs(seconds(told.header.stamp) - stamp)
        return planar(min(self._truth, key=off).pose)

    @property
    def drift(self):
        """Return the current pose of the odometry frame in the world."""
        return self.robot.compose(odometry_pose(self._odometry[-1]).inverse())


@pytest.fixture
def drive(make_stack):
    """Return a function that drives to a goal in a world, and returns the stack."""
    def run(world, goal, **parameters):
        stack = make_stack()
        stack.start_sim(world=world, **DRIFTING)
        # The simulator runs ahead of tf messages on a busy machine.
        stack.start_navigator(transform_tolerance=2.0, **parameters)
        stack.world = World(stack)
        stack.markers = stack.listen(MarkerArray, 'bug_navigator/markers', LATCHED)
        stack.sent = stack.send(*goal)
        _, stack.outcome, stack.message = stack.sent.end(timeout=240.0)
        stack.world.catch_up()
        return stack
    return run


def shown(stack, name):
    """Return the points of a marker in the world."""
    marker = next(marker for marker in stack.markers[-1].markers if marker.ns == name)
    where = stack.world.drift.compose(planar(marker.pose))
    return [where.apply((point.x, point.y)) for point in marker.points] or [where.position]


def test_goal_in_odom_keeps_its_position_while_odometry_drifts(drive):
    goal = (6.0, 0.2)
    stack = drive('u_trap', goal)
    assert stack.outcome == 'REACHED', stack.message
    assert math.dist(stack.world.robot.position, goal) < 0.3
    assert math.dist(stack.world.drift.apply(goal), goal) > 0.5  # its position by odometry alone
    assert 0.0 < stack.sent.result.uncertainty < 0.1
    told = stack.sent.feedback[-1].current_pose  # may be seconds old on a busy machine
    then = stack.world.robot_at(seconds(told.header.stamp))
    assert math.dist(planar(told.pose).position, then.position) < 0.3
    stack.wait(lambda: any('reached' in marker.text for marker in stack.markers[-1].markers))
    assert math.dist(shown(stack, 'goal')[0], goal) < 0.3
    assert math.dist(shown(stack, 'm_line')[1], goal) < 0.3


def test_goal_in_a_ring_is_proven_unreachable_while_odometry_drifts(drive):
    goal = (4.5, 0.1)
    stack = drive('ring_goal', goal)
    assert stack.outcome == 'UNREACHABLE', stack.message
    assert math.hypot(*stack.world.drift.position) > 0.5  # the start by odometry alone
    stack.wait(lambda: any(marker.ns == 'certificate' for marker in stack.markers[-1].markers))
    chain = shown(stack, 'certificate')[:-1]
    assert is_proof(chain, stack.world.robot.position, goal, stack.sent.result.contour_radius)


@pytest.mark.slow
def test_goal_drifts_with_odometry_without_drift_correction(drive):
    goal = (6.0, 0.2)
    stack = drive('u_trap', goal, drift_correction='none')
    assert math.isnan(stack.sent.result.uncertainty)
    assert stack.outcome != 'REACHED' or math.dist(stack.world.robot.position, goal) > 0.5
    assert shown(stack, 'goal')[0] == pytest.approx(stack.world.drift.apply(goal))


@pytest.mark.slow
def test_drift_correction_parameter_applies_to_the_next_goal(make_stack):
    stack = make_stack()
    stack.start_sim(world='pole', **DRIFTING)
    stack.start_navigator()
    assert not math.isnan(uncertainty_of_goal(stack, 1.0))
    assert stack.set_parameters(drift_correction='none') == ''
    assert math.isnan(uncertainty_of_goal(stack, 0.0))
    assert 'scan_matching, none' in stack.set_parameters(drift_correction='hope')


def uncertainty_of_goal(stack, x):
    sent = stack.send(x, 0.0)
    sent.end()
    return sent.result.uncertainty
