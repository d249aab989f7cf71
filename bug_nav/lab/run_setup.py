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

"""The options of one run, and the checked setup that they describe."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
import shlex
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from bug_nav.files import BadInput
from bug_nav.navigation.algorithms.base import Algorithm, check_sensing, TURN_BY_ALGORITHM
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.names import shortened, shown, unknown
from bug_nav.navigation.parameters import check, KIND_NAMES, ParameterSet
from bug_nav.navigation.settings import Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.robots import check_all_used, equip, Equipment, PARAMETERS
from bug_nav.simulation.world import check_start_and_goal, World

SHORTHANDS = {'turn': 'turn_direction', 'noise': 'scan_noise', 'clearance': 'clearance'}
"""Options with a name of their own for parameters that `settings` accepts, too."""


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """The options of one run, named as those of ``bug_nav run``; None selects the default."""

    world: Union[str, Path, World]
    algorithm: Union[str, Type[Algorithm]] = 'bug2'
    start: Optional[Sequence[float]] = None
    goal: Optional[Sequence[float]] = None
    robot: str = 'burger'
    turn: Optional[str] = None
    noise: Optional[float] = None
    clearance: Optional[float] = None
    still: bool = False
    time_allowance: float = 3600.0
    seed: int = 1
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Parameters by name; a value may be text."""

    def __post_init__(self) -> None:
        """Raise BadInput if world, robot or settings have a wrong type."""
        if not isinstance(self.world, (str, Path, World)):
            raise BadInput(f'the world is {shown(self.world)}; give a name, a file or a World')
        if not isinstance(self.robot, str):
            raise BadInput(f'the robot is {shown(self.robot)}; give a name, such as burger '
                           '(bug_nav.robots() lists them)')
        if not isinstance(self.settings, Mapping):
            raise BadInput(f'settings is {shown(self.settings)}; give a dict, such as '
                           "{'robot_radius': 0.11}")

    @property
    def algorithm_name(self) -> str:
        """Name of the algorithm, or of its class."""
        return self.algorithm if isinstance(self.algorithm, str) else self.algorithm.__name__

    @property
    def shorthands(self) -> Dict[str, Any]:
        """Return the given `SHORTHANDS` by the names of their parameters."""
        return {name: getattr(self, option) for option, name in SHORTHANDS.items()
                if getattr(self, option) is not None}


class RunSetup(NamedTuple):
    """The checked setup of one run."""

    options: RunOptions
    world: World
    start: Pose
    goal: Point
    algorithm: Type[Algorithm]
    parameters: ParameterSet
    """Parameters of the algorithm."""
    robot: Equipment

    @property
    def algorithm_name(self) -> str:
        """Name of the algorithm, or of its class."""
        return self.options.algorithm_name

    @property
    def chooses_turn(self) -> bool:
        """Whether the algorithm chooses the turn direction itself."""
        return self.algorithm.metadata.turn == TURN_BY_ALGORITHM


def set_up(options: RunOptions) -> RunSetup:
    """Return the setup of a run; BadInput if an option is invalid."""
    try:
        _check_numbers(options)
        world = options.world if isinstance(options.world, World) else find_world(options.world)
        if options.still:
            world = world.settled
        algorithm = algorithm_of(options)
        of_robot, of_algorithm = parameters_of(
            {**options.settings, **options.shorthands}, options.algorithm_name, algorithm)
        robot = equip(options.robot, of_robot)
        check_all_used(robot, of_robot)
        check_sensing(algorithm, robot.settings)
        start, goal = check_start_and_goal(
            world, world.start if options.start is None else options.start,
            world.goal if options.goal is None else options.goal, robot.model.robot_radius)
        return RunSetup(options, world, start, goal, algorithm,
                        algorithm.Parameters(**of_algorithm), robot)
    except ValueError as error:
        raise BadInput(str(error)) from error


def drive(setup: RunSetup, watch: Optional[Callable] = None, keep_samples: bool = True
          ) -> EpisodeResult:
    """Run the episode; ``watch`` is called after each tick (see `run_episode`)."""
    robot, algorithm = setup.robot, setup.algorithm(setup.parameters)
    return run_episode(
        setup.world, setup.start, setup.goal, algorithm, model=robot.model,
        settings=robot.settings, lidar=robot.sensor, odometry=robot.odometry,
        timing=robot.timing, seed=setup.options.seed,
        time_allowance=setup.options.time_allowance, keep_samples=keep_samples, watch=watch)


def algorithm_of(options: RunOptions) -> Type[Algorithm]:
    """Return the class of the algorithm; BadInput if there is none."""
    given: Any = options.algorithm
    if isinstance(given, str):
        try:
            return find(given)
        except ValueError as error:
            raise BadInput(str(error)) from error
    if not (isinstance(given, type) and issubclass(given, Algorithm)
            and hasattr(given, 'metadata')):
        raise BadInput(f'the algorithm is {shown(given)}; give a name, or a subclass of '
                       'bug_nav.Algorithm with metadata')
    return given


def _check_numbers(options: RunOptions) -> None:
    seed, allowance = options.seed, options.time_allowance
    if isinstance(seed, bool) or not hasattr(seed, '__index__') or seed < 0:
        raise BadInput(f'the seed is {shown(seed)}; give a whole number of at least 0')
    if not isinstance(allowance, (int, float)) or not 0.0 <= allowance < math.inf:
        raise BadInput(f'the time allowance is {shown(allowance)}; give 0 or more seconds')


# ---- parameters -------------------------------------------------------------------------------

def parameters_of(settings: Mapping[str, Any], algorithm_name: str = '',
                  algorithm: Optional[Type[Algorithm]] = None
                  ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """
    Return the given parameters of the robot, and those of the algorithm.

    :param settings: values by name, such as robot_radius and bug2.leave_margin; text is converted.
    :raises BadInput: for an unknown parameter, or a value that is not allowed.
    """
    own = {} if algorithm is None else {
        f'{algorithm_name}.{field.name}': field for field in
        dataclasses.fields(algorithm.Parameters)}  # type: ignore[arg-type]
    fields = {**PARAMETERS, **own}
    values: Dict[str, Any] = {}
    for name, given in settings.items():
        if name not in fields:
            raise BadInput(_unknown(name, list(fields), algorithm_name))
        values[name] = _read(name, str(given), fields[name])
        check(name, values[name], fields[name])
    return ({name: value for name, value in values.items() if name not in own},
            {own[name].name: value for name, value in values.items() if name in own})


def _unknown(name: str, known: List[str], algorithm: str) -> str:
    other = name.partition('.')[0]
    if '.' in name and algorithm and other != algorithm and other in registered():
        return (f'{shown(name)} is a parameter of {other}, but this run uses {algorithm}; leave '
                f'it out, or choose the algorithm {other} (--algorithm {other})')
    if '.' in name and algorithm:
        own = sorted(each for each in known if each.startswith(f'{algorithm}.'))
        return (f'unknown parameter {shown(name)}; {algorithm}, used here, has '
                + (', '.join(own) or 'none'))
    return unknown('parameter', name, known, 'see docs/parameters.md')


def _read(name: str, text: str, field: dataclasses.Field) -> Any:
    """Return ``text`` as a value of the type of the parameter default."""
    kind: Any = type(field.default)
    try:
        if kind is bool:
            return {'true': True, 'false': False}[text.lower()]
        value = kind(text)
    except (KeyError, ValueError):
        raise BadInput(f'{name} is {shown(text)}; give {KIND_NAMES[kind]}') from None
    if kind is float and not math.isfinite(value):
        raise BadInput(f'{name} is {shortened(text)}; give a finite number')
    return value


# ---- command ----------------------------------------------------------------------------------

def command_of(options: RunOptions, world: str = '', *, in_full: bool = False) -> str:
    """
    Return the command line that repeats a run exactly.

    :param world: text of the world; by default that of the options.
    :param in_full: write turn direction, seed and time allowance even if they are the defaults.
    """
    words = ['bug_nav', 'run', world or str(options.world), '--algorithm', options.algorithm_name]
    turn, usual = options.turn, Settings().turn_direction
    if algorithm_of(options).metadata.turn == TURN_BY_ALGORITHM:
        # `run` refuses --turn, which has no effect.
        words += ['--set', f'turn_direction={turn}'] if turn not in (None, usual) else []
    elif turn is not None and (in_full or turn != usual):
        words += ['--turn', turn]
    words += ['--robot', options.robot] if options.robot != RunOptions.robot else []
    words += [f'--{name}={",".join(map(_text, place))}' for name, place in (
        ('start', options.start), ('goal', options.goal)) if place is not None]
    words += ['--still'] if options.still else []
    for name in ('noise', 'seed', 'time_allowance'):
        value, default = getattr(options, name), getattr(RunOptions, name)
        if value != default or (in_full and default is not None):
            words += [f'--{name.replace("_", "-")}', _text(value)]
    given = {} if options.clearance is None else {'clearance': options.clearance}
    for name, value in {**given, **options.settings}.items():
        words += ['--set', f'{name}={_text(value)}']
    return shlex.join(words)


def _text(value: Any) -> str:
    """Return the shortest text that is read as the same value."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if float(value).is_integer() else repr(float(value))
