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

"""Turns what a robot and its node publish into documents for a web page."""

from __future__ import annotations

from collections import deque
import math
import time
from typing import Any, Deque, Dict, Optional, Tuple

from bug_nav.messages.sensor_messages import (
    frame_name,
    Mount,
    odometry_pose,
    scan_from_message,
    seconds,
)
from bug_nav.navigation.geometry import Pose, PoseHistory
from bug_nav.ros.client import web_messages
from bug_nav.ros.client.frame_lookup import FrameLookup
from bug_nav.ros.client.service_call import ServiceCall
from bug_nav.ros.client.web_messages import Document
from bug_nav.ros.qos import LATCHED
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

POSE_PERIOD = 0.1
"""Period of the pose document [s]."""
SCAN_PERIOD = 0.2
"""Minimum period of the scan document [s]."""
POLL_PERIOD = 1.0
"""Period of polling the ROS graph and the node's lifecycle state [s]."""
MAX_NEWS = 20
"""Maximum number of results and errors kept."""
NAVIGATOR = 'bug_navigator'
TRANSFORMS = 'tf2_msgs/msg/TFMessage'
FRAME_PARAMETERS = ('global_frame', 'robot_base_frame', 'use_tf', 'scan_offset_x', 'scan_offset_y',
                    'scan_offset_yaw', 'scan_upside_down')
"""Parameters of the node that define its frames, and the lidar's mount without transforms."""


class RobotMonitor:
    """Subscribes to a robot and its node, and keeps the newest document of each type."""

    def __init__(self, node: Node):
        self._node = node
        self.documents: Dict[str, Document] = {}
        self.last_received: Dict[str, Optional[float]] = {'odom': None, 'scan': None, 'node': None}
        self.feedback_at = -math.inf
        self.news: Deque[Tuple[int, Document]] = deque(maxlen=MAX_NEWS)
        self._diagnostics = web_messages.Diagnostics()
        self._outline: Optional[web_messages.RobotOutline] = None
        self._frames = ('', '')
        """Global frame and base frame of the node, '' while unknown."""
        self._parameters = ServiceCall(node, GetParameters, f'{NAVIGATOR}/get_parameters')
        self._state = ServiceCall(node, GetState, f'{NAVIGATOR}/get_state')
        self._history, self._odom_frames = PoseHistory(), ('', '')
        self._scan: Optional[bytes] = None
        self._frame_lookup = FrameLookup(node)
        self._topics: Dict[type, Tuple[str, Any]] = {}
        self._is_driving = False
        self._text = ''
        """Text of the state marker above the robot."""
        self._count = 0
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        for kind, topic, callback, qos in (
                (MarkerArray, f'{NAVIGATOR}/markers', self._on_markers, LATCHED),
                (Path, f'{NAVIGATOR}/path', self._on_path, LATCHED),
                (NavigateBug.Impl.FeedbackMessage, 'navigate_bug/_action/feedback',
                 self._on_feedback, 10),
                (DiagnosticArray, '/diagnostics', self._on_diagnostics, 10)):
            node.create_subscription(kind, topic, callback, qos)
        self._follow(Odometry, 'odom')
        self._follow(LaserScan, 'scan')
        node.create_timer(POSE_PERIOD, self._update_pose, clock=steady)
        node.create_timer(SCAN_PERIOD, self._update_scan, clock=steady)
        node.create_timer(POLL_PERIOD, self._poll, clock=steady)

    def report(self, kind: str, **facts: Any) -> None:
        """Queue a one-time event: a result or an error."""
        self._count += 1
        self.news.append((self._count, {'type': kind, **facts}))

    @property
    def frame(self) -> str:
        """Return the frame of all documents, '' while unknown."""
        return self._frames[0] or self._odom_frames[0]

    # ---- the sensors --------------------------------------------------------------------------

    def _follow(self, kind: type, topic: str) -> None:
        """Subscribe to a sensor topic, and unsubscribe from its previous one."""
        before = self._topics.get(kind)
        if before is not None:
            if before[0] == self._node.resolve_topic_name(topic):
                return
            self._node.destroy_subscription(before[1])
        callbacks = {Odometry: self._on_odometry, LaserScan: self._on_scan}
        subscription = self._node.create_subscription(
            kind, topic, callbacks.get(kind, self._on_range), qos_profile_sensor_data,
            raw=kind is not Odometry)
        self._topics[kind] = self._node.resolve_topic_name(topic), subscription

    def _poll(self) -> None:
        """Poll the node's state, its frames and the sensor topics that it subscribes to."""
        self._state.call(GetState.Request(), self._on_state)
        if not self._frames[0]:
            self._parameters.call(
                GetParameters.Request(names=FRAME_PARAMETERS), self._on_parameters)
        elif not self._parameters.is_available:
            self._frames = ('', '')  # the next node may use other frames
        namespace = self._node.get_namespace()
        try:
            found = self._node.get_subscriber_names_and_types_by_node(NAVIGATOR, namespace)
        except Exception:  # rclpy exports no name for the error of a node that does not exist
            return
        self._frame_lookup.set_topics([topic for topic, types in found if TRANSFORMS in types])
        for kind in (Odometry, LaserScan, Range):
            name = f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}'
            topic = next((topic for topic, types in found if name in types), None)
            if topic is not None:
                self._follow(kind, topic)

    def _on_parameters(self, answer: Any) -> None:
        if len(answer.values) == len(FRAME_PARAMETERS):
            world, base, use_tf, x, y, yaw, upside_down = answer.values
            self._frames = world.string_value, base.string_value
            place = Pose(x.double_value, y.double_value, yaw.double_value)
            self._frame_lookup.configure(Mount(place, upside_down.bool_value), use_tf.bool_value)

    def _on_odometry(self, message: Odometry) -> None:
        self.last_received['odom'] = time.monotonic()
        try:
            pose = odometry_pose(message)
        except ValueError as error:
            self._report_error('odometry', error)
            return
        stamp = seconds(message.header.stamp)
        if stamp < self._history.newest - self._history.span:  # a simulation was reset
            self._history = PoseHistory()
            self._frame_lookup.clear()
        self._history.append(stamp, pose)
        self._odom_frames = (frame_name(message.header.frame_id) or self.frame,
                             frame_name(message.child_frame_id) or self._base)

    def _on_scan(self, data: bytes) -> None:
        self.last_received['scan'] = time.monotonic()
        self._scan = data

    def _on_range(self, _: bytes) -> None:
        self.last_received['scan'] = time.monotonic()

    def _pose(self, stamp: float) -> Optional[Pose]:
        """Return the pose of the base frame in the displayed frame, None if unknown."""
        if self._history.newest == -math.inf:
            return None
        pose = self._history.at(min(stamp, self._history.newest))
        world, child = self._odom_frames
        correction = self._frame_lookup.find(self.frame, world)
        offset = self._frame_lookup.find(child, self._base)
        if pose is None or correction is None or offset is None:
            return None
        return correction.compose(pose).compose(offset)

    @property
    def _base(self) -> str:
        return self._frames[1] or self._odom_frames[1]

    def _update_pose(self) -> None:
        pose = self._pose(math.inf)
        body = self._outline
        self.documents['live'] = {
            'type': 'live', 'frame': self.frame,
            'pose': web_messages.rounded(pose) if pose is not None else None,
            'radius': round(body.radius, 4) if body else None,
            'rho': round(body.contour_radius, 4) if body else None}
        diagnostics = self._diagnostics.document(time.monotonic())
        if diagnostics != self.documents.get('diagnostics'):
            self.documents['diagnostics'] = diagnostics

    def _update_scan(self) -> None:
        data, self._scan = self._scan, None
        if data is None:
            return
        message = deserialize_message(data, LaserScan)
        try:
            mount = self._frame_lookup.lidar(self._base, frame_name(message.header.frame_id))
            pose = self._pose(seconds(message.header.stamp))
            if mount is not None and pose is not None:
                scan = scan_from_message(message, mount, seconds(message.header.stamp))
                self.documents['scan'] = web_messages.scan_document(scan, pose)
        except ValueError as error:
            self._report_error('scan', error)

    def _report_error(self, what: str, error: Exception) -> None:
        self._diagnostics.add(f'bug_nav play: {what}', 2, str(error), time.monotonic())

    # ---- the node -----------------------------------------------------------------------------

    def _on_markers(self, message: MarkerArray) -> None:
        self.last_received['node'] = time.monotonic()
        try:
            marks = web_messages.marks_document(message)
        except ValueError as error:
            self._report_error('markers', error)
            return
        self._outline = web_messages.robot_outline(message) or self._outline
        self._text = web_messages.state_text(message)
        if marks != self.documents.get('marks'):
            self.documents['marks'] = marks
        if not self._is_driving:
            self.set_idle(self._text)

    def _on_state(self, answer: Any) -> None:
        self.last_received['node'] = time.monotonic()
        if answer.current_state.label != 'active':
            self.set_idle(answer.current_state.label)

    def _on_path(self, message: Path) -> None:
        self.last_received['node'] = time.monotonic()
        self.documents['path'] = web_messages.path_document(message)

    def _on_feedback(self, message: Any) -> None:
        self.last_received['node'] = self.feedback_at = time.monotonic()
        if self._is_driving:  # the last feedback may arrive after the result
            self.documents['state'] = web_messages.driving_state(message.feedback)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        now = time.monotonic()
        mine = (f'{NAVIGATOR}: navigation', self._node.get_namespace().strip('/'))
        if any((status.name, status.hardware_id) == mine for status in message.status):
            self.last_received['node'] = now
        self._diagnostics.add_array(message, now)

    def set_driving(self, is_driving: bool) -> None:
        """Set whether the node has a goal."""
        ended = self._is_driving and not is_driving
        self._is_driving = is_driving
        if ended:
            self.set_idle(self._text)  # the marker may have arrived first

    def set_idle(self, state: str) -> None:
        """Show the state of a node without a goal, and keep the figures of its last goal."""
        before = self.documents.get('state', web_messages.idle_state(state))
        self.documents['state'] = {**before, 'state': state, 'active': False}

    def set_result(self, result: NavigateBug.Result) -> None:
        """Show the final figures of a goal, which its last feedback precedes."""
        self.documents['state'] = {
            **self.documents.get('state', web_messages.idle_state(self._text)),
            'hits': result.number_of_hits, 'leaves': result.number_of_leaves,
            'path_length': web_messages.finite(result.path_length),
            'goal_distance': self._goal_distance()}

    def _goal_distance(self) -> Optional[float]:
        """Return the distance to the displayed goal [m], None without pose or goal."""
        pose, goal = self._pose(math.inf), self.documents.get('marks', {}).get('goal')
        return round(math.dist(pose.position, goal), 3) if pose and goal else None
