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

"""The lifecycle: when goals are accepted, and how the node ends."""

import signal

from bug_nav.ros.qos import LATCHED
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Twist
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
import pytest
from ros_harness import moves, NODE
from visualization_msgs.msg import MarkerArray

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open')
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.navigator = stack.start(NODE, use_sim_time=True)
    return stack


def test_goals_are_accepted_only_while_active(stack):
    assert stack.state() == 'unconfigured'
    assert not stack.node.get_publishers_info_by_topic('/cmd_vel')
    for transition, state in (('configure', 'inactive'), ('activate', 'active')):
        del stack.commands[:]
        assert stack.transition(transition)
        assert stack.state() == state
        assert stack.send(0.0, 0.0).accepted is (state == 'active')
        # The robot must not execute an earlier command, perhaps of a dead node.
        stack.wait(lambda: stack.commands)
        assert not any(map(moves, stack.commands))
    assert stack.send(0.5, 0.0).end()[1] == 'REACHED'

    under_way = stack.send(2000.0, 0.0).under_way()
    assert stack.transition('deactivate')
    status, outcome, message = under_way.end()
    assert (status, outcome) == ('ABORTED', 'CANCELED')
    assert 'deactivated' in message
    stack.wait(lambda: not moves(stack.commands[-1]))
    assert not stack.send(1.0, 0.0).accepted

    assert stack.transition('cleanup')
    assert stack.state() == 'unconfigured'
    assert not stack.send(1.0, 0.0).accepted
    assert stack.transition('configure') and stack.transition('activate')
    # How far the robot has driven in the open, and so how sure it is, depends on the machine.
    assert stack.send(1.0, 0.0).end()[1] in ('REACHED', 'REACHED_UNCERTAIN')


def test_node_logs_what_to_do_and_then_its_action_and_topics(stack):
    stack.wait(lambda: 'unconfigured: configure and activate it, or set autostart\n'
               in stack.navigator.output)
    assert stack.state() == 'active'
    stack.wait(lambda: 'active: serves /navigate_bug, listens to /scan and /odom\n'
               in stack.navigator.output)
    stack.wait(lambda: 'no_return is auto, beam_order is auto; ' in stack.navigator.output)
    stack.wait(lambda: "lidar 'base_scan' on 'base_footprint': x -0.032 m" in
               stack.navigator.output)


def test_deactivated_node_is_shown_as_inactive(stack):
    heard = stack.listen(DiagnosticArray, '/diagnostics')
    shown = stack.listen(MarkerArray, 'bug_navigator/markers', LATCHED)

    def tells(state):
        return (any(each.value == state for each in heard[-1].status[0].values)
                and any(state in marker.text for marker in shown[-1].markers))
    assert stack.transition('deactivate')
    stack.wait(lambda: heard and shown and tells('inactive'))
    assert stack.transition('activate')
    stack.wait(lambda: tells('ready'))


def test_invalid_transition_is_rejected_and_keeps_the_goal(stack):
    assert stack.state() == 'active'
    under_way = stack.send(2000.0, 0.0).under_way()
    for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE, 99):
        request = ChangeState.Request(transition=Transition(id=transition))
        assert not stack.call(ChangeState, f'{stack.name}/change_state', request).success
    assert stack.state() == 'active' and not under_way.has_ended
    under_way.cancel()
    assert under_way.end()[:2] == ('CANCELED', 'CANCELED')


def test_goal_pose_of_rviz_drives_the_robot(stack):
    publisher = stack.publisher(PoseStamped, 'goal_pose')
    assert stack.state() == 'active'
    goal = PoseStamped()
    goal.pose.position.x, goal.pose.position.y, goal.pose.orientation.w = 1.5, 0.5, 1.0
    publisher.publish(goal)
    stack.wait(lambda: "new goal: (1.50, 0.50) in 'odom'" in stack.navigator.output)
    stack.wait(lambda: 'reached' in stack.navigator.output.rpartition('new goal: (1.50, 0.50)')[2])
    stack.transition('deactivate')
    publisher.publish(goal)
    stack.wait(lambda: 'a goal on goal_pose was dropped' in stack.navigator.output)
    assert stack.transition('activate')


def test_shutdown_during_a_goal_stops_the_robot(stack):
    under_way = stack.send(2000.0, 0.0).under_way()
    assert stack.transition('shutdown')
    assert stack.state() == 'finalized'
    assert under_way.end()[:2] == ('ABORTED', 'CANCELED')
    stack.wait(lambda: not moves(stack.commands[-1]))
    stack.navigator.signal(signal.SIGINT)
    assert stack.navigator.wait() == 0


@pytest.mark.parametrize('number, x', [(signal.SIGINT, 2000.0), (signal.SIGTERM, -2000.0)])
def test_signal_during_a_goal_stops_the_robot_and_ends_the_goal(stack, number, x):
    navigator = stack.start_navigator()
    del stack.commands[:]
    under_way = stack.send(x, 0.0).under_way()
    stack.wait(lambda: any(map(moves, stack.commands)))
    navigator.signal(number)
    status, outcome, message = under_way.end()
    assert (status, outcome) == ('ABORTED', 'CANCELED')
    assert 'shut down' in message
    assert navigator.wait() == 0
    stack.wait(lambda: not moves(stack.commands[-1]))
    assert 'Traceback' not in navigator.output
