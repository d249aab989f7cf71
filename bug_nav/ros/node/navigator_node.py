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

"""The lifecycle node ``bug_navigator``: puts the parts together, and takes them apart."""

from __future__ import annotations

import functools
import traceback
from typing import Any, Callable, List, Optional, Union

from bug_nav.core.distribution import distribution
from bug_nav.core.interface import Outcome, Result
from bug_nav.core.settings import RobotModel, Settings
from bug_nav.ros.fields import BadParameter
from bug_nav.ros.node.display import Display
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.frames import Frames, make_frames
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.goal_topic import GoalTopic
from bug_nav.ros.node.guard import Guard
from bug_nav.ros.node.health import Health
from bug_nav.ros.node.inbox import Inbox
from bug_nav.ros.node.pace import Pace
from bug_nav.ros.node.parameters import Parameters
from bug_nav.ros.node.running_time import RunningTime
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.server import Door, GoalServer, NAVIGATE_BUG
from bug_nav.ros.node.settings import NodeSettings
from bug_nav.ros.node.velocity import Velocity
from bug_nav.ros.node.watchdog import Watchdog
from bug_nav.ros.results import to_result
from bug_nav_msgs.action import NavigateBug
from lifecycle_msgs.srv import ChangeState
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockChange, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.lifecycle import LifecycleNode, State, TransitionCallbackReturn
from rclpy.parameter import Parameter
from rclpy.timer import Timer

SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


Transition = Callable[['BugNavigatorNode', State], TransitionCallbackReturn]


def logged(transition: Transition) -> Transition:
    """Log an exception in a transition, which rclpy turns into an error without a word."""
    @functools.wraps(transition)
    def run(self: BugNavigatorNode, state: State) -> TransitionCallbackReturn:
        try:
            return transition(self, state)
        except Exception:
            self.get_logger().error(traceback.format_exc())
            raise
    return run


def doors(settings: NodeSettings) -> List[Door]:
    """Return the actions to serve; BadParameter where one cannot be."""
    if not settings.navigate_to_pose:
        return [NAVIGATE_BUG]
    try:
        from bug_nav.ros.node.navigate_to_pose import NAVIGATE_TO_POSE
    except ImportError as error:
        raise BadParameter(
            f'navigate_to_pose is true, but nav2_msgs cannot be imported ({error}); install '
            f'ros-{distribution()}-nav2-msgs, or set it to false') from None
    return [NAVIGATE_BUG, NAVIGATE_TO_POSE]


def answered(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Answer a request for a transition that the state does not have, as rclcpp does."""
    def run(request: ChangeState.Request, response: ChangeState.Response) -> Any:
        try:
            return change(request, response)
        except RuntimeError:  # of rcl, which has logged it; nothing has changed
            response.success = False
            return response
    return run


class BugNavigatorNode(LifecycleNode):
    """Hosts the action ``navigate_bug``; goals are accepted while the node is active."""

    def __init__(self, node_name: str = 'bug_navigator', guard: Optional[Guard] = None,
                 paced: bool = False, **kwargs: Any):
        """
        Declare the parameters; BadParameter, in one sentence, where one is not allowed.

        ``guard`` stops the robot when this process cannot. ``paced``: who spins waits for `pace`.
        """
        super().__init__(node_name, **kwargs)
        # rclpy leaves who asks without an answer: Nav2's lifecycle manager would wait for ever.
        for service in self.services:
            if service.srv_type is ChangeState:
                service.callback = answered(service.callback)
        self.parameters = Parameters(self)
        self._doors = doors(self.parameters.node)
        self._guard, self._paced = guard, paced
        if guard is not None and not self.parameters.node.use_guard_process:
            guard.close()
        self._active = False
        self._timer: Union[Timer, Pace, None] = None
        self._steady = self._ticks_on = Clock(clock_type=ClockType.STEADY_TIME)
        self._frames: Optional[Frames] = None
        self._server: Optional[GoalServer] = None
        self._parts: List[Any] = []
        # Of any size: what came before a jump must not be compared with what comes after it.
        self._jumps = self.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1)),
            post_callback=self._on_clock_jump)

    # ---- the lifecycle ------------------------------------------------------------------------

    @logged
    def on_configure(self, state: State) -> TransitionCallbackReturn:
        """Make publishers, subscriptions and timers."""
        settings = self.parameters.node
        running = RunningTime(self.get_clock())
        inbox = Inbox(self, running)
        self._frames = make_frames(
            self, inbox, settings.use_tf, settings.transform_tolerance, settings.mount,
            dict(zip(settings.ranger_topics, settings.ranger_mounts)))
        self._sensors = Sensors(self, settings, self._frames, inbox, running)
        self._velocity = Velocity(
            self, settings.enable_stamped_cmd_vel, settings.robot_base_frame,
            guard=self._guard)
        self._display = Display(self, settings)
        self._driver = Driver(self, settings.global_frame, self._sensors, self._frames,
                              self._velocity, running, self._display.show, self._on_end)
        self._watchdog = Watchdog(self, self._driver, self._sensors, self._velocity, running)
        self._health = Health(
            self, self._driver, self._sensors, self._velocity, self._watchdog)
        self._velocity.stop()
        self._parts = [self._watchdog, self._health, self._display, self._sensors,
                       self._velocity, self._frames]
        if self._server is None:
            self._server = GoalServer(self, lambda: self._active, self._on_goal, self._doors)
            self._goal_topic = GoalTopic(self)
        return super().on_configure(state)

    @logged
    def on_activate(self, state: State) -> TransitionCallbackReturn:
        """Open for goals, unless the lidar is known to see too little."""
        try:
            self._sensors.check(self.parameters.read(RobotModel), self.parameters.read(Settings))
        except ValueError as error:
            self.get_logger().error(str(error))
            return FAILURE
        self._sensors.scan_arrivals.restart()
        self._sensors.odom_arrivals.restart()
        self._velocity.stop()
        self._active = self._health.active = True
        self._health.state = 'ready'
        self._display.rest(
            self.parameters.read(RobotModel), self.parameters.read(Settings), 'ready')
        return super().on_activate(state)

    @logged
    def on_deactivate(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot, and then end the goal there is."""
        self.close_to_goals('the node was deactivated')
        return super().on_deactivate(state)

    @logged
    def on_cleanup(self, state: State) -> TransitionCallbackReturn:
        """Take apart what on_configure made, but for the action server, which only closes."""
        self._take_apart()
        return super().on_cleanup(state)

    @logged
    def on_shutdown(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot, end the goal there is and take everything apart."""
        self.close_to_goals('the node was shut down')
        self._take_apart()
        return super().on_shutdown(state)

    @logged
    def on_error(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot and go back to the beginning."""
        self.close_to_goals('the node has failed in a transition')
        self._take_apart()
        return super().on_error(state)

    def _take_apart(self) -> None:
        self._stop_ticking()
        for part in self._parts:
            part.close()
        self._parts = []

    # ---- goals --------------------------------------------------------------------------------

    def close_to_goals(self, reason: str) -> None:
        """Accept no goals, stop the robot and end the goal there is."""
        self._active = False
        if self._parts:
            self._health.active = False
            self._driver.end(Outcome.CANCELED, reason)

    def fault(self, message: str) -> None:
        """Stop the robot and end the goal after a fault outside of the control loop."""
        self.get_logger().error(f'a fault in the software:\n{message}')
        if self._parts:
            self._driver.end(Outcome.INTERNAL, message.strip().splitlines()[-1])

    def flush(self, timeout: float) -> None:
        """Wait until the last command has arrived, for ``timeout`` [s] at most."""
        if self._parts:
            self._velocity.flush(timeout)

    @property
    def pending(self) -> bool:
        """Tell whether a result has yet to be given out."""
        return self._server is not None and self._server.pending

    def _on_goal(self, handle: Any) -> None:
        """Begin with an accepted goal, which takes the place of the one there is."""
        self._driver.end(Outcome.SUPERSEDED, 'a newer goal took its place')
        stamp = self._driver.stamp
        try:
            goal = Goal(handle, self.parameters, stamp)
        except Exception as error:  # a plug-in's
            self.get_logger().error(traceback.format_exc())
            result = Result(Outcome.INTERNAL, f'{type(error).__name__}: {error}')
            self._finish(handle, result, to_result(result, '', 0.0, 0.0, 0.0, ()))
            return
        where = handle.request.pose.pose.position
        self.get_logger().info(f'a goal: ({where.x:.2f}, {where.y:.2f}) in {goal.frame!r} with '
                               f'{goal.algorithm!r}')
        self._health.state = 'running'
        self._driver.begin(goal)
        self._start_ticking()

    def _start_ticking(self) -> None:
        """Tick in simulated time, or on the steady clock: the system's can be set."""
        clock = self.get_clock() if self.get_clock().ros_time_is_active else self._steady
        if self._timer is None or self._ticks_on is not clock:
            self._stop_ticking()
            self._ticks_on = clock
            period = 1.0 / self.parameters.node.controller_frequency
            self._timer = (Pace(period, self._tick) if self._paced and clock is self._steady else
                           self.create_timer(period, self._tick, clock=clock))
        self._timer.reset()

    def _stop_ticking(self) -> None:
        if isinstance(self._timer, Pace):
            self._timer.cancel()
        elif self._timer is not None:
            self.destroy_timer(self._timer)
        self._timer = None

    @property
    def pace(self) -> Optional[Pace]:
        """Return what ticks without an executor, if anything."""
        return self._timer if isinstance(self._timer, Pace) else None

    def _tick(self) -> None:
        self._driver.tick()
        self._watchdog.rest()

    def _on_end(self, goal: Goal, result: Result, stamp: float) -> None:
        """Give out the result, before anything that may go wrong."""
        if self._timer is not None:
            self._timer.cancel()
        told = to_result(
            result, self.parameters.node.global_frame, stamp - goal.accepted, goal.path_length,
            goal.contour_radius, goal.events, goal.ends)
        self._finish(goal.handle, result, told)
        self._health.state = result.outcome.value
        message = f'the goal ends: {result.outcome.value}, {result.message}'
        if result.outcome is Outcome.REACHED:
            self.get_logger().info(message)
        else:  # two calls: rclpy wants the same severity from a line every time
            self.get_logger().warning(message)
        self._display.mark(goal, result.outcome.value,
                           [(place.x, place.y) for place in told.certificate])

    def _finish(self, handle: Any, result: Result, message: NavigateBug.Result) -> None:
        assert self._server is not None  # or there would be no handle
        self._server.finish(handle, result.outcome, message)

    # ---- parameters and time ------------------------------------------------------------------

    def set_parameters_atomically(self, parameter_list: List[Parameter]) -> SetParametersResult:
        """Refuse a bad value with our sentence, before rclpy refuses it with a poorer one."""
        parameters = getattr(self, 'parameters', None)  # None while they are being declared
        if parameters is not None:
            reason = (self._refuse_other_time(parameter_list)
                      or parameters.refuse(parameter_list)
                      or self._refuse_blindness(parameter_list))
            if reason:
                return SetParametersResult(successful=False, reason=reason)
            parameter_list = parameters.coerce(parameter_list)
        return super().set_parameters_atomically(parameter_list)

    def _refuse_other_time(self, changes: List[Parameter]) -> str:
        """Return why time cannot be another one now; empty where it can or is not asked to."""
        if not self._parts or self._driver.goal is None:
            return ''
        other = any(change.name == 'use_sim_time' and change.value != self.get_parameter(
            'use_sim_time').value for change in changes)
        return ('use_sim_time cannot change while the robot drives to a goal; cancel it first'
                if other else '')

    def _refuse_blindness(self, changes: List[Parameter]) -> Optional[str]:
        """Return why the lidar would see too little after a change, None where it would not."""
        if not self._parts:
            return None
        changed = {change.name: change.value for change in self.parameters.coerce(changes)}
        model = self.parameters.read(RobotModel, changed=changed)
        settings = self.parameters.read(Settings, changed=changed)
        try:
            self._sensors.check(model, settings)
        except ValueError as error:
            return str(error)
        return None

    def _on_clock_jump(self, jump: Any) -> None:
        """After a jump back: end the goal, and forget the data from before."""
        if not self._parts:
            return
        if jump.clock_change in (ClockChange.ROS_TIME_ACTIVATED, ClockChange.ROS_TIME_DEACTIVATED):
            return self._sensors.restart()
        self._driver.end(Outcome.TIME_JUMPED, 'the clock jumped back by '
                         f'{abs(jump.delta.nanoseconds) * 1e-9:.3f} s')
        self._sensors.restart()
        if self._frames is not None:
            self._frames.forget()
