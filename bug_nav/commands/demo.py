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

"""``bug_nav demo``: simulator, node and client on this host, and a picture of the run."""

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
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

from bug_nav.algorithms.registry import find
from bug_nav.commands import BadInput, CannotRun, DEFAULT_PLOT, exit_code, Interrupted
from bug_nav.commands.case import goal_of, start_of
from bug_nav.commands.children import Children, module
from bug_nav.commands.domain import confine, own_domain
from bug_nav.commands.pictures import check_picture_file, save_picture
from bug_nav.commands.recordings import check_recording_file, recording_file
from bug_nav.commands.robots import params
from bug_nav.commands.ros_session import (
    client,
    describe,
    follow,
    interrupts,
    need_ros,
    outcome_name,
)
from bug_nav.commands.shortest import shortest_path_of
from bug_nav.core.geometry import Point, Pose
from bug_nav.core.settings import contour_radius
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.robots import check_sensor, find_robot, Preset
from bug_nav.sim.sensors import Sensor
from bug_nav.sim.world import check_start_and_goal, World

READY_TIMEOUT = 300.0
"""How long the nodes may take to come up [s]: the first start compiles, and machines are slow."""


class Scene(NamedTuple):
    """What the demo shows."""

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
    need_ros()
    with interrupts() as interrupted, _log_folder() as logs, own_domain() as domain:
        # Our own messages, too, shall stay on this host.
        confine(os.environ, domain)
        os.environ['ROS_LOG_DIR'] = str(logs)
        with Children() as children:
            _start_nodes(children, arguments, scene, logs)
            with client(interrupted) as navigator, _recording(
                    navigator, arguments.record, scene.robot.sensor) as record:
                try:
                    code = _navigate(navigator, arguments, scene, children, interrupted, record)
                except CannotRun:
                    print(children.last_words(), file=sys.stderr)
                    raise
    return code


def _scene(arguments: argparse.Namespace) -> Scene:
    try:
        world, robot = find_world(arguments.world), find_robot(arguments.robot)
        check_sensor(robot.sensor, robot.model, robot.settings, f"the robot '{arguments.robot}'")
        return Scene(world, *check_start_and_goal(
            world, start_of(world, arguments.start), goal_of(world, arguments.goal),
            robot.model.robot_radius), robot)
    except ValueError as error:
        raise BadInput(str(error)) from error


def _check_plot(plot: str) -> None:
    if plot == DEFAULT_PLOT:
        with contextlib.suppress(OSError):  # the check tells
            Path(plot).parent.mkdir(exist_ok=True)
    check_picture_file(plot)


@contextlib.contextmanager
def _recording(navigator: Any, path: Optional[str], sensor: Sensor) -> Iterator[Any]:
    """Yield what records the topics while the client spins, None where nobody asked for it."""
    if not path:
        yield None
        return
    from bug_nav.ros.client.topic_recording import TopicRecording  # only after need_ros
    with recording_file(path) as file:
        yield TopicRecording(navigator, file, sensor)


@contextlib.contextmanager
def _log_folder() -> Iterator[Path]:
    """Yield a folder for the nodes' output, kept only where something went wrong."""
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

def _start_nodes(children: Children, arguments: argparse.Namespace, scene: Scene, logs: Path
                 ) -> None:
    world = arguments.world if not Path(arguments.world).exists() else os.path.abspath(
        arguments.world)
    start = scene.start
    environment = dict(os.environ, PYTHONUNBUFFERED='1')
    children.start('simulator', module('bug_nav.ros.sim.node', *_ros_arguments({
        'world': world, 'robot': arguments.robot, 'x_pose': start.x, 'y_pose': start.y,
        'yaw': start.theta, 'real_time_factor': arguments.speed})),
        logs / 'simulator.log', environment)
    robot = logs / 'robot.yaml'
    robot.write_text('\n'.join(params(arguments.robot, scene.robot)) + '\n', encoding='utf-8')
    # Ended before the simulator, so that its last command, to stand, arrives.
    children.start('navigator', module('bug_nav.ros.node.main', *_ros_arguments({
        'autostart': True, 'use_sim_time': True}), '--params-file', str(robot)),
        logs / 'navigator.log', environment)


def _ros_arguments(parameters: Dict[str, Any]) -> List[str]:
    arguments = ['--ros-args']
    for name, value in parameters.items():
        # JSON is YAML, in which a path such as 1e3 stays a text.
        arguments += ['-p', f'{name}:={json.dumps(value)}']
    return arguments


# ---- the client -------------------------------------------------------------------------------

def _navigate(navigator: Any, arguments: argparse.Namespace, scene: Scene, children: Children,
              interrupted: Callable[[], bool], recording: Any) -> int:
    """Send the goal, follow it to its end, draw the run and tell; return the exit code."""
    from bug_nav.ros.client.recorder import Recorder  # only after need_ros
    recorder = Recorder(navigator)
    print(f'{scene.world.name}: from ({scene.start.x:g}, {scene.start.y:g}) to '
          f'({scene.goal[0]:g}, {scene.goal[1]:g}); simulator and node are starting ...')
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
    save_picture(_record(recorder, navigator.result, arguments, scene, outcome), arguments.plot)
    print(f'  {"picture":<11} {arguments.plot}')
    if recording is not None:
        print(f'  {"recording":<11} {arguments.record}')
    return exit_code(outcome)


def _send(navigator: Any, arguments: argparse.Namespace, scene: Scene, children: Children,
          interrupted: Callable[[], bool], recorded: Callable[[], bool]) -> None:
    """Send the goal as soon as there is a node that takes it, and whoever records is ready."""
    pose = navigator.makePose(*scene.goal)
    deadline = time.monotonic() + READY_TIMEOUT
    while time.monotonic() < deadline:
        if interrupted():
            raise Interrupted
        _check_alive(children)
        if not navigator.waitUntilReady(0.5):
            continue
        if not recorded():
            navigator.spin()
            continue
        # Configured, but perhaps not active yet: then the goal is rejected. Where the answer does
        # not come, the next goal replaces this one.
        with contextlib.suppress(TimeoutError):
            if navigator.goToPose(pose, arguments.algorithm, turn_direction=arguments.turn,
                                  time_allowance=arguments.time_allowance):
                return
        navigator.spin()
    raise CannotRun(f'the nodes were not ready within {READY_TIMEOUT:g} s')


def _check_alive(children: Children) -> None:
    if children.dead is not None:
        raise CannotRun(f'the {children.dead.name} has ended before its time')


def _record(recorder: Any, result: Any, arguments: argparse.Namespace, scene: Scene, outcome: str
            ) -> Any:
    model, settings = scene.robot.model, scene.robot.settings
    rho = result.contour_radius or contour_radius(model, settings)
    turn = arguments.turn or settings.turn_direction
    shortest = shortest_path_of(scene.world, scene.start, scene.goal, rho,
                                settings.xy_goal_tolerance)
    return recorder.record(
        result, world=scene.world, start=scene.start, goal=scene.goal, turn=turn,
        outcome=outcome, **_told_of(recorder.algorithm or arguments.algorithm),
        robot_radius=model.robot_radius, contour_radius=rho,
        goal_tolerance=settings.xy_goal_tolerance, shortest_path=shortest)


def _told_of(algorithm: str) -> Dict[str, Any]:
    """Return what a picture tells of an algorithm; its name where this process has none such."""
    try:
        facts = find(algorithm).facts
    except ValueError:
        return {'algorithm': algorithm or 'run', 'has_m_line': False}
    return {'algorithm': facts.title, 'has_m_line': facts.m_line}
