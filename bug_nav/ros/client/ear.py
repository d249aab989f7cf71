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

"""Hears a robot and its node, and tells it in documents."""

from __future__ import annotations

from collections import deque
import math
import time
from typing import Any, Deque, Dict, Optional, Tuple

from bug_nav.core.geometry import Pose, PoseHistory
from bug_nav.ros.client import sights
from bug_nav.ros.client.places import Places
from bug_nav.ros.client.question import Question
from bug_nav.ros.client.sights import Document
from bug_nav.ros.qos import LATCHED
from bug_nav.sense.messages import Mount, odometry_pose, scan_of, seconds
from bug_nav_msgs.action import NavigateBug
from diagnostic_msgs.msg import DiagnosticArray
from lifecycle_msgs.srv import GetState
from nav_msgs.msg import Odometry, Path
from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import LaserScan, Range
from visualization_msgs.msg import MarkerArray

PERIOD = 0.1
"""The pose is told as often [s]."""
SCAN_PERIOD = 0.2
"""A scan is told no more often [s]."""
LOOK = 1.0
"""The graph is looked at, and the node asked for its state, as often [s]."""
MOST_NEWS = 20
"""Of results and errors, the newest are kept."""
NAVIGATOR = 'bug_navigator'
TRANSFORMS = 'tf2_msgs/msg/TFMessage'
PARAMETERS = ('global_frame', 'robot_base_frame', 'use_tf', 'scan_offset_x', 'scan_offset_y',
              'scan_offset_yaw', 'scan_upside_down')
"""The node's that say what its frames are, and where the lidar is without tf2."""


class Ear:
    """Hears the robot and its node, and tells it in documents."""

    def __init__(self, node: Node):
        self._node = node
        self.told: Dict[str, Document] = {}
        self.heard: Dict[str, Optional[float]] = {'odom': None, 'scan': None, 'node': None}
        self.news: Deque[Tuple[int, Document]] = deque(maxlen=MOST_NEWS)
        self._diagnostics = sights.Diagnostics()
        self._body: Optional[sights.Body] = None
        self._frames = ('', '')
        """The node's global frame and the robot's, '' while they are not known."""
        self._parameters = Question(node, GetParameters, f'{NAVIGATOR}/get_parameters')
        self._state = Question(node, GetState, f'{NAVIGATOR}/get_state')
        self._history, self._odom_frames = PoseHistory(), ('', '')
        self._scan: Optional[bytes] = None
        self._scanned_at = 0.0
        self._places = Places(node)
        self._topics: Dict[type, Tuple[str, Any]] = {}
        self._is_driving = False
        self._text = ''
        """What stands above the robot."""
        self._count = 0
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        for kind, topic, hear, qos in (
                (MarkerArray, f'{NAVIGATOR}/markers', self._on_markers, LATCHED),
                (Path, f'{NAVIGATOR}/path', self._on_path, LATCHED),
                (NavigateBug.Impl.FeedbackMessage, 'navigate_bug/_action/feedback',
                 self._on_feedback, 10),
                (DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)):
            node.create_subscription(kind, topic, hear, qos)
        self._listen(Odometry, 'odom')
        self._listen(LaserScan, 'scan')
        node.create_timer(PERIOD, self._tell_pose, clock=steady)
        node.create_timer(SCAN_PERIOD, self._tell_scan, clock=steady)
        node.create_timer(LOOK, self._look, clock=steady)

    def say(self, kind: str, **facts: Any) -> None:
        """Tell what happens once: a result or an error."""
        self._count += 1
        self.news.append((self._count, {'type': kind, **facts}))

    @property
    def frame(self) -> str:
        """Return the frame that all is told in, '' while there is none."""
        return self._frames[0] or self._odom_frames[0]

    # ---- the sensors --------------------------------------------------------------------------

    def _listen(self, kind: type, topic: str) -> None:
        """Hear a sensor on a topic, and no longer on the one before."""
        before = self._topics.get(kind)
        if before is not None:
            if before[0] == self._node.resolve_topic_name(topic):
                return
            self._node.destroy_subscription(before[1])
        hear = {Odometry: self._on_odometry, LaserScan: self._on_scan}.get(kind, self._on_range)
        subscription = self._node.create_subscription(
            kind, topic, hear, qos_profile_sensor_data, raw=kind is not Odometry)
        self._topics[kind] = self._node.resolve_topic_name(topic), subscription

    def _look(self) -> None:
        """Look how the node is, on which topics it hears its sensors, and in which frames."""
        self._state.ask(GetState.Request(), self._on_state)
        if not self._frames[0]:
            self._parameters.ask(GetParameters.Request(names=PARAMETERS), self._on_parameters)
        elif not self._parameters.is_heard:
            self._frames = ('', '')  # who comes next may think otherwise
        namespace = self._node.get_namespace()
        try:
            found = self._node.get_subscriber_names_and_types_by_node(NAVIGATOR, namespace)
        except Exception:  # rclpy has no public name for that of a node that is not there
            return
        self._places.listen([topic for topic, types in found if TRANSFORMS in types])
        for kind in (Odometry, LaserScan, Range):
            name = f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}'
            topic = next((topic for topic, types in found if name in types), None)
            if topic is not None:
                self._listen(kind, topic)

    def _on_parameters(self, answer: Any) -> None:
        if len(answer.values) == len(PARAMETERS):
            world, base, use_tf, x, y, yaw, upside_down = answer.values
            self._frames = world.string_value, base.string_value
            place = Pose(x.double_value, y.double_value, yaw.double_value)
            self._places.take(Mount(place, upside_down.bool_value), use_tf.bool_value)

    def _on_odometry(self, message: Odometry) -> None:
        self.heard['odom'] = time.monotonic()
        try:
            pose = odometry_pose(message)
        except ValueError as error:
            self._complain('odometry', error)
            return
        stamp = seconds(message.header.stamp)
        if stamp < self._history.newest - self._history.span:  # a simulation begins anew
            self._history = PoseHistory()
            self._places.forget()
        self._history.append(stamp, pose)
        self._odom_frames = message.header.frame_id, message.child_frame_id

    def _on_scan(self, data: bytes) -> None:
        self.heard['scan'] = time.monotonic()
        self._scan = data

    def _on_range(self, _: bytes) -> None:
        self.heard['scan'] = time.monotonic()

    def _pose(self, stamp: float) -> Optional[Pose]:
        """Return where the robot's frame was in the frame that is shown; None: nobody knows."""
        if self._history.newest == -math.inf:
            return None
        pose = self._history.at(min(stamp, self._history.newest))
        world, child = self._odom_frames
        ahead = self._places.find(self.frame, world)
        behind = self._places.find(child, self._base)
        if pose is None or ahead is None or behind is None:
            return None
        return ahead.compose(pose).compose(behind)

    @property
    def _base(self) -> str:
        return self._frames[1] or self._odom_frames[1]

    def _tell_pose(self) -> None:
        pose = self._pose(math.inf)
        body = self._body
        self.told['live'] = {
            'type': 'live', 'frame': self.frame,
            'pose': sights.rounded(pose) if pose is not None else None,
            'radius': round(body.radius, 4) if body else None,
            'rho': round(body.contour_radius, 4) if body else None}
        diagnostics = self._diagnostics.document(time.monotonic())
        if diagnostics != self.told.get('diagnostics'):
            self.told['diagnostics'] = diagnostics

    def _tell_scan(self) -> None:
        data, self._scan = self._scan, None
        if data is None:
            return
        message = deserialize_message(data, LaserScan)
        try:
            mount = self._places.lidar(self._base, message.header.frame_id)
            pose = self._pose(seconds(message.header.stamp))
            if mount is not None and pose is not None:
                scan = scan_of(message, mount, seconds(message.header.stamp))
                self.told['scan'] = sights.scan_document(scan, pose)
        except ValueError as error:
            self._complain('scan', error)

    def _complain(self, what: str, error: Exception) -> None:
        self._diagnostics.tell(f'bug_nav play: {what}', 2, str(error), time.monotonic())

    # ---- the node -----------------------------------------------------------------------------

    def _on_markers(self, message: MarkerArray) -> None:
        self.heard['node'] = time.monotonic()
        try:
            marks = sights.marks_document(message)
        except ValueError as error:
            self._complain('markers', error)
            return
        self._body = sights.body_of(message) or self._body
        self._text = sights.state_of(message)
        if marks != self.told.get('marks'):
            self.told['marks'] = marks
        if not self._is_driving:
            self.rest(self._text)

    def _on_state(self, answer: Any) -> None:
        self.heard['node'] = time.monotonic()
        if answer.current_state.label != 'active':
            self.rest(answer.current_state.label)

    def _on_path(self, message: Path) -> None:
        self.heard['node'] = time.monotonic()
        self.told['path'] = sights.path_document(message)

    def _on_feedback(self, message: Any) -> None:
        self.heard['node'] = time.monotonic()
        if self._is_driving:  # the last of it may come after the end
            self.told['state'] = sights.driving(message.feedback)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        mine = (f'{NAVIGATOR}: navigation', self._node.get_namespace().strip('/'))
        if any((status.name, status.hardware_id) == mine for status in message.status):
            self.heard['node'] = now
        self._diagnostics.hear(message, now)

    def drive(self, is_driving: bool) -> None:
        """Take in whether the node has a goal."""
        ended = self._is_driving and not is_driving
        self._is_driving = is_driving
        if ended:
            self.rest(self._text)  # which may have come before

    def rest(self, state: str) -> None:
        """Take in what the node says of itself while it has no goal."""
        # How far the last goal took it stays.
        before = self.told.get('state', sights.resting(state))
        self.told['state'] = {**before, 'state': state, 'active': False}

    def conclude(self, result: NavigateBug.Result) -> None:
        """Take in how far a goal has taken the robot: the last feedback was before its end."""
        self.told['state'] = {
            **self.told.get('state', sights.resting(self._text)), 'hits': result.number_of_hits,
            'leaves': result.number_of_leaves, 'path_length': sights.finite(result.path_length),
            'goal_distance': self._goal_distance()}

    def _goal_distance(self) -> Optional[float]:
        """Return how far the robot is from the goal that is shown; None where one is not."""
        pose, goal = self._pose(math.inf), self.told.get('marks', {}).get('goal')
        return round(math.dist(pose.position, goal), 3) if pose and goal else None
