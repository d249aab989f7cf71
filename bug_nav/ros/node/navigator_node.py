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

"""The lifecycle node ``bug_navigator``, which creates and destroys its parts."""

from __future__ import annotations

import functools
import traceback
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from bug_nav.messages.ros_distribution import distribution
from bug_nav.navigation.names import listed
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Outcome, Result
from bug_nav.ros.fields import BadParameter
from bug_nav.ros.node.display import Display
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.frames import Frames, make_frames
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.goal_topic import GoalTopic
from bug_nav.ros.node.health import Health
from bug_nav.ros.node.parameters import Parameters
from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.server import GoalServer, NAVIGATE_BUG, ServedAction
from bug_nav.ros.node.settings import NodeSettings
from bug_nav.ros.node.steady_timer import SteadyTimer
from bug_nav.ros.node.uptime_clock import UptimeClock
from bug_nav.ros.node.watchdog import Watchdog
from bug_nav.ros.results import to_result
from bug_nav.ros.stop_process import StopProcess
from bug_nav.ros.velocity import Velocity
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
    """Log an exception in a transition, which rclpy would turn into an error silently."""
    @functools.wraps(transition)
    def run(self: BugNavigatorNode, state: State) -> TransitionCallbackReturn:
        try:
            return transition(self, state)
        except Exception:
            self.get_logger().error(traceback.format_exc())
            raise
    return run


def internal(error: BaseException) -> Tuple[Result, NavigateBug.Result]:
    """Return the result of a goal that a software error ends, in both forms."""
    result = Result(Outcome.INTERNAL, f'{type(error).__name__}: {error}')
    return result, to_result(result, '', 0.0, 0.0, 0.0, ())


def served_actions(settings: NodeSettings) -> List[ServedAction]:
    """Return the actions to serve; BadParameter if one is unavailable."""
    if not settings.navigate_to_pose:
        return [NAVIGATE_BUG]
    try:
        from bug_nav.ros.node.navigate_to_pose import NAVIGATE_TO_POSE
    except ImportError as error:
        raise BadParameter(
            f'navigate_to_pose is true, but nav2_msgs cannot be imported ({error}); install '
            f'ros-{distribution()}-nav2-msgs, or set it to false') from None
    return [NAVIGATE_BUG, NAVIGATE_TO_POSE]


def with_response(change: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Respond to a request for a transition that is invalid in this state, as rclcpp does."""
    def run(request: ChangeState.Request, response: ChangeState.Response) -> Any:
        try:
            return change(request, response)
        except RuntimeError:  # from rcl, which has logged it; the state is unchanged
            response.success = False
            return response
    return run


class BugNavigatorNode(LifecycleNode):
    """Hosts the action ``navigate_bug``; goals are accepted while the node is active."""

    def __init__(self, stop_process: Optional[StopProcess] = None, self_timed: bool = False,
                 **kwargs: Any):
        """
        Declare the parameters; BadParameter, in one sentence, if one is invalid.

        ``stop_process`` stops the robot when this process cannot. With ``self_timed``, the
        caller waits for `steady_timer`, not the executor.
        """
        super().__init__('bug_navigator', **kwargs)
        # rclpy would send no response, and Nav2's lifecycle manager would wait forever.
        for service in self.services:
            if service.srv_type is ChangeState:
                service.callback = with_response(service.callback)
        self.parameters = Parameters(self)
        self._served_actions = served_actions(self.parameters.node)
        self._stop_process, self._self_timed = stop_process, self_timed
        if stop_process is not None and not self.parameters.node.use_stop_process:
            stop_process.close()
        self._active = self._has_driven = False
        self._timer: Union[Timer, SteadyTimer, None] = None
        self._steady = self._ticks_on = Clock(clock_type=ClockType.STEADY_TIME)
        self._frames: Optional[Frames] = None
        self._server: Optional[GoalServer] = None
        self._parts: List[Any] = []
        # Jumps of any size: data from before a jump must not be compared with later data.
        self._jump_callback = self.get_clock().create_jump_callback(
            JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1)),
            post_callback=self._on_clock_jump)

    # ---- the lifecycle ------------------------------------------------------------------------

    @logged
    def on_configure(self, state: State) -> TransitionCallbackReturn:
        """Create publishers, subscriptions and timers."""
        settings = self.parameters.node
        uptime = UptimeClock(self.get_clock())
        subscriptions = PolledSubscriptions(self, uptime)
        self._frames = make_frames(
            self, subscriptions, settings.use_tf, settings.transform_tolerance, settings.mount,
            dict(zip(settings.ranger_topics, settings.ranger_mounts)))
        self._sensors = Sensors(self, settings, self._frames, subscriptions, uptime)
        self._velocity = Velocity(
            self, settings.enable_stamped_cmd_vel, settings.robot_base_frame,
            stop_process=self._stop_process)
        self._display = Display(self, settings)
        self._driver = Driver(self, settings.global_frame, self._sensors, self._frames,
                              self._velocity, uptime, self._display.show, self._on_end)
        self._watchdog = Watchdog(self, self._driver, self._sensors, self._velocity, uptime)
        self._health = Health(
            self, self._driver, self._sensors, self._velocity, self._watchdog,
            self._stop_process if settings.use_stop_process else None)
        self._driver.cause = self._health.trouble
        self._velocity.stop()
        self._parts = [self._watchdog, self._health, self._display, self._sensors,
                       self._velocity, self._frames]
        if self._server is None:
            self._server = GoalServer(
                self, lambda: self._active, self._on_goal, self._served_actions)
            self._goal_topic = GoalTopic(self)
        return super().on_configure(state)

    @logged
    def on_activate(self, state: State) -> TransitionCallbackReturn:
        """Accept goals, unless the sensors are known to be unsuitable."""
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
        settings = self.parameters.read(Settings)
        self._display.show_idle(self.parameters.read(RobotModel), settings, 'ready')
        actions = [self.resolve_service_name(action.name) for action in self._served_actions]
        self.get_logger().info(
            f'active: serves {listed(actions)}, listens to {listed(self._sensors.topics, 40)}')
        if settings.sensing != 'rangers':
            self.get_logger().info(
                f'no_return is {settings.no_return}, beam_order is {settings.beam_order}; auto is '
                'found out from the scans, and logged at the end of a goal')
        return super().on_activate(state)

    @logged
    def on_deactivate(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot, then end the current goal."""
        self.stop_accepting_goals('the node was deactivated')
        self._health.state = 'inactive'
        self._display.show_idle(
            self.parameters.read(RobotModel), self.parameters.read(Settings), 'inactive')
        return super().on_deactivate(state)

    @logged
    def on_cleanup(self, state: State) -> TransitionCallbackReturn:
        """Destroy the parts made in on_configure; the action server stays and rejects goals."""
        self._destroy_parts()
        return super().on_cleanup(state)

    @logged
    def on_shutdown(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot, end the current goal and destroy the parts."""
        self.stop_accepting_goals('the node was shut down')
        self._destroy_parts()
        return super().on_shutdown(state)

    @logged
    def on_error(self, state: State) -> TransitionCallbackReturn:
        """Stop the robot and return to unconfigured."""
        self.stop_accepting_goals('the node has failed in a transition')
        self._destroy_parts()
        return super().on_error(state)

    def _destroy_parts(self) -> None:
        self._stop_ticking()
        for part in self._parts:
            part.close()
        self._parts = []

    # ---- goals --------------------------------------------------------------------------------

    def stop_accepting_goals(self, reason: str) -> None:
        """Reject new goals, stop the robot and end the current goal."""
        self._active = False
        if self._parts:
            self._health.active = False
            self._driver.end(Outcome.CANCELED, reason)

    def fault(self, message: str) -> None:
        """Stop the robot and end the goal after a fault outside the control loop."""
        self.get_logger().error(f'software error:\n{message}')
        if self._parts:
            self._driver.end(Outcome.INTERNAL, message.strip().splitlines()[-1])

    def flush(self, timeout: float) -> None:
        """Wait until the last command has arrived, for at most ``timeout`` [s]."""
        if self._parts:
            self._velocity.flush(timeout)

    @property
    def pending(self) -> bool:
        """Return whether a result is not yet delivered."""
        return self._server is not None and self._server.pending

    def _on_goal(self, handle: Any) -> None:
        """Start an accepted goal, which supersedes the current one."""
        self._driver.end(Outcome.SUPERSEDED, 'replaced by a newer goal')
        stamp = self._driver.stamp
        try:
            goal = Goal(handle, self.parameters, stamp, self._sensors.dialects)
        except (Exception, SystemExit) as error:  # of a plug-in
            self.get_logger().error(traceback.format_exc())
            self._finish(handle, *internal(error))
            return
        if goal.navigator is not None:
            goal.navigator.robot.has_driven = self._has_driven
        where = handle.request.pose.pose.position
        self.get_logger().info(f'new goal: ({where.x:.2f}, {where.y:.2f}) in {goal.frame!r} with '
                               f'{goal.algorithm!r}')
        self._health.state = 'running'
        self._driver.begin(goal)
        self._start_ticking()

    def _start_ticking(self) -> None:
        """Tick in simulated time, or on the steady clock, because the system clock can be set."""
        clock = self.get_clock() if self.get_clock().ros_time_is_active else self._steady
        if self._timer is None or self._ticks_on is not clock:
            self._stop_ticking()
            self._ticks_on = clock
            period = 1.0 / self.parameters.node.controller_frequency
            self._timer = (SteadyTimer(period, self._tick)
                           if self._self_timed and clock is self._steady
                           else self.create_timer(period, self._tick, clock=clock))
        self._timer.reset()

    def _stop_ticking(self) -> None:
        if isinstance(self._timer, SteadyTimer):
            self._timer.cancel()
        elif self._timer is not None:
            self.destroy_timer(self._timer)
        self._timer = None

    @property
    def steady_timer(self) -> Optional[SteadyTimer]:
        """Return the timer that ticks without an executor, if any."""
        return self._timer if isinstance(self._timer, SteadyTimer) else None

    def _tick(self) -> None:
        self._driver.tick()
        self._watchdog.postpone()

    def _on_end(self, goal: Goal, result: Result, stamp: float) -> None:
        """Deliver the result, before anything that may fail."""
        if self._timer is not None:
            self._timer.cancel()
        try:
            action_result = to_result(
                result, self.parameters.node.global_frame, stamp - goal.accepted,
                goal.path_length, goal.contour_radius, goal.events, goal.ends)
        except Exception as error:  # no message can have what a plug-in has recorded
            self.get_logger().error(traceback.format_exc())
            result, action_result = internal(error)
        self._finish(goal.handle, result, action_result)
        if goal.navigator is not None:
            self._has_driven = goal.navigator.robot.has_driven
        self._health.state = result.outcome.value
        message = f'goal ended: {result.outcome.value}, {result.message}'
        if result.outcome is Outcome.REACHED:
            self.get_logger().info(message)
        else:  # two calls, because rclpy requires the same severity at each call site
            self.get_logger().warning(message)
        news = self._sensors.dialects.news
        if news:
            self.get_logger().info(news)
        self._display.publish_markers(goal, result.outcome.value,
                                      [(place.x, place.y) for place in action_result.certificate])

    def _finish(self, handle: Any, result: Result, message: NavigateBug.Result) -> None:
        assert self._server is not None  # because there is a handle
        self._server.finish(handle, result.outcome, message)

    # ---- parameters and time ------------------------------------------------------------------

    def set_parameters_atomically(self, parameter_list: List[Parameter]) -> SetParametersResult:
        """Reject an invalid value with a clearer message than rclpy's."""
        parameters = getattr(self, 'parameters', None)  # None while they are being declared
        if parameters is not None:
            reason = (self._time_source_error(parameter_list)
                      or parameters.rejection_reason(parameter_list)
                      or self._sensor_error(parameter_list))
            if reason:
                return SetParametersResult(successful=False, reason=reason)
            parameter_list = parameters.coerce(parameter_list)
        return super().set_parameters_atomically(parameter_list)

    def _time_source_error(self, changes: List[Parameter]) -> str:
        """Return why use_sim_time cannot change now, empty if it can or does not change."""
        if not self._parts or self._driver.goal is None:
            return ''
        other = any(change.name == 'use_sim_time' and change.value != self.get_parameter(
            'use_sim_time').value for change in changes)
        return ('use_sim_time cannot change while the robot drives to a goal; cancel it first'
                if other else '')

    def _sensor_error(self, changes: List[Parameter]) -> Optional[str]:
        """Return why a change would make the sensors unsuitable, None if it would not."""
        if not self._parts:
            return None
        changed = {change.name: change.value for change in self.parameters.coerce(changes)}
        problem = self._sensor_problem(changed)
        # A change of other parameters leaves the problem as it is, and is not its cause.
        return problem if problem != self._sensor_problem({}) else None

    def _sensor_problem(self, changed: Dict[str, Any]) -> Optional[str]:
        """Return why the sensors are unsuitable with the values ``changed``, None if suitable."""
        try:
            self._sensors.check(self.parameters.read(RobotModel, changed=changed),
                                self.parameters.read(Settings, changed=changed))
        except ValueError as error:
            return str(error)
        return None

    def _on_clock_jump(self, jump: Any) -> None:
        """End the goal after a jump back, and clear older data."""
        if not self._parts:
            return
        if jump.clock_change in (ClockChange.ROS_TIME_ACTIVATED, ClockChange.ROS_TIME_DEACTIVATED):
            return self._sensors.restart()
        self._driver.end(Outcome.TIME_JUMPED, 'the clock jumped back by '
                         f'{abs(jump.delta.nanoseconds) * 1e-9:.3f} s')
        self._has_driven = False  # a reset simulation may place the robot anywhere
        self._sensors.restart()
        if self._frames is not None:
            self._frames.clear()
