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
"""
The executable ``bug_movers``: moves the people and doors of a world in Gazebo.

It reads the world file like the embedded simulator, with the same scripts, doors and people, and
sets the poses of Gazebo's models through the service of libgazebo_ros_state.so. The scripts run
in Gazebo's time.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from typing import Any, Dict, Optional, Sequence

from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros import process
from bug_nav.ros.conversions import to_pose
from bug_nav.ros.fields import declare_field, read
from bug_nav.ros.sim.settings import MoversSettings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.scene import Scene
from gazebo_msgs.msg import EntityState, ModelStates
from gazebo_msgs.srv import SetEntityState
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

PERIOD = 0.05
"""Period of the movements [s]."""
MAX_STEPS = 200
"""Maximum number of steps in a tick, so that it ends soon."""
REPEAT = 10.0
"""Period of repeated warnings [s]."""
HIDDEN_HEIGHT = -10.0
"""Height of an absent model, below the ground [m]."""
NO_POSE = Pose(math.nan, math.nan, math.nan)
"""Pose of a model that was never placed."""


@dataclasses.dataclass
class _Robot:
    """A robot in Gazebo."""

    pose: Pose


class BugMovers(Node):
    """Moves the models of people and doors."""

    def __init__(self, node_name: str = 'bug_movers', **kwargs: Any):
        """Read the world; ValueError, in one sentence, if that fails."""
        super().__init__(node_name, **kwargs)
        for field in dataclasses.fields(MoversSettings):
            declare_field(self, field.name, field, live=False)
        self._settings = read(self, MoversSettings)
        self._names = [name.strip() for name in self._settings.robots.split(',')]
        self._world = find_world(self._settings.world)
        self._robots: Dict[str, _Robot] = {}
        self._heights: Dict[str, float] = {}
        self._begin()
        self._service = self.create_client(SetEntityState, '/gazebo/set_entity_state')
        self.create_subscription(ModelStates, '/gazebo/model_states', self._on_states, 10)
        self.create_timer(PERIOD, self._tick)

    def _begin(self) -> None:
        """Set the scene to time zero."""
        self._scene = Scene(self._world)
        for robot in self._robots.values():
            self._scene.join(robot, self._settings.robot_radius)
        self._stamp = 0.0
        self._placed: Dict[str, Optional[Pose]] = {}
        self._requests: Dict[str, Any] = {}

    def _on_states(self, message: ModelStates) -> None:
        for name, pose in zip(message.name, message.pose):
            self._heights.setdefault(name, pose.position.z)
            if name not in self._names:
                continue
            try:
                place = planar(pose)
            except ValueError as error:
                self.get_logger().warning(f'the robot {name}: {error}',
                                          throttle_duration_sec=REPEAT)
                continue
            if name in self._robots:
                self._robots[name].pose = place
            else:
                self._robots[name] = _Robot(place)
                self._scene.join(self._robots[name], self._settings.robot_radius)

    def _tick(self) -> None:
        stamp = self.get_clock().now().nanoseconds * 1e-9
        if not self._service.service_is_ready():
            return
        if stamp < self._stamp:  # Gazebo was reset
            self._begin()
        # In steps of at most the period, so that no mover jumps over a robot; of a long time, such
        # as the age of Gazebo at the start, only the end.
        self._stamp = max(self._stamp, stamp - MAX_STEPS * PERIOD)
        steps = max(math.ceil((stamp - self._stamp) / PERIOD), 1)
        dt = (stamp - self._stamp) / steps
        for _ in range(steps):
            self._stamp += dt
            self._scene.step(self._stamp, dt)
        for mover, body in zip(self._world.movers, self._scene.bodies):
            self._place(mover.name, body.pose)

    def _place(self, name: str, pose: Optional[Pose]) -> None:
        """Request a model's pose, unless it has that pose or a request is pending."""
        request = self._requests.get(name)
        if (name not in self._heights or (request is not None and not request.done())
                or self._placed.get(name, NO_POSE) == pose):
            return
        state = EntityState(name=name, pose=to_pose(pose or IDENTITY), reference_frame='world')
        state.pose.position.z = HIDDEN_HEIGHT if pose is None else self._heights[name]
        self._placed[name] = pose
        self._requests[name] = self._service.call_async(SetEntityState.Request(state=state))


def main(args: Optional[Sequence[str]] = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    process.check_arguments('bug_movers', 'Moves people and doors of a world in Gazebo.', args)
    with process.running('bug_movers', BugMovers, args) as (node, interrupt):
        executor = SingleThreadedExecutor()
        executor.add_node(node)
        process.spin_until(executor, lambda: interrupt.received, math.inf)
    return 0


if __name__ == '__main__':
    sys.exit(main())
