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

"""Configuration of one run, built from the command line."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any, Dict, List, Optional, Tuple, Type

from bug_nav.cli import BadInput
from bug_nav.navigation.algorithms.base import Algorithm, check_sensing
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.names import did_you_mean, shortened, shown
from bug_nav.navigation.parameters import check, KIND_NAMES
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import check_all_used, equip, Equipment, PARAMETERS
from bug_nav.simulation.world import check_start_and_goal, World

SHORTHANDS = {'turn': 'turn_direction', 'noise': 'scan_noise', 'clearance': 'clearance'}
"""Dedicated options for parameters that `--set` accepts, too."""


@dataclasses.dataclass(frozen=True)
class Case:
    """Validated configuration of one run."""

    world: World
    start: Pose
    goal: Point
    algorithm_name: str
    algorithm: Algorithm
    robot_name: str
    robot: Equipment


def make_case(arguments: argparse.Namespace) -> Case:
    """Return the run for the given arguments; BadInput if they are invalid."""
    try:
        world = (arguments.world if isinstance(arguments.world, World)
                 else find_world(arguments.world))
        if arguments.still:
            world = world.settled
        algorithm = find(arguments.algorithm)
        of_robot, of_algorithm = parameters_of(arguments, algorithm)
        case = Case(world, Pose(*start_of(world, arguments.start)),
                    goal_of(world, arguments.goal), arguments.algorithm,
                    algorithm(algorithm.Parameters(**of_algorithm)),
                    arguments.robot, equip(arguments.robot, of_robot))
        check_all_used(case.robot, of_robot)
        check_sensing(algorithm, case.robot.settings)
        check_start_and_goal(case.world, case.start, case.goal, case.robot.model.robot_radius)
    except ValueError as error:
        raise BadInput(str(error)) from error
    return case


def start_of(world: World, given: Optional[tuple]) -> tuple:
    """Return the given start, else that of the world."""
    start = given if given is not None else world.start
    if start is None:
        raise BadInput(f"the world '{world.name}' has no start; give --start x,y,yaw")
    return start


def goal_of(world: World, given: Optional[tuple]) -> Point:
    """Return the given goal, else that of the world."""
    goal = given if given is not None else world.goal
    if goal is None:
        raise BadInput(f"the world '{world.name}' has no goal; give --goal x,y")
    x, y = goal
    return x, y


# ---- parameters -------------------------------------------------------------------------------

def parameters_of(arguments: argparse.Namespace, algorithm: Optional[Type[Algorithm]] = None
                  ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Return the given parameter values of the robot and of the algorithm."""
    own = {} if algorithm is None else {
        f'{arguments.algorithm}.{field.name}': field for field in
        dataclasses.fields(algorithm.Parameters)}  # type: ignore[arg-type]
    fields = {**PARAMETERS, **own}
    values: Dict[str, Any] = {}

    def put(option: str, name: str, text: str) -> None:
        if name not in fields:
            raise BadInput(_unknown(name, list(fields), getattr(arguments, 'algorithm', '')))
        values[name] = _read(option, text, fields[name])
        check(option, values[name], fields[name])

    for setting in arguments.settings:
        name, equals, text = setting.partition('=')
        if not equals:
            raise BadInput(f'--set {shown(setting)} has no value; give NAME=VALUE, such as '
                           'robot_radius=0.11')
        put(name.strip(), name.strip(), text.strip())
    for shorthand, name in SHORTHANDS.items():
        given = getattr(arguments, shorthand, None)
        if given is not None:
            put(f'--{shorthand}', name, str(given))
    return ({name: value for name, value in values.items() if name not in own},
            {own[name].name: value for name, value in values.items() if name in own})


def _unknown(name: str, known: List[str], algorithm: str) -> str:
    if '.' in name and algorithm:
        own = sorted(each for each in known if each.startswith(f'{algorithm}.'))
        return (f'there is no parameter {shown(name)}; {algorithm}, used here, has '
                + (', '.join(own) or 'none'))
    some = f'{len(known)} are available, such as robot_radius, odometry and {sorted(known)[0]}'
    return (f'there is no parameter {shown(name)}' + (did_you_mean(name, known, ', ') or ';')
            + f' {some}: see docs/parameters.md')


def _read(option: str, text: str, field: dataclasses.Field) -> Any:
    """Return ``text`` as a value of the type of the parameter default."""
    kind: Any = type(field.default)
    try:
        if kind is bool:
            return {'true': True, 'false': False}[text.lower()]
        value = kind(text)
    except (KeyError, ValueError):
        raise BadInput(f'{option} is {shown(text)}; give {KIND_NAMES[kind]}') from None
    if kind is float and not math.isfinite(value):
        raise BadInput(f'{option} is {shortened(text)}; give a finite number')
    return value
