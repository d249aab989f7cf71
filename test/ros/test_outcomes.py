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

"""Every outcome of the action, seen by a real action client."""

import math
import signal

from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.ros.node.server import RESULT_TIMEOUT
from bug_nav_msgs.action import NavigateBug
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import Odometry
import pytest
from ros_harness import moves, write_plugin
from rosgraph_msgs.msg import Clock

pytestmark = pytest.mark.ros
DEFAULTS = {'scan_timeout': 0.6, 'odom_timeout': 0.3, 'give_up_timeout': 2.0,
            'movement_time_allowance': 10.0, 'required_movement_radius': 0.5,
            'pause_timeout': 600.0}

AWAY = -2000.0, 0.0
"""A goal too far away to be reached during a test, because lockstep is faster than real time."""

RAISING = """
import sys

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.types import Result


class Faulty(Algorithm):
    metadata = Bug2.metadata


class Raising(Faulty):
    def run(self, robot):
        yield robot.along(robot.goal_heading)
        raise KeyError('a fault of the plug-in')


class Wild(Faulty):
    def run(self, robot):
        yield (float('nan'), 0.0)


class Mistaken(Faulty):
    def run(self, robot):
        yield move_to_goal(robot)


class Unborn(Faulty):
    def __init__(self, parameters=None):
        raise RuntimeError('cannot be made')

    def run(self, robot):
        yield


class Leaving(Faulty):
    def run(self, robot):
        yield robot.along(robot.goal_heading)
        sys.exit(3)


class Misnaming(Faulty):
    def run(self, robot):
        yield robot.to_goal()
        return Result('unreachable', 'there is no way')


class Recording(Faulty):
    def run(self, robot):
        yield robot.to_goal()
        robot.ledger.events.append('a hit')
        yield robot.to_goal()


class Bare(Algorithm):
    def run(self, robot):
        yield robot.to_goal()


def function(robot):
    yield robot.to_goal()
"""
ENTRY_POINTS = """[bug_nav.algorithms]
raising = raising_plugin:Raising
wild = raising_plugin:Wild
unborn = raising_plugin:Unborn
mistaken = raising_plugin:Mistaken
leaving = raising_plugin:Leaving
misnaming = raising_plugin:Misnaming
recording = raising_plugin:Recording
bare = raising_plugin:Bare
function = raising_plugin:function
exiting = exiting_plugin:Exiting
bug2 = raising_plugin:Bare
missing = no_such_module:Nothing
"""


@pytest.fixture(scope='module')
def plugin_path(tmp_path_factory):
    """Return the folder of a third-party package with entry points."""
    folder = tmp_path_factory.mktemp('site')
    write_plugin(folder, 'raising', RAISING, ENTRY_POINTS)
    (folder / 'exiting_plugin.py').write_text('import sys\nsys.exit(3)\n')
    return folder


@pytest.fixture(scope='module')
def running(make_stack, plugin_path):
    stack = make_stack()
    stack.start_sim(world='ring_goal')
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.navigator = stack.start_navigator(path=plugin_path)
    return stack


@pytest.fixture
def stack(running):
    """Return the stack with the robot at the start and all sensors working."""
    assert running.set_parameters(
        '/bug_sim', publish_scan=True, publish_odom=True, publish_clock=True) == ''
    assert running.set_parameters(**DEFAULTS) == ''
    running.reset_sim()
    del running.commands[:]
    yield running
    running.wait(lambda: running.commands and not moves(running.commands[-1]))
    assert not running.navigator.ended


def test_goal_in_the_open_is_reached(stack):
    sent = stack.send(1.5, 0.0)
    assert sent.end() == ('SUCCEEDED', 'REACHED', '')
    result = sent.result
    assert result.error_code == NavigateBug.Result.NONE
    assert result.path_length == pytest.approx(1.4, abs=0.1)
    assert result.frame_id == 'odom'
    assert result.number_of_hits == 0
    assert 5 < result.total_elapsed_time.sec < 15
    assert sent.feedback[0].state_name == 'bug2/motion_to_goal'
    assert sent.feedback[0].state == NavigateBug.Feedback.MOTION_TO_GOAL
    # Rounded to 1 mm: the robot first turns, and not exactly about its center.
    distances = [round(feedback.distance_remaining, 3) for feedback in sent.feedback]
    assert distances == sorted(distances, reverse=True)


def test_goal_in_a_closed_ring_is_unreachable(stack):
    sent = stack.send(4.0, 0.0)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'UNREACHABLE')
    assert 'the closed lap separates the robot' in message
    result = sent.result
    assert result.error_code == 9100 + NavigateBug.Result.UNREACHABLE
    assert result.lap_length > 10.0
    assert result.contour_radius == pytest.approx(0.224)
    chain = [(place.x, place.y) for place in result.certificate]
    assert len(chain) > 30 and is_proof(chain, (0.0, 0.0), (4.0, 0.0), result.contour_radius)
    assert result.number_of_hits == len(result.hit_points) == 1
    assert (result.hit_points[0].kind, result.hit_points[0].index) == (1, 1)
    states = {feedback.state for feedback in sent.feedback}
    assert {NavigateBug.Feedback.MOTION_TO_GOAL, NavigateBug.Feedback.BOUNDARY_FOLLOWING} <= states


def test_time_allowance_ends_as_timeout(stack):
    sent = stack.send(1.5, 0.0, time_allowance=Duration(sec=2))
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'TIMEOUT')
    assert '2 s' in message
    assert sent.result.total_elapsed_time.sec == 2


def test_client_cancels_the_goal(stack):
    sent = stack.send(*AWAY).under_way()
    assert len(sent.cancel().goals_canceling) == 1
    assert sent.end()[:2] == ('CANCELED', 'CANCELED')


def test_newer_goal_supersedes_the_current_one(stack):
    first = stack.send(*AWAY).under_way()
    second = stack.send(0.0, 1.0)
    assert first.end()[:2] == ('ABORTED', 'SUPERSEDED')
    assert 'newer' in first.result.error_msg
    # How far the robot has driven in the open, and so how sure it is, depends on the machine.
    assert second.end()[1] in ('REACHED', 'REACHED_UNCERTAIN')


def test_only_the_last_of_many_goals_is_reached(stack):
    sent = [stack.send(1.5, 0.1 * i) for i in range(10)]
    *others, last = [goal.end()[1] for goal in sent]
    assert others == ['SUPERSEDED'] * 9 and last in ('REACHED', 'REACHED_UNCERTAIN')


def test_missing_scans_stop_the_robot_and_end_the_goal(stack):
    sent = stack.send(*AWAY).under_way()
    stack.set_parameters('/bug_sim', publish_scan=False)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'SCAN_STALE')
    assert '/scan' in message
    assert 'bug2/motion_to_goal/waiting_for_scan' in [f.state_name for f in sent.feedback]
    assert sent.feedback[-1].state == NavigateBug.Feedback.HOLDING


def test_goal_without_scans_ends_before_the_robot_moves(stack):
    stack.set_parameters('/bug_sim', publish_scan=False)
    stack.send(1.5, 0.0).end()  # after this goal, all scans are stale
    sent = stack.send(1.5, 0.0)
    assert sent.end()[1] == 'SCAN_STALE'
    assert sent.result.path_length == 0.0


def test_goal_far_out_in_the_open_is_reached_uncertainly_and_succeeds(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=5.0)
    stack.start_navigator()
    status, outcome, message = stack.send(4.0, 0.0).end()
    assert (status, outcome) == ('SUCCEEDED', 'REACHED_UNCERTAIN')
    assert 'the position is only known to' in message


def test_goal_continues_when_scans_return(make_stack):
    stack = make_stack()
    # In real time, the test acts before the goal is reached and before give_up_timeout.
    stack.start_sim(world='open', real_time_factor=1.0)
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.start_navigator(give_up_timeout=60.0, movement_time_allowance=600.0)
    sent = stack.send(1.5, 0.0).under_way()
    stack.set_parameters('/bug_sim', publish_scan=False)
    stack.wait(lambda: sent.feedback[-1].state == NavigateBug.Feedback.HOLDING)
    stack.wait(lambda: not moves(stack.commands[-1]))
    stack.set_parameters('/bug_sim', publish_scan=True)
    assert sent.end()[1] == 'REACHED'


def test_goal_continues_after_a_suspension_of_the_process(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=1.0)
    navigator = stack.start_navigator()
    sent = stack.send(1.2, 0.0).under_way()
    clock = stack.listen(Clock, '/clock')
    navigator.signal(signal.SIGSTOP)
    stack.wait(lambda: clock and clock[-1].clock.sec - clock[0].clock.sec > 3)
    navigator.signal(signal.SIGCONT)
    assert sent.end()[1] == 'REACHED', navigator.output


def test_missing_odometry_ends_the_goal(stack):
    sent = stack.send(*AWAY).under_way()
    stack.set_parameters('/bug_sim', publish_odom=False)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'ODOM_STALE')
    assert '/odom' in message


@pytest.mark.parametrize('frame', ['mars', 'mars' * 100_000], ids=['name', 'endless'])
def test_error_of_a_goal_in_an_unknown_frame_names_both_frames(stack, frame):
    sent = stack.send(1.0, 0.0, frame=frame)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'TF_ERROR')
    assert "'mars" in message and "'odom'" in message and len(message) < 600


def test_goal_in_the_frame_of_the_robot_is_reached_where_it_was_at_the_start(stack):
    assert stack.send(0.4, 0.0, frame='base_footprint').end()[1] == 'REACHED'


def test_result_of_a_long_goal_is_kept_for_late_requests(stack):
    sent = stack.send(4.0, 0.0)
    assert sent.end()[1] == 'UNREACHABLE'
    assert sent.result.total_elapsed_time.sec > RESULT_TIMEOUT
    for _ in range(2):
        stack.send(0.0, 0.0).end()
    late = stack.wait_for(sent.handle.get_result_async())
    assert late.result == sent.result


@pytest.mark.parametrize('fields, word', [
    ({'x': math.nan}, 'finite'), ({'y': math.inf}, 'finite'), ({'x': 2e4}, '10 km'),
    ({'algorithm': 'bug22'}, "did you mean 'bug2'"),
    ({'algorithm': 'missing'}, "No module named 'no_such_module'"),
    ({'algorithm': 'bare'}, 'has no metadata'), ({'algorithm': 'function'}, 'type function'),
    ({'algorithm': 'exiting'}, 'its import ends the program with 3'),
    ({'algorithm': 'k_bug', 'turn_direction': 'left'}, 'chooses it itself'),
    ({'turn_direction': 'up'}, 'left, right'), ({'yaw_goal_tolerance': math.nan}, 'finite'),
    ({'xy_goal_tolerance': -0.1}, 'allowed is 0.01 to'),
    ({'xy_goal_tolerance': 90.0}, 'allowed is 0.01 to'),
    ({'time_allowance': Duration(sec=-1)}, 'time_allowance'),
    ({'algorithm': 'x' * 100_000}, 'xxx...'), ({'turn_direction': 'x' * 100_000}, 'xxx...'),
], ids=lambda value: str(value) if isinstance(value, str) else None)
def test_invalid_goal_is_rejected_with_the_reason(stack, fields, word):
    sent = stack.send(**fields)
    assert sent.accepted
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'BAD_GOAL')
    assert word in message and '\n' not in message and len(message) < 600
    assert len(stack.navigator.output) < 100_000


def test_orientation_that_is_not_finite_is_a_bad_goal(stack):
    goal = NavigateBug.Goal()
    goal.pose.pose.orientation.z = math.nan
    assert stack.send_goal(goal).end()[1] == 'BAD_GOAL'


def test_robot_without_progress_is_blocked(make_stack):
    stack = make_stack()
    # The robot receives no commands, as if its brakes were on.
    stack.start_sim('-r', 'cmd_vel:=elsewhere', world='open', real_time_factor=1.0)
    stack.start_navigator(movement_time_allowance=1.0)
    status, outcome, message = stack.send(1.5, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'BLOCKED')
    assert 'moved only' in message and 'no node subscribes to /cmd_vel' in message


def test_blocked_goal_names_the_type_that_the_robot_expects(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=1.0, enable_stamped_cmd_vel=True)
    stack.start_navigator(movement_time_allowance=1.0)
    status, outcome, message = stack.send(1.5, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'BLOCKED')
    assert 'moved only' in message and 'set enable_stamped_cmd_vel to true' in message


def test_clock_reset_ends_the_goal(stack):
    sent = stack.send(*AWAY).under_way(0.5)
    stack.reset_sim()
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'TIME_JUMPED')
    assert 'jumped back' in message
    assert stack.send(0.5, 0.0).end()[1] == 'REACHED'


def test_stopped_clock_ends_the_goal_after_the_pause_timeout(stack):
    assert stack.set_parameters(pause_timeout=3.0) == ''
    sent = stack.send(*AWAY).under_way()
    stack.set_parameters('/bug_sim', publish_clock=False)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'TIME_JUMPED')
    assert 'the clock has stopped at' in message


def test_odometry_jump_ends_the_goal(stack):
    publisher = stack.publisher(PoseWithCovarianceStamped, 'initialpose')
    sent = stack.send(*AWAY).under_way()
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.y = -1.0
    publisher.publish(message)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'ODOM_JUMPED')
    assert 'odometry jumped' in message


@pytest.mark.parametrize('algorithm, word', [
    ('raising', 'KeyError'), ('unborn', 'RuntimeError: cannot be made'),
    ('recording', "'str' object has no attribute 'kind'")])
def test_plug_in_fault_ends_the_goal_but_not_the_node(stack, algorithm, word):
    status, outcome, message = stack.send(1.5, 0.0, algorithm=algorithm).end()
    assert (status, outcome) == ('ABORTED', 'INTERNAL')
    assert word in message
    assert 'Traceback' in stack.navigator.output
    sent = stack.send(0.5, 0.0)
    assert sent.end()[1] == 'REACHED'


@pytest.mark.parametrize('algorithm, start', [
    ('leaving', 'Leaving has called sys.exit(3) ('),
    ('misnaming', "Misnaming has ended with a Result in which the outcome 'unreachable' is not"),
    ('mistaken', 'Mistaken has yielded the generator move_to_goal(...) instead of an intent'),
    ('wild', 'Wild has yielded (nan, 0.0) instead of an intent')])
def test_mistake_in_a_plug_in_ends_the_goal_with_one_sentence(stack, algorithm, start):
    before = stack.navigator.output.count('Traceback')
    status, outcome, message = stack.send(1.5, 0.0, algorithm=algorithm).end()
    assert (status, outcome) == ('ABORTED', 'INTERNAL')
    assert message.startswith(start)
    assert stack.navigator.output.count('Traceback') == before


def test_goal_with_a_yaw_ends_with_a_turn(stack):
    goal = NavigateBug.Goal()
    goal.pose.pose.position.x = 0.5
    goal.pose.pose.orientation.z = goal.pose.pose.orientation.w = math.sqrt(0.5)
    sent = stack.send_goal(goal)
    assert sent.end()[1] == 'REACHED'
    assert sent.feedback[-1].state == NavigateBug.Feedback.TURNING


def test_turn_direction_of_the_goal_is_used(stack):
    odometry = stack.listen(Odometry, 'odom')
    for side, sign in (('left', 1.0), ('right', -1.0)):
        del odometry[:]
        sent = stack.send(4.0, 0.0, turn_direction=side)
        # The first side counts: until the next feedback, the robot may have moved on.
        beside = stack.wait(lambda: [each.pose.pose.position.y for each in odometry
                                     if abs(each.pose.pose.position.y) > 0.5])
        assert sign * beside[0] > 0.0
        sent.cancel()
        sent.end()
        stack.reset_sim()
