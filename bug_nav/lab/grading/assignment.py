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
An assignment (worlds, rules, rubric) and the submissions to it, as YAML or as arguments.

docs/grade.md describes the keys.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache
import hashlib
from pathlib import Path
import re
import shlex
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from bug_nav.lab.grading.judgement import truth_of
from bug_nav.lab.grading.rubric import Criterion, DEFAULT
from bug_nav.lab.grading.submission_process import Limits
from bug_nav.lab.spec import read_document
from bug_nav.lab.spec_values import (
    choice,
    file_name,
    flag,
    key,
    list_of,
    mapping,
    number,
    numbers,
    one_or_list,
    read_fields,
    Reader,
    SpecError,
    text,
    whole,
)
from bug_nav.navigation.names import shown, unknown
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import find_robot, Preset, ROBOTS
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import check_start_and_goal, World

SUITES = Path(__file__).parent / 'suites'
MAX_SEED = 2 ** 31 - 1
MAX_SEEDS = 50
"""Maximum number of seeds that are tried for a world."""
DELIVERIES = ('topic', 'action', 'service', 'parameter')
EMBEDDED, GAZEBO = 'bug_sim', 'gazebo'
"""Simulators."""
GAZEBO_ROBOTS = ('burger', 'waffle_pi')
"""Robots that have a model for Gazebo, of turtlebot3_gazebo."""
UNREACHABLE_LINE = r"\b(unreachable|not reachable|cannot be reached|can't be reached)\b"
"""Line of the output that counts as a verdict, in any case."""


def _any_mapping(value: Any, place: str) -> Dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise SpecError(f'{place} is {shown(value)}; give a mapping')
    return dict(value)


def _pattern(value: Any, place: str) -> str:
    try:
        re.compile(text.read(value, place))
    except re.error as error:
        raise SpecError(f'{place} is {shown(value)}, which is no regular expression ({error})'
                        ) from None
    return str(value)


@dataclasses.dataclass(frozen=True)
class Course:
    """A world to drive in."""

    world: str = key(text, 'as for `bug_nav run`; {seed} is the seed of the submission',
                     required=True)
    start: Tuple[float, ...] = key(
        numbers(3, -1e5, 1e5), "x, y [m] and yaw [rad] (default: the world's)", default=())
    goal: Tuple[float, ...] = key(
        numbers(2, -1e5, 1e5), "x and y [m] (default: the world's)", default=())

    def named(self, seed: int) -> str:
        """Return the name of the world for a seed."""
        return self.world.replace('{seed}', str(seed))

    def label(self, seed: int) -> str:
        """Return the name of the world with the start and goal that are given."""
        places = (('from', self.start[:2]), ('to', self.goal))
        return ' '.join([self.named(seed), *(
            f'{word} ({place[0]:g}, {place[1]:g})' for word, place in places if place)])


def _course(value: Any, place: str) -> Course:
    if not isinstance(value, dict):
        return Course(text.read(value, place))
    found: Course = read_fields(Course, value, place)
    return found


any_mapping = Reader('a mapping', _any_mapping)
pattern = Reader('a regular expression', _pattern)


@dataclasses.dataclass(frozen=True)
class Submission:
    """A program that is graded."""

    name: str = key(file_name, 'name in tables and of its page', default='submission')
    python: str = key(text, 'a Python file with step(scan, pose, goal), instead of a command',
                      default='')
    function: str = key(text, 'name of the function in that file', default='step')
    command: Tuple[str, ...] = key(
        one_or_list(text), 'commands that start the program; {x}, {y} and {yaw} are the goal, '
        '{seed} is the seed', default=())
    folder: str = key(text, 'working folder of the commands, relative to this file', default='')
    setup: Tuple[str, ...] = key(
        one_or_list(text), 'setup files that bash sources first', default=())
    environment: Dict[str, Any] = key(mapping(), 'additional environment variables', default={})
    goal: Dict[str, Any] = key(
        any_mapping, 'how the program gets its goal: topic, action, service or parameter, with '
        'type, fields, also, repeat (default: by the commands)', default={})
    topics: Dict[str, Any] = key(
        mapping(), 'names of scan, odom and cmd_vel (default: as on a TurtleBot3)', default={})
    namespace: str = key(text, 'namespace of the topics of the robot', default='')
    stamped: bool = key(flag, 'the program publishes TwistStamped', default=False)
    verdict: str = key(pattern, 'line of the output that says that the goal is unreachable',
                       default=UNREACHABLE_LINE)
    verdict_topic: Dict[str, Any] = key(
        any_mapping, 'topic with a verdict: topic, type, match', default={})
    seed: Optional[int] = key(whole(0, MAX_SEED), 'seed of its own worlds (default: by its name)')

    @property
    def variables(self) -> Dict[str, str]:
        """Return the additional environment variables."""
        return {name: str(value) for name, value in self.environment.items()}

    def own_seed(self, seed: int) -> int:
        """Return the seed of its worlds, which depends on its name only."""
        if self.seed is not None:
            return self.seed
        digest = hashlib.blake2b(f'{seed} {self.name}'.encode(), digest_size=4).digest()
        return int.from_bytes(digest, 'big') % 100_000

    def commands(self, goal: Sequence[float], yaw: float, seed: int) -> List[List[str]]:
        """Return the words of each command, with the goal filled in."""
        values = {'{x}': repr(goal[0]), '{y}': repr(goal[1]), '{yaw}': repr(yaw),
                  '{seed}': str(seed)}
        found = []
        for command in self.command:
            words = shlex.split(command)
            for name, value in values.items():
                words = [word.replace(name, value) for word in words]
            if self.setup:
                sourced = ' && '.join(f'source {shlex.quote(file)}' for file in self.setup)
                words = ['bash', '-c', f'{sourced} && exec "$@"', 'bash', *words]
            found.append(words)
        return found


@dataclasses.dataclass(frozen=True)
class Assignment:
    """Worlds, rules and rubric of an assignment, and the submissions to it."""

    name: str = key(file_name, 'name of the assignment', default='grade')
    title: str = key(text, 'title of the pages', default='')
    suite: str = key(text, 'a suite that this document changes', default='')
    worlds: Tuple[Course, ...] = key(
        list_of(Reader('a world, or a mapping of world, start and goal', _course)),
        'worlds to drive in', default=())
    robot: str = key(choice(*(name for name, preset in ROBOTS.items() if isinstance(
        preset.sensor, LidarModel))), 'the robot', default='burger')
    simulator: str = key(
        choice(EMBEDDED, GAZEBO), 'the simulator of ROS nodes; gazebo: Gazebo classic with a '
        'TurtleBot3', default=EMBEDDED)
    contact: str = key(choice('hold', 'slide', 'end'), 'reaction to a contact', default='slide')
    tolerance: float = key(number(0.02, 2.0), 'distance at which the goal is reached', unit='m',
                           default=0.2)
    time_allowance: float = key(
        number(5.0, 3600.0), 'maximum time from the first command', unit='s', default=300.0)
    silence: float = key(number(2.0, 600.0), 'maximum time until the first command', unit='s',
                         default=30.0)
    standstill: float = key(number(5.0, 3600.0), 'maximum time without motion', unit='s',
                            default=60.0)
    speed: float = key(
        number(0.0, 100.0), 'simulated per real time with ROS; 0: as fast as the program drives',
        default=1.0)
    seed: int = key(whole(0, MAX_SEED), 'seed of noise and of worlds with {seed}', default=1)
    memory: int = key(whole(64, 1_000_000), 'maximum address space of a process', unit='MiB',
                      default=Limits().memory)
    cpu_time: int = key(whole(1, 100_000), 'maximum processor time of a process', unit='s',
                        default=Limits().cpu_time)
    file_size: int = key(whole(1, 100_000), 'maximum size of a file', unit='MiB',
                         default=Limits().file_size)
    rubric: Tuple[Criterion, ...] = key(list_of(None), 'criteria and points', default=DEFAULT)
    submissions: Tuple[Submission, ...] = key(list_of(None), 'programs to grade', default=())

    @property
    def limits(self) -> Limits:
        """Return the limits of the processes."""
        return Limits(self.memory, self.cpu_time, self.file_size)

    @property
    def preset(self) -> Preset:
        """Return the robot."""
        return find_robot(self.robot)


ONLY_OF_COMMANDS = ('folder', 'setup', 'goal', 'topics', 'namespace', 'stamped', 'verdict',
                    'verdict_topic')
"""Keys of a submission that have no effect on a Python function."""
INNER = {'rubric': Criterion, 'submissions': Submission}


def suites() -> List[str]:
    """Return the names of the suites that ship."""
    return sorted(path.stem for path in SUITES.glob('*.yaml'))


def load_assignment(file: Optional[str], changes: Mapping[str, Any]) -> Assignment:
    """
    Return the assignment of a file, with changes.

    :param file: a YAML file; None for changes alone.
    :param changes: keys as in the file; a key of None changes nothing.
    :raises SpecError: in one sentence, if the result is no assignment.
    """
    document = read_document(Path(file)) if file else {}
    if not isinstance(document, dict):
        raise SpecError(f'{file} is no mapping; give keys such as worlds and submissions')
    document = {**document, **{
        name: value for name, value in changes.items() if value is not None}}
    suite = document.get('suite')
    if suite:
        document = {**_suite(suite), **document}
    try:
        found = read_fields(Assignment, document, '', INNER)
    except SpecError as error:
        raise SpecError(f'{file}: {error}' if file else str(error)) from None
    found = dataclasses.replace(
        found, submissions=tuple(_placed(each, file) for each in found.submissions))
    _check(found)
    return found


def _suite(name: str) -> Dict[str, Any]:
    if name not in suites():
        raise SpecError(unknown('suite', str(name), suites(), f'suites are {", ".join(suites())}'))
    document: Dict[str, Any] = read_document(SUITES / f'{name}.yaml')
    return document


def _placed(submission: Submission, file: Optional[str]) -> Submission:
    """Return a submission whose folders are relative to the current folder."""
    home = Path(file).parent if file else Path()
    folder = str((home / submission.folder).resolve()) if submission.command else submission.folder
    python = str((home / submission.python).resolve()) if submission.python else ''
    return dataclasses.replace(submission, folder=folder, python=python)


def _check(found: Assignment) -> None:
    if not found.worlds:
        raise SpecError('no worlds are given; give --worlds u_trap,maze, or --suite with one of '
                        f'{", ".join(suites())}')
    if not found.submissions:
        raise SpecError('no program is given; give --command or --python, or a file with '
                        'submissions')
    titles = [criterion.title for criterion in found.rubric]
    for k, title in enumerate(titles):
        if title in titles[:k]:
            raise SpecError(f'rubric[{k}].title is {title!r} again; give each criterion a title '
                            'of its own')
    names = [submission.name for submission in found.submissions]
    for k, submission in enumerate(found.submissions):
        if submission.name in names[:k]:
            raise SpecError(f'submissions[{k}].name is {submission.name!r} again; give each '
                            'submission a name of its own')
        _check_submission(submission)
        _check_python(submission)
        worlds = [world_of(found, submission, course) for course in found.worlds]
        if found.simulator == GAZEBO:
            _check_gazebo(found, submission, worlds)


def _check_gazebo(found: Assignment, submission: Submission, worlds: Sequence[World]) -> None:
    """Check that Gazebo has what an assignment and a submission ask for."""
    moving = [world.name for world in worlds if world.movers]
    for holds, what in (
            (found.robot not in GAZEBO_ROBOTS, f'robot is {found.robot!r}; allowed are '
             f'{" and ".join(GAZEBO_ROBOTS)}'),
            (found.contact == 'hold', "contact is 'hold', and robots in Gazebo slide; give slide "
             'or end'),
            (found.speed != 1.0, f'speed is {found.speed:g}; give 1'),
            (bool(moving), f'the world {"".join(moving[:1])!r} has movers; give static worlds'),
            (bool(submission.python), f'{submission.name!r} is a Python function; give nodes'),
            (bool(submission.topics or submission.stamped), f'{submission.name!r} has topics or '
             'stamped, and the plug-ins of TurtleBot3 use scan, odom and cmd_vel with Twist; '
             'remap the topics of its command')):
        if holds:
            raise SpecError(f'simulator is {GAZEBO!r}, and {what}')


def _check_submission(submission: Submission) -> None:
    if bool(submission.python) == bool(submission.command):
        raise SpecError(f'the submission {submission.name!r} has '
                        f'{"both" if submission.python else "neither"} python and command; '
                        'give one of them')
    if submission.python and not Path(submission.python).is_file():
        raise SpecError(f'there is no file {submission.python}; give a Python file with '
                        'step(scan, pose, goal)')
    if submission.command and not Path(submission.folder).is_dir():
        raise SpecError(f'there is no folder {submission.folder}; give the working folder of '
                        'the commands')
    ways = [way for way in DELIVERIES if way in submission.goal]
    if submission.goal and len(ways) != 1:
        raise SpecError(f'the goal of {submission.name!r} has {len(ways)} ways; give one of '
                        f'{", ".join(DELIVERIES)}')
    if ways and ways != ['parameter'] and 'type' not in submission.goal:
        raise SpecError(f'the goal of {submission.name!r} has no type; give one such as '
                        'geometry_msgs/msg/PoseStamped')
    try:
        submission.commands((0.0, 0.0), 0.0, 0)
    except ValueError as error:
        raise SpecError(f'a command of {submission.name!r} cannot be split into words ({error}); '
                        'close all quotes') from None


def _check_python(submission: Submission) -> None:
    """Check that a Python function has no keys that only commands use."""
    usual = Submission()
    for name in ONLY_OF_COMMANDS if submission.python else ():
        if getattr(submission, name) != getattr(usual, name):
            raise SpecError(f'the submission {submission.name!r} is a Python function, on which '
                            f'{name} has no effect; leave it out')


def seed_of(assignment: Assignment, submission: Submission, course: Course) -> int:
    """
    Return the seed of a world for a submission.

    From the submission's own seed on, the first whose goal is certainly reachable, or certainly
    not if the name of the world has ``reachable=false``: all students get the same kind of world.
    """
    first = submission.own_seed(assignment.seed)
    if '{seed}' not in course.world:
        return first
    return _judged_seed(course, first, assignment.robot, assignment.tolerance)


@lru_cache(maxsize=1000)
def _judged_seed(course: Course, first: int, robot: str, tolerance: float) -> int:
    wanted, model = 'reachable=false' not in course.world, find_robot(robot).model
    for seed in range(first, first + MAX_SEEDS):
        world = _placed_world(course, seed, model.robot_radius)
        assert world.start is not None and world.goal is not None  # `_placed_world` sets them
        if truth_of(world, world.start, world.goal, model, tolerance).reachable is wanted:
            return seed
    raise SpecError(f'worlds: of {MAX_SEEDS} seeds, none gives {course.world!r} a goal that is '
                    f'{"reachable" if wanted else "unreachable"}; give another world')


def world_of(assignment: Assignment, submission: Submission, course: Course) -> World:
    """Return a world with start and goal for a submission; SpecError if that is impossible."""
    return _placed_world(course, seed_of(assignment, submission, course),
                         assignment.preset.model.robot_radius)


def _placed_world(course: Course, seed: int, radius: float) -> World:
    try:
        found = find_world(course.named(seed))
        start, goal = check_start_and_goal(
            found, course.start or found.start, course.goal or found.goal, radius)
    except (ValueError, OSError) as error:
        raise SpecError(f'worlds: {error}') from None
    return dataclasses.replace(found, start=(start.x, start.y, start.theta), goal=goal)
