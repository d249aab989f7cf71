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
The executable ``bug_sim``: the embedded simulator as a node.

Odometry starts in the world's frame and is the ground truth unless drift is configured, as with
Gazebo classic's diff drive, so that goals in its frame are world coordinates. To relocate the
robot (``initialpose``) is therefore a jump of odometry. A robot with single rangers publishes
each on ``range/NAME`` instead of a scan; a localizer publishes map to odom. Each of several
robots (``robots``) has its own namespace and frames.
"""

from __future__ import annotations

import copy
import dataclasses
import math
import sys
import time
from typing import Any, Callable, Dict, Optional, Sequence, Set, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.names import listed
from bug_nav.navigation.settings import RobotModel
from bug_nav.ros import process
from bug_nav.ros.fields import declare_field, read
from bug_nav.ros.sim.output import RobotOutput, world_frame, WorldOutput
from bug_nav.ros.sim.robot import SimRobot
from bug_nav.ros.sim.settings import SimSettings, SimSwitches
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.latency import IDEAL, LatencyQueue, TimingModel
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.other_robots import OtherRobots
from bug_nav.simulation.parts import Parts
from bug_nav.simulation.robots import find_robot, with_parts
from bug_nav.simulation.scene import Scene
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Empty

MOVERS_PERIOD = 0.2
"""Period of publishing movers [s]."""
GRAPH_PERIOD = 1.0
"""Period of the search for nodes with another type or quality of service [s]."""


class BugSim(Node):
    """Disc robots with a lidar, or with rangers, in a world."""

    def __init__(self, node_name: str = 'bug_sim', **kwargs: Any):
        """Place the robot in the world; ValueError, in one sentence, if that fails."""
        super().__init__(node_name, **kwargs)
        self._declare(SimSettings(), ('robot',))
        self._declare(Parts())
        preset = with_parts(find_robot(self.get_parameter('robot').value), read(self, Parts))
        sensor = preset.sensor
        lidar = sensor if isinstance(sensor, LidarModel) else None
        step = lidar.increment if lidar else SimSettings.scan_angle_increment
        self._declare(SimSettings(scan_angle_increment=step), exclude=('robot',))
        self._declare(preset.model)
        # A goal beacon is for simulations that also provide the goal; here clients do.
        self._declare(preset.odometry, exclude=('goal_beacon',))
        self._declare(IDEAL)
        self._declare(SimSwitches(), live=True)
        if lidar:
            self._declare(lidar, exclude=('scan_count',))  # it follows from the increment
        self.settings = read(self, SimSettings)
        self._model = read(self, RobotModel)
        self._odometry = read(self, OdometryModel, changed={'goal_beacon': False})
        self._sensor = self._read_lidar() if lidar else sensor
        self._world = find_world(self.settings.world)
        for note in self._world.notes:
            self.get_logger().warning(note)
        self._preset_settings = preset.settings
        self._scan_every = self._every(self._sensor.period)
        self._robots = [self._robot(name, start, number) for number, (name, start) in enumerate(
            (self.settings.team or {'': self._read_start()}).items())]
        self._begin()
        self._output = WorldOutput(self, self._world, world_frame(
            self.settings, self._odometry) or self.settings.odom_frame_id)
        self._counts: Dict[str, Tuple[int, int]] = {}
        self._last_stamp = -math.inf
        self.create_service(Empty, '~/reset', self._on_reset)
        self.unmatched: Set[str] = set()
        """Sentences on nodes that cannot communicate with this one, each logged once."""
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(GRAPH_PERIOD, self._check_endpoints, clock=self._steady)

    def _declare(self, defaults: Any, only: Sequence[str] = (), exclude: Sequence[str] = (),
                 live: bool = False) -> None:
        """Declare the fields of a dataclass, with the values of an instance as defaults."""
        for field in dataclasses.fields(defaults):
            if field.name not in exclude and (not only or field.name in only):
                field = copy.copy(field)
                field.default = getattr(defaults, field.name)
                declare_field(self, field.name, field, live)

    def _robot(self, name: str, start: Pose, number: int) -> SimRobot:
        link = LatencyQueue(read(self, TimingModel),
                            np.random.default_rng((self.settings.seed + number, 2)))
        output = RobotOutput(self, self.settings, name, self._sensor, self._odometry, link)
        return SimRobot(self, name, start, self.settings, output)

    def _every(self, period: float) -> int:
        """Return the number of steps in ``period`` [s], at least one."""
        return max(round(period / self.settings.update_duration), 1)

    def _begin(self) -> None:
        """Start at time zero, with robots and movers at their start poses."""
        self._steps = 0
        self._due: Set[str] = set()
        scene: Optional[Scene] = None
        for number, robot in enumerate(self._robots):
            robot.begin(Simulator(self._world, robot.start, self._model, self._sensor,
                                  self.settings.seed + number, self._odometry, scene,
                                  self.settings.contact == 'slide'),
                        self.settings.update_duration)
            scene = robot.simulator.scene
        for robot in self._robots:
            robot.check(robot.start)
        self._traffic = OtherRobots(self._first, self._preset_settings, self._sensor,
                                    self._odometry, self.settings.seed + len(self._robots))

    @property
    def _first(self) -> Simulator:
        return self._robots[0].simulator

    @property
    def is_ready(self) -> bool:
        """Return whether all due commands have arrived, and at least one."""
        commanded = {robot.name for robot in self._robots if robot.commanded}
        return bool(commanded) and commanded >= self._due

    @property
    def patience(self) -> float:
        """Return the maximum wait of the next step for commands [s]."""
        return max(robot.patience for robot in self._robots)

    @property
    def description(self) -> str:
        """Return world, robot and topics as text."""
        published = [topic for robot in self._robots for topic in robot.output.topics]
        return (f'simulating world {self._world.name} ({self.settings.robot}); publishes '
                f'{listed(published, 40)}, listens to '
                f'{listed([robot.command_topic for robot in self._robots], 40)}')

    # ---- time ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Publish the current state, and the clock last, because it triggers ticks."""
        switches = read(self, SimSwitches)
        stamp = (self._first.stamp if switches.publish_clock
                 else self.get_clock().now().nanoseconds * 1e-9)
        if stamp < self._last_stamp:  # publish_clock was set, or the clock was set back
            for robot in self._robots:
                robot.output.restart()
        self._last_stamp = stamp
        for robot in self._robots:
            robot.output.publish(
                robot.simulator, stamp, self._steps % self._scan_every == 0, switches)
            robot.commanded = False
        self._due = {robot.name for robot in self._robots if robot.is_due}
        if not self._first.scene.is_static and self._steps % self._every(MOVERS_PERIOD) == 0:
            self._output.publish_movers(self._first.scene.seen_by(self._first), stamp)
        counts = {robot.name: robot.counts for robot in self._robots}
        counts.update((f'other robot {number}', (other.simulator.contacts, other.simulator.bumped))
                      for number, other in enumerate(self._traffic.robots, 1))
        if counts != self._counts:
            self._counts = counts
            self._output.publish_contacts(counts, stamp)
        if switches.publish_clock:
            self._output.publish_clock_time(stamp)

    def step(self) -> None:
        """Advance by one step."""
        self._steps += 1
        dt = self.settings.update_duration
        for robot in self._robots:
            robot.step(self._steps * dt, dt)
        every = self._every(PERIOD)
        if self._steps % every == 0:
            self._traffic.step(every * dt)

    def _check_endpoints(self) -> None:
        """Report each node that cannot communicate with this one, once."""
        found = {sentence for robot in self._robots for sentence in robot.unmatched()}
        for sentence in sorted(found - self.unmatched):
            self.get_logger().error(sentence)
        self.unmatched |= found

    def _on_reset(self, request: Empty.Request, response: Empty.Response) -> Empty.Response:
        """Restart at the start poses and time zero, like Gazebo's reset_simulation."""
        self._begin()
        for robot in self._robots:
            robot.output.restart()
        return response

    def _read_lidar(self) -> LidarModel:
        first, last = (self.get_parameter(name).value
                       for name in ('scan_angle_min', 'scan_angle_max'))
        count = round((last - first) / self.settings.scan_angle_increment) + 1
        return read(self, LidarModel, changed={'scan_count': count})

    def _read_start(self) -> Pose:
        given = (self.settings.x_pose, self.settings.y_pose, self.settings.yaw)
        of_world = self._world.start or (0.0, 0.0, 0.0)
        start = Pose(*(default if math.isnan(value) else value
                       for value, default in zip(given, of_world)))
        if not all(map(math.isfinite, start)):
            raise ValueError(f'x_pose, y_pose and yaw are {given}; they have to be finite, or nan '
                             "for the world's start")
        return start


def main(args: Optional[Sequence[str]] = None) -> int:
    """Run the node until SIGINT or SIGTERM."""
    process.check_arguments('bug_sim', 'Simulates robots in a world: lidar, odometry, contacts.',
                            args)
    with process.running('bug_sim', BugSim, args) as (node, interrupt):
        node.get_logger().info(node.description)
        run(node, lambda: interrupt.received)
    return 0


def run(node: BugSim, is_over: Callable[[], bool]) -> None:
    """Simulate until a condition holds, at the factor that is set."""
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    (_run_in_real_time if node.settings.real_time_factor else _run_in_lockstep)(
        node, executor, is_over)


def _run_in_real_time(node: BugSim, executor: Any, is_over: Callable[[], bool]) -> None:
    """Step at a fixed rate; lost time is not caught up."""
    period = node.settings.update_duration / node.settings.real_time_factor
    due = time.monotonic()
    while not is_over():
        node.publish()
        due = max(due + period, time.monotonic())
        process.spin_until(executor, is_over, due - time.monotonic())
        node.step()


def _run_in_lockstep(node: BugSim, executor: Any, is_over: Callable[[], bool]) -> None:
    """Step when the due commands have arrived, regardless of the speed of the machine."""
    while not is_over():
        node.publish()
        process.spin_until(executor, lambda: is_over() or node.is_ready, node.patience)
        node.step()


if __name__ == '__main__':
    sys.exit(main())
