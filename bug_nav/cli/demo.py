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

"""``bug_nav demo``: run simulator, node and client on this host and draw the run."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from pathlib import Path
import shutil
import sys
import tempfile
import time
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, TYPE_CHECKING

from bug_nav.cli import CannotRun, DEFAULT_PLOT, exit_code, Interrupted, report_notes
from bug_nav.cli.child_processes import ChildProcesses, module
from bug_nav.cli.recording_files import check_recording_file, recording_file
from bug_nav.cli.robots import parameter_file
from bug_nav.cli.ros_domain import confine, reserved_domain
from bug_nav.cli.ros_session import (
    catch_signals,
    client,
    describe,
    follow,
    outcome_name,
    require_ros,
)
from bug_nav.files import BadInput
from bug_nav.lab.reference_lengths import shortest_path_length
from bug_nav.navigation.algorithms.base import TURN_BY_ALGORITHM
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.settings import contour_radius
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import check_sensor, find_robot, Preset
from bug_nav.simulation.sensors import Sensor
from bug_nav.simulation.world import check_start_and_goal, World
from bug_nav.visualization.plot_files import check_picture_file, save_picture

if TYPE_CHECKING:
    from bug_nav.visualization.record import RunRecord

READY_TIMEOUT = 300.0
"""Maximum start-up time of the nodes, including kernel compilation [s]."""


class Scene(NamedTuple):
    """World, start, goal and robot of the demo."""

    world: World
    start: Pose
    goal: Point
    robot: Preset


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    scene = _scene(arguments)
    _check_plot(arguments.plot)
    if arguments.record:
        check_recording_file(arguments.record)
    require_ros()
    report_notes(scene.world)
    with catch_signals() as interrupted, _log_folder() as logs, reserved_domain() as domain:
        # This process must stay on this host, too.
        confine(os.environ, domain)
        os.environ['ROS_LOG_DIR'] = str(logs)
        with ChildProcesses() as children:
            _start_nodes(children, arguments, scene, logs)
            with client(interrupted) as navigator, _recording(
                    navigator, arguments.record, scene.robot.sensor) as record:
                try:
                    run = _navigate(navigator, arguments, scene, children, interrupted, record)
                except CannotRun:
                    print(children.log_tail(), file=sys.stderr)
                    raise
        # The recording is complete now, and stays if the picture cannot be written.
        if arguments.record:
            print(f'  {"recording":<11} {arguments.record}')
        save_picture(run, arguments.plot)
        print(f'  {"picture":<11} {arguments.plot}')
    return exit_code(run.outcome)


def _scene(arguments: argparse.Namespace) -> Scene:
    try:
        world, robot = find_world(arguments.world), find_robot(arguments.robot)
        check_sensor(robot.sensor, robot.model, robot.settings, f"the robot '{arguments.robot}'")
        return Scene(world, *check_start_and_goal(
            world, arguments.start or world.start, arguments.goal or world.goal,
            robot.model.robot_radius), robot)
    except ValueError as error:
        raise BadInput(str(error)) from error


def _check_plot(plot: str) -> None:
    if plot == DEFAULT_PLOT:
        with contextlib.suppress(OSError):  # reported by the check
            Path(plot).parent.mkdir(exist_ok=True)
    check_picture_file(plot)


@contextlib.contextmanager
def _recording(navigator: Any, path: Optional[str], sensor: Sensor) -> Iterator[Any]:
    """Yield the recorder of the topics; None without --record."""
    if not path:
        yield None
        return
    from bug_nav.ros.client.topic_recording import TopicRecording  # only after require_ros
    with recording_file(path) as file:
        yield TopicRecording(navigator, file, sensor)


@contextlib.contextmanager
def _log_folder() -> Iterator[Path]:
    """Yield a folder for the output of the nodes; keep it only after a failure."""
    folder = Path(tempfile.mkdtemp(prefix='bug_nav_demo_'))
    try:
        yield folder
    except CannotRun:
        print(f'bug_nav: the output of the nodes is in {folder}', file=sys.stderr)
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


# ---- the nodes --------------------------------------------------------------------------------

def _start_nodes(children: ChildProcesses, arguments: argparse.Namespace, scene: Scene, logs: Path
                 ) -> None:
    world = arguments.world if not Path(arguments.world).exists() else os.path.abspath(
        arguments.world)
    start = scene.start
    environment = dict(os.environ, PYTHONUNBUFFERED='1')
    children.start('simulator', module('bug_nav.ros.sim.node', *_ros_arguments({
        'world': world, 'robot': arguments.robot, 'base_frame_id': scene.robot.base_frame,
        'x_pose': start.x, 'y_pose': start.y, 'yaw': start.theta,
        'real_time_factor': arguments.speed})),
        logs / 'simulator.log', environment)
    robot = logs / 'robot.yaml'
    robot.write_text('\n'.join(parameter_file(arguments.robot, scene.robot)) + '\n',
                     encoding='utf-8')
    # Stopped before the simulator, so that the final stop command arrives.
    children.start('navigator', module('bug_nav.ros.node.main', *_ros_arguments({
        'autostart': True, 'use_sim_time': True}), '--params-file', str(robot)),
        logs / 'navigator.log', environment)


def _ros_arguments(parameters: Dict[str, Any]) -> List[str]:
    arguments = ['--ros-args']
    for name, value in parameters.items():
        # JSON is valid YAML and keeps a path such as 1e3 a string.
        arguments += ['-p', f'{name}:={json.dumps(value)}']
    return arguments


# ---- the client -------------------------------------------------------------------------------

def _navigate(navigator: Any, arguments: argparse.Namespace, scene: Scene,
              children: ChildProcesses, interrupted: Callable[[], bool], recording: Any
              ) -> RunRecord:
    """Send the goal, follow it to its result and report it; return its record."""
    from bug_nav.ros.client.recorder import Recorder  # only after require_ros
    recorder = Recorder(navigator)
    print(f'{scene.world.name}: from ({scene.start.x:g}, {scene.start.y:g}) to '
          f'({scene.goal[0]:g}, {scene.goal[1]:g}); starting simulator and node ...')
    sys.stdout.flush()
    _send(navigator, arguments, scene, children, interrupted,
          lambda: recorder.is_receiving and (recording is None or recording.is_receiving))

    def watch() -> None:
        for listener in filter(None, (recorder, recording)):
            listener.add_feedback(navigator.getFeedback())
        _check_alive(children)

    follow(navigator, interrupted, watch)
    outcome = outcome_name(navigator)
    if outcome == 'bad_goal':
        raise BadInput(navigator.message)
    if recording is not None:
        recording.finish(outcome, navigator.result, navigator.spin)
    print(describe(outcome, navigator.result))
    return _record(recorder, navigator.result, arguments, scene, outcome)


def _send(navigator: Any, arguments: argparse.Namespace, scene: Scene, children: ChildProcesses,
          interrupted: Callable[[], bool], recorders_ready: Callable[[], bool]) -> None:
    """Send the goal as soon as the node accepts it and the recorders are ready."""
    pose = navigator.makePose(*scene.goal)
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline:
        if interrupted():
            raise Interrupted
        _check_alive(children)
        if not navigator.waitUntilReady(0.5):
            continue
        if not recorders_ready():
            navigator.spin()
            continue
        # A configured node that is not active rejects the goal. After a timeout, the next goal
        # replaces this one.
        with contextlib.suppress(TimeoutError):
            if navigator.goToPose(pose, arguments.algorithm, turn_direction=arguments.turn,
                                  time_allowance=arguments.time_allowance):
                return
        navigator.spin()
    raise CannotRun(f'the nodes were not ready within {READY_TIMEOUT:g} s')


def _check_alive(children: ChildProcesses) -> None:
    if children.exited is not None:
        raise CannotRun(f'the {children.exited.name} exited unexpectedly')


def _record(recorder: Any, result: Any, arguments: argparse.Namespace, scene: Scene, outcome: str
            ) -> RunRecord:
    model, settings = scene.robot.model, scene.robot.settings
    rho = result.contour_radius or contour_radius(model, settings)
    shortest = shortest_path_length(scene.world, scene.start, scene.goal, rho,
                                    settings.xy_goal_tolerance)
    return recorder.record(
        result, world=scene.world, start=scene.start, goal=scene.goal,
        outcome=outcome, **_algorithm_labels(recorder.algorithm or arguments.algorithm,
                                             arguments.turn or settings.turn_direction),
        robot_radius=model.robot_radius, contour_radius=rho,
        goal_tolerance=settings.xy_goal_tolerance, shortest_path=shortest)


def _algorithm_labels(algorithm: str, turn: str) -> Dict[str, Any]:
    """Return title, M-line flag and turn direction; the name of an algorithm unknown here."""
    try:
        metadata = find(algorithm).metadata
    except ValueError:
        return {'algorithm': algorithm or 'run', 'has_m_line': False, 'turn': turn}
    return {'algorithm': metadata.title, 'has_m_line': metadata.m_line,
            'turn': '' if metadata.turn == TURN_BY_ALGORITHM else turn}
