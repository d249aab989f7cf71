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

"""A localizer corrects drifting odometry in jumps while the robot drives, over real tf2."""

import math

import pytest
from tf2_msgs.msg import TFMessage

pytestmark = pytest.mark.ros
DRIFTING = {'odometry': 'velocity', 'odometry_noise': 0.1, 'odometry_bias': 0.05,
            'localizer_period': 2.0}


def newest_correction(heard):
    """Return the distance of the odometry frame from the map frame [m]."""
    corrections = [each.transform.translation for message in heard for each in message.transforms
                   if each.header.frame_id == 'map']
    return math.hypot(corrections[-1].x, corrections[-1].y) if corrections else 0.0


@pytest.mark.parametrize('world, goal, ends', [
    ('u_trap', (6.0, 0.2), 'REACHED'), ('ring_goal', (4.5, 0.1), 'UNREACHABLE')])
def test_goal_in_the_map_has_the_expected_outcome_while_odom_moves(make_stack, world, goal, ends):
    stack = make_stack()
    stack.start_sim(world=world, **DRIFTING)
    # The simulator runs ahead of tf messages on a busy machine.
    navigator = stack.start_navigator(global_frame='map', transform_tolerance=2.0)
    heard = stack.listen(TFMessage, '/tf')
    sent = stack.send(*goal, frame='map')
    _, outcome, message = sent.end(timeout=180.0)
    assert outcome == ends, message
    assert math.isnan(sent.result.uncertainty)  # scan matching is off
    assert ("lidar 'base_scan' on 'base_footprint': x -0.032 m, y 0.000 m, yaw 0 degrees, from "
            'the transforms') in navigator.output
    stack.wait(lambda: newest_correction(heard) > 0.05)  # the result may overtake the transforms


@pytest.mark.slow
def test_goal_sent_before_the_transforms_waits_for_them(make_stack):
    stack = make_stack()
    navigator = stack.start('bug_nav.ros.node.main', autostart=True, use_sim_time=True,
                            global_frame='map', transform_tolerance=2.0, give_up_timeout=20.0)
    stack.wait(lambda: stack.state() == 'active')
    sent = stack.send(0.6, 0.0, frame='map')
    stack.start_sim(world='open', **DRIFTING)
    assert sent.end()[1] == 'REACHED', navigator.output
