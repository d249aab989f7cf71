#!/usr/bin/env python3
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
Drive the same goals in Gazebo and in the embedded simulator, and compare.

    python3 tools/compare_with_gazebo.py convex maze --out gazebo.png

Needs a sourced workspace with gazebo_ros and turtlebot3_gazebo. Each goal is sent with
``ros2 action send_goal -f``, whose output is stored in a folder and compared by outcome, hits and
length, with the run of nearest length among ten of the embedded simulator with different seeds. To
run Gazebo faster than real time: ``--speed 2``.
"""

from __future__ import annotations

import argparse
import math
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import time
from typing import Dict, List, NamedTuple, Sequence

from bug_nav.messages.ros_distribution import confine
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Point, Pose, wrap
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.ros.launching.resources import gazebo_world, start_and_goal
from bug_nav.ros.results import outcome_of
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.world import World
from bug_nav.visualization.episode_plot import save_figure
from bug_nav.visualization.record import Mark, record_of, RunRecord, Step
from bug_nav.visualization.sheet import draw_sheet
from PIL import Image
import yaml

MODEL, SETTINGS = RobotModel(), Settings()
GOALS: Dict[str, List[Point]] = {
    'convex': [(3.1, 3.2), (2.5, -2.5)],
    'maze': [(5.3, 0.75), (6.8, 0.75)],
    'labyrinth': [(8.25, 4.95), (3.85, 4.95)],
    'turtlebot3_world': [(2.0, 0.5), (0.0, 0.0)]}
"""A reachable and an unreachable goal in each world [m]."""
BLOCK = re.compile(r'^(Feedback|Result):\n    (.*?)(?=^Feedback:|^Result:|^Goal finished|\Z)',
                   re.MULTILINE | re.DOTALL)
ACTIVE = re.compile(r'^active', re.MULTILINE)
READY, STOP = 120.0, 30.0
SEEDS = 10


class Scene(NamedTuple):
    """A world of both simulators."""

    name: str
    world: World
    start: Pose
    goals: Sequence[Point]


class Gazebo:
    """A launch of gazebo_demo.launch.py, stopped by SIGINT."""

    def __init__(self, scene: Scene, folder: Path, speed: float):
        """Start the launch and wait until the node is active."""
        self._log = folder / f'{scene.name}_launch.log'
        with open(self._log, 'wb') as log:
            self._process = subprocess.Popen(
                ['ros2', 'launch', 'bug_nav', 'gazebo_demo.launch.py', 'headless:=true',
                 f'world:={scene.name}'], stdout=log, stderr=subprocess.STDOUT,
                start_new_session=True,
                # A shell ignores SIGINT for background processes.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        try:
            self._wait_until_active()
        except BaseException:  # also Ctrl-C: the launch has its own session
            self.end()
            raise
        if speed != 1.0:
            output('gz', 'physics', '-u', f'{1000.0 * speed:.0f}')

    def _wait_until_active(self) -> None:
        deadline = time.monotonic() + READY
        while not ACTIVE.search(output('ros2', 'lifecycle', 'get', '/bug_navigator')):
            if time.monotonic() > deadline or self._process.poll() is not None:
                sys.exit(f'the launch has failed; see {self._log}')

    def reset(self) -> None:
        """Reset the robot to its start."""
        output('ros2', 'service', 'call', '/reset_world', 'std_srvs/srv/Empty')

    def end(self) -> None:
        """Stop the launch and report remaining processes; kill a launch that does not end."""
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(STOP)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        left = output('ps', '-o', 'pid=,args=', '-g', str(self._process.pid)).strip()
        if left:
            print(f'left after SIGINT: {left}')


def output(*command: str) -> str:
    """Return the output of a command."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False).stdout


def send(goal: Point, algorithm: str) -> str:
    """Send a goal and return the output of the command."""
    request = yaml.safe_dump({
        'pose': {'pose': {'position': {'x': goal[0], 'y': goal[1]}}}, 'algorithm': algorithm},
        default_flow_style=True, width=1000).strip()
    return output('ros2', 'action', 'send_goal', '-f', '/navigate_bug',
                  'bug_nav_msgs/action/NavigateBug', request)


def in_gazebo(scene: Scene, goal: Point, algorithm: str, file: Path) -> RunRecord:
    """Return the run of a stored output."""
    text = file.read_text(encoding='utf-8')
    blocks = [(match[1], yaml.load(match[2], Loader=getattr(yaml, 'CSafeLoader', yaml.SafeLoader)))
              for match in BLOCK.finditer(text)]
    result = next((block for kind, block in blocks if kind == 'Result'), None)
    if result is None:
        sys.exit(f'{file}: no result')
    steps = tuple(Step(pose_of(block['current_pose']['pose']),
                       block['state_name'].partition('/')[2])
                  for kind, block in blocks if kind == 'Feedback')
    marks = tuple(Mark(kind, point['index'], pose_of(point['pose']).position)
                  for kind in ('hit', 'leave') for point in result[f'{kind}_points'])
    elapsed = result['total_elapsed_time']
    return RunRecord(
        scene.world, f'{find(algorithm).metadata.title} in Gazebo', 'left', scene.start, goal,
        SETTINGS.xy_goal_tolerance, MODEL.robot_radius, contour_radius(MODEL, SETTINGS),
        outcome_of(result['outcome']).value, result['error_msg'], steps, marks,
        result['path_length'], elapsed['sec'] + 1e-9 * elapsed['nanosec'],
        has_m_line=find(algorithm).metadata.m_line)


def pose_of(pose: dict) -> Pose:
    """Return the pose of a printed message."""
    turn = pose['orientation']
    return Pose(pose['position']['x'], pose['position']['y'],
                wrap(2.0 * math.atan2(turn['z'], turn['w'])))


def embedded(scene: Scene, goal: Point, algorithm: str, seed: int) -> RunRecord:
    """Drive to the goal in the embedded simulator."""
    made = find(algorithm)
    episode = run_episode(scene.world, scene.start, goal, made(), seed=seed)
    return record_of(episode, f'{made.metadata.title}, embedded', 'left',
                     goal_tolerance=SETTINGS.xy_goal_tolerance, robot_radius=MODEL.robot_radius,
                     contour_radius=contour_radius(MODEL, SETTINGS),
                     has_m_line=made.metadata.m_line)


def scenes(arguments: argparse.Namespace) -> List[Scene]:
    """Return the requested worlds."""
    files = {name: gazebo_world(name) for name in arguments.worlds}
    return [Scene(name, find_world(file), start_and_goal(file)[0], GOALS[name])
            for name, file in files.items()]


def main() -> int:
    """Compare; return 1 if any run differs."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('worlds', nargs='+', choices=list(GOALS))
    parser.add_argument('--algorithms', default='bug1,bug2,tangent_bug')
    parser.add_argument('--speed', type=float, default=1.0)
    parser.add_argument('--kept', action='store_true', help='compare the outputs in the folder')
    parser.add_argument('--folder', type=Path, default=Path('gazebo_runs'))
    parser.add_argument('--out', default='gazebo_{}.png')
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    confine(os.environ)
    agree = True
    row = '{:<17} {:<12} {:<9} {:>27} {:>27} {:>17} {:>6}  {}'
    print(row.format('world', 'algorithm', 'goal', 'Gazebo', 'embedded, nearest',
                     f'of {SEEDS} seeds', 'ratio', ''), flush=True)
    for scene in scenes(arguments):
        gazebo = None if arguments.kept else Gazebo(scene, arguments.folder, arguments.speed)
        records = []
        algorithms = arguments.algorithms.split(',')
        try:
            for goal in scene.goals:
                for algorithm in algorithms:
                    file = arguments.folder / (
                        f'{scene.name}_{algorithm}_{goal[0]:g}_{goal[1]:g}.txt')
                    if gazebo is not None:
                        gazebo.reset()
                        file.write_text(send(goal, algorithm), encoding='utf-8')
                    one = in_gazebo(scene, goal, algorithm, file)
                    # Range noise may decide the side of an obstacle, also in Gazebo.
                    others = [embedded(scene, goal, algorithm, seed) for seed in range(SEEDS)]
                    lengths = [each.path_length for each in others]
                    other = min(others, key=lambda each: abs(
                        each.path_length - one.path_length))
                    records += [one, other]
                    ratio = one.path_length / other.path_length
                    same = (one.outcome == other.outcome and abs(ratio - 1.0) <= 0.1
                            and one.count('hit') == other.count('hit'))
                    agree &= same
                    ends = (f'{each.outcome} {each.path_length:.2f} m {each.count("hit")} hits'
                            for each in (one, other))
                    seeds = f'{min(lengths):.2f} to {max(lengths):.2f} m'
                    print(row.format(scene.name, algorithm, f'{goal[0]:g},{goal[1]:g}', *ends,
                                     seeds, f'{ratio:.3f}', '' if same else 'DIFFERS'), flush=True)
        finally:
            if gazebo is not None:
                gazebo.end()
            if records:
                picture = arguments.out.format(scene.name)
                save_figure(draw_sheet(records, 2 * len(algorithms)), picture, 84)
                Image.open(picture).convert('RGB').quantize(64).save(picture, optimize=True)
    return 0 if agree else 1


if __name__ == '__main__':
    sys.exit(main())
