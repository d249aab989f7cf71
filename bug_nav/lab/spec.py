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
Specification of a campaign, read from a YAML file.

Every key is a field of `Spec`, `Worlds`, `Odometry` or `Variant`, with its description and its
reader; docs/campaigns.md is generated from them. The error for an unknown key or a value that is
not allowed is one sentence that names the file and the key.
"""

from __future__ import annotations

import collections
import dataclasses
from functools import partial
import itertools
import logging
import math
from pathlib import Path
import re
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Type

from bug_nav.files.paths import did_you_mean_file
from bug_nav.lab.equipment import equipment_of, parameters_of
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
    SpecError,
    text,
    whole,
)
from bug_nav.navigation.algorithms.base import Algorithm, check_sensing
from bug_nav.navigation.algorithms.registry import BrokenAlgorithm, find, registered
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.names import shortened, shown, unknown
from bug_nav.navigation.settings import DRIFT_CORRECTIONS, FOLLOWERS, TURN_DIRECTIONS
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators import PREFIX
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.robots import check_all_used, Equipment
from bug_nav.simulation.shipped import share_dir
import yaml

MAX_FILE_SIZE = 1_000_000
"""Maximum size of a specification [byte]."""
MAX_SEED = 10**9
MAX_COUNT = 10**6
"""Maximum number of pairs of start and goal in an entry of `worlds`."""
FIXED = ('name', 'seed', 'time_allowance', 'success_radius', 'success', 'settings', 'paths')
"""Keys that cannot change when a campaign is resumed."""
EXTENDABLE = ('worlds', 'algorithms', 'robots', 'followers', 'turns', 'range_noise', 'odometry',
              'variants', 'corrections')
"""Keys whose lists can get further entries when a campaign is resumed, and lose none."""
GOALS = ('any', 'both', 'reachable', 'unreachable')
AUTO, OWN = 'auto', 'own'
FEW_CASES, AUTO_REPETITIONS = 10, 5
"""Number of pairs of start and goal below which `auto` repeats noisy episodes, and how often."""
VARIED = {'follower': 'followers', 'turn_direction': 'turns', 'scan_noise': 'range_noise',
          'odometry': 'odometry', 'odometry_noise': 'odometry',
          'drift_correction': 'corrections'}
"""Parameters that a key of the campaign varies, and the key."""
UNCHANGED = {'follower': 'rolling_disc', 'turn_direction': 'left', 'scan_noise': None,
             'odometry': 'perfect', 'odometry_noise': 0.0, 'drift_correction': OWN,
             'turn_seed': 0}
"""Values of keys that leave the parameter to the settings."""
ODOMETRIES: Tuple[str, ...] = next(field.metadata['choices']
                                   for field in dataclasses.fields(OdometryModel)
                                   if field.name == 'odometry')
"""The models of odometry."""


@dataclasses.dataclass(frozen=True)
class Worlds:
    """An entry of `worlds`: a world or a kind of random worlds, with pairs of start and goal."""

    world: str = key(text, 'a world that `bug_nav worlds` lists, a file, or a kind of random '
                     'worlds such as `random:cluttered?size=14`', required=True)
    group: str = key(text, 'name of the entry in rows and tables; default: name of the world',
                     default='')
    count: int = key(whole(1, MAX_COUNT), 'number of pairs of start and goal, each judged: the '
                     'goal is reachable at both rho - 2 cm and rho + 2 cm, or at neither',
                     default=1)
    places: str = key(choice('own', 'drawn'), "start and goal: the world's `own`, or `drawn` at "
                      'random within its bounds', default='own')
    goals: str = key(choice(*GOALS), 'which goals are reachable: half of them (`both`), all '
                     '(`reachable`), none (`unreachable`), or `any`', default='any')
    per_world: int = key(whole(1, 1_000_000), 'number of drawn pairs in each random world',
                         default=1)
    first_seed: Optional[int] = key(
        whole(0, MAX_SEED), 'seed of the first random world; consecutive seeds follow; '
        'default: seed of the campaign', default=None)
    unjudged: str = key(choice('skip', 'keep'), 'unjudged worlds: `skip` them, or `keep` them in '
                        'addition to the count', default='skip')
    min_distance: float = key(number(0.0, 1e4), 'minimum distance of drawn goals from their start',
                              default=1.0, unit='m')
    max_distance: float = key(number(0.0, 1e4), 'maximum distance of drawn goals from their start',
                              default=1e4, unit='m')
    clearance: float = key(number(0.0, 10.0), 'minimum clearance of drawn starts and reachable '
                           'goals, beyond the contour radius', default=0.02, unit='m')

    start: Optional[Tuple[float, float, float]] = key(
        numbers(3, -1e4, 1e4), "x, y and yaw of the start, instead of the world's own",
        default=None, unit='m, m, rad')
    goal: Optional[Point] = key(
        numbers(2, -1e4, 1e4), "x and y of the goal, instead of the world's own", default=None,
        unit='m')
    reference_length: Optional[float] = key(
        number(0.01, 1e4), 'length of the path that the [metric of BARN](barn.md) compares with; '
        'without one, rows have no metric', default=None, unit='m')

    @property
    def is_random(self) -> bool:
        """Whether the entry is a kind of random worlds, one per case."""
        return self.world.startswith(PREFIX) and 'seed=' not in self.world

    @property
    def is_single(self) -> bool:
        """Whether the entry is one world with its own start and goal."""
        return not self.is_random and self.places == 'own'

    def name(self, seed: int, reachable: bool = True) -> str:
        """Return the name of a world of the entry, as `find_world` reads it."""
        if not self.is_random:
            return self.world
        kind, _, others = self.world.partition('?')
        wish = '' if reachable else '&reachable=false'
        return f'{kind}?seed={seed}{wish}' + (f'&{others}' if others else '')


@dataclasses.dataclass(frozen=True)
class Odometry:
    """An entry of `odometry`: a model, at one or several noise levels."""

    model: str = key(choice(*ODOMETRIES), 'odometry model', default='perfect')
    noise: Tuple[float, ...] = key(
        one_or_list(number(0.0, 1.0)), 'noise levels: standard deviation of the measured '
        'velocities (`velocity`) or of each wheel rotation (`encoders`), as a share of the value',
        default=(0.0,))


@dataclasses.dataclass(frozen=True)
class Variant:
    """An entry of `variants`: a named set of parameters."""

    name: str = key(text, 'name of the variant in rows and tables', default='')
    settings: Mapping[str, Any] = key(mapping(), 'its parameters, which override `settings` of '
                                      'the campaign', default={})


@dataclasses.dataclass(frozen=True)
class Spec:
    """A complete, validated campaign: every case is driven with every combination."""

    name: str = key(file_name, 'short name, also of the folder of results',
                    default='campaign')
    title: str = key(text, 'title of the report; default: the name', default='')
    seed: int = key(whole(0, MAX_SEED), 'seed of all random numbers', default=0)
    worlds: Tuple[Worlds, ...] = key(
        list_of(None, 0), 'entries, each with a `world`; an empty list if `--worlds` gives them',
        required=True)
    algorithms: Tuple[str, ...] = key(
        one_or_list(text), 'names; or `complete` for all complete algorithms, `all` for every one',
        default=('bug2',))
    robots: Tuple[str, ...] = key(one_or_list(text), 'names of robots', default=('burger',))
    followers: Tuple[str, ...] = key(one_or_list(choice(*FOLLOWERS)),
                                     'boundary followers', default=('rolling_disc',))
    turns: Tuple[str, ...] = key(one_or_list(choice(*TURN_DIRECTIONS)), 'turn directions',
                                 default=('left',))
    range_noise: Tuple[Optional[float], ...] = key(
        one_or_list(number(0.0, 1.0, word=OWN)), 'standard deviations of range noise; `own` is '
        "that of the robot's sensor", default=(None,), unit='m')
    odometry: Tuple[Odometry, ...] = key(list_of(None), 'entries with `model` and `noise`',
                                         default=(Odometry(),))
    variants: Tuple[Variant, ...] = key(list_of(None), 'entries with a `name`: sets of '
                                        'parameters to compare, such as faults of odometry and '
                                        'sensors', default=(Variant(),))
    corrections: Tuple[str, ...] = key(
        one_or_list(choice(*DRIFT_CORRECTIONS, OWN)), 'corrections of odometry drift; `own` '
        'leaves it to the settings', default=(OWN,))
    static_baselines: bool = key(
        flag, 'drive the static baseline of each episode as well: same seed, final state of the '
        'world, nothing moves', default=False)
    repetitions: Optional[int] = key(
        whole(1, 1_000_000, word=AUTO), 'number of times that each combination is driven, with '
        f'different seeds; `auto`: {AUTO_REPETITIONS} with noise and fewer than {FEW_CASES} '
        'pairs of start and goal, else 1', default=None)
    time_allowance: Optional[float] = key(
        number(1.0, 1e9, word=AUTO), 'simulated time after which an episode ends as a timeout; '
        '`auto`: five times the time for the straight distance plus three perimeters of every '
        'obstacle, at full speed', default=None, unit='s')
    success_radius: float = key(number(0.01, 1000.0), 'maximum true distance to the goal for '
                                'success', default=0.5, unit='m')
    success: str = key(choice('verdict', 'pass'), '`verdict`: success needs the outcome reached '
                       'or reached_uncertain as well; `pass`: passing the goal within the '
                       'radius is enough',
                       default='verdict')
    settings: Mapping[str, Any] = key(mapping(), 'parameters of every episode, as in '
                                      '`bug_nav run --set`', default={})
    paths: bool = key(flag, 'keep the path of every episode', default=True)

    @property
    def base_noise(self) -> float:
        """Return the lowest level of range noise [m]; higher ones are under study."""
        if len(self.range_noise) < 2:
            return math.inf
        own = equip_robot(self, self.robots[0]).range_noise
        return min(own if level is None else level for level in self.range_noise)

    @property
    def repeated(self) -> int:
        """Return the number of times that each combination is driven."""
        if self.repetitions is not None:
            return self.repetitions
        few = sum(entry.count for entry in self.worlds) < FEW_CASES
        return AUTO_REPETITIONS if few and self._has_noise else 1

    @property
    def _has_noise(self) -> bool:
        """Whether episodes may depend on their seed."""
        return bool(self.range_noise != (0.0,) or 'random' in self.turns or self.settings
                    or any(variant.settings for variant in self.variants)
                    or any(any(odometry.noise) for odometry in self.odometry))

    @property
    def combinations(self) -> int:
        """Return the number of episodes for each start and goal."""
        levels = sum(len(odometry.noise) for odometry in self.odometry)
        return (len(self.algorithms) * len(self.robots) * len(self.followers) * len(self.turns)
                * len(self.range_noise) * levels * len(self.variants) * len(self.corrections)
                * (1 + self.static_baselines) * self.repeated)

    @property
    def total(self) -> int:
        """Return the number of episodes, without those in unjudged worlds that are kept."""
        return self.combinations * sum(entry.count for entry in self.worlds)

    @property
    def size_text(self) -> str:
        """Return the number of episodes and its factors, as text."""
        levels = sum(len(odometry.noise) for odometry in self.odometry)
        factors = [
            (sum(entry.count for entry in self.worlds), 'pair of start and goal',
             'pairs of start and goal'),
            *((len(values), word, f'{word}s') for values, word in (
                (self.algorithms, 'algorithm'), (self.robots, 'robot'),
                (self.followers, 'follower'), (self.turns, 'turn direction'),
                (self.range_noise, 'range noise level'), (range(levels), 'odometry level'),
                (self.variants, 'variant'), (self.corrections, 'drift correction'))),
            (1 + self.static_baselines, '', 'for the static baseline'),
            (self.repeated, 'repetition', 'repetitions')]
        return f'{self.total} episode{"" if self.total == 1 else "s"}: ' + ' x '.join(
            f'{count} {one if count == 1 else many}' for k, (count, one, many)
            in enumerate(factors) if count > 1 or k == 0)

    def as_dict(self) -> Dict[str, Any]:
        """Return the document from which `make_spec` returns the same specification."""
        document = dataclasses.asdict(self, dict_factory=_document)
        noise = [OWN if level is None else level for level in self.range_noise]
        return {**document, 'range_noise': noise, 'repetitions': document.get('repetitions', AUTO),
                'time_allowance': document.get('time_allowance', AUTO)}


def _document(pairs: Sequence[Tuple[str, Any]]) -> Dict[str, Any]:
    """Return a mapping for YAML: lists instead of tuples, empty values omitted."""
    return {name: list(value) if isinstance(value, tuple) else value
            for name, value in pairs if value not in (None, '')}


# ---- reading ----------------------------------------------------------------------------------

def load_spec(name_or_path: str, changes: Sequence[Tuple[str, Any]] = ()) -> Spec:
    """
    Return the campaign of a file, or a shipped one by its name.

    :param changes: keys, such as `seed` or `worlds.0.count`, and their new values.
    :raises SpecError: if it does not exist or cannot be run, in one sentence.
    """
    path = Path(name_or_path)
    if not path.suffix and len(path.parts) == 1:
        path = _shipped(name_or_path)
    return make_spec(read_document(path), path.name, changes)


def shipped_campaigns() -> List[Path]:
    """Return the files of the campaigns that come with the package."""
    try:
        return sorted((share_dir() / 'campaigns').glob('*.yaml'))
    except FileNotFoundError as error:
        raise SpecError(str(error)) from error


def _shipped(name: str) -> Path:
    known = {path.stem: path for path in shipped_campaigns()}
    if name not in known:
        raise SpecError(unknown('campaign', name, known, 'see `bug_nav campaign --list`'))
    return known[name]


def multiplied(spec: Spec, factor: int) -> Spec:
    """
    Return a campaign with ``factor`` times the cases, except in entries of a single case.

    :raises SpecError: if an entry would have more cases than an entry may have.
    """
    most = max((entry.count for entry in spec.worlds if not entry.is_single), default=0)
    if factor * most > MAX_COUNT:
        raise SpecError(f'{factor} times {most} pairs of start and goal are more than '
                        f'{MAX_COUNT}; multiply by at most {MAX_COUNT // most}')
    return dataclasses.replace(spec, worlds=tuple(
        entry if entry.is_single else dataclasses.replace(entry, count=factor * entry.count)
        for entry in spec.worlds))


class _Loader(yaml.SafeLoader):
    """Safe loader that rejects duplicate keys, the first of which YAML would drop silently."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [self.construct_object(each, deep=True) for each, _ in node.value]
        for position, each in enumerate(keys):
            if each in keys[:position]:
                line = node.value[position][0].start_mark.line + 1
                raise SpecError(f"line {line}: the key '{shortened(str(each))}' is given twice")
        return super().construct_mapping(node, deep)


def read_document(path: Path) -> Any:
    """Return the content of a YAML file; SpecError if it cannot be read."""
    try:
        with open(path, 'rb') as file:
            raw = file.read(MAX_FILE_SIZE + 1)
    except OSError as error:
        hint = did_you_mean_file(path) if isinstance(error, FileNotFoundError) else ''
        raise SpecError(f'{path}: {error.strerror or error}{hint}') from error
    if len(raw) > MAX_FILE_SIZE:
        raise SpecError(f'{path.name} has more than {MAX_FILE_SIZE} bytes; no campaign has')
    try:
        # A SafeLoader returns only numbers, texts, lists and mappings.
        return yaml.load(raw, _Loader)
    except SpecError as error:
        raise SpecError(f'{path.name}, {error}') from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        mark = getattr(error, 'problem_mark', None)
        line = f':{mark.line + 1}' if mark else ''
        raise SpecError(f'{path.name}{line}: not well-formed YAML ({_one_line(error)})') from error


def _one_line(error: Exception) -> str:
    text = getattr(error, 'problem', None) or str(error)  # the problem without its context
    return shortened(' '.join(text.split()), 250) or type(error).__name__


COMMAND_LINE = 'command line'
"""Source of a campaign that consists of the options of a command."""
_PLACE = re.compile(r'(?P<key>\w+)\[\d+\](\.world)?(?P<end>: | is )')
"""Place of a value in a list, at the beginning of an error."""


def make_spec(document: Any, source: str = '', changes: Sequence[Tuple[str, Any]] = ()) -> Spec:
    """
    Return the campaign that a document describes.

    :param source: name of the document in errors.
    :raises SpecError: if the document is not a campaign, in one sentence.
    """
    try:
        for place, value in changes:
            document = _changed(document, place.split('.'), value, place)
        spec = read_fields(Spec, document, '', INNER)
        spec = dataclasses.replace(
            spec, worlds=tuple(map(_checked_entry, range(len(spec.worlds)), spec.worlds)),
            algorithms=_algorithms(spec.algorithms))
        _check_repeated(spec)
        _check_combinations(spec)
    except SpecError as error:
        raise SpecError(_described(str(error), source, changes)) from None
    return spec


def _described(text: str, source: str, changes: Sequence[Tuple[str, Any]]) -> str:
    """Return an error with its source; for a value of the command line, without its place."""
    place = _PLACE.match(text)
    if place and (source == COMMAND_LINE or any(
            key.partition('.')[0] == place['key'] for key, _ in changes)):
        rest = text[place.end():]
        return rest if place['end'] == ': ' else f'{place["key"]} is {rest}'
    return f'{source}: {text}' if source else text


def _changed(document: Any, place: List[str], value: Any, whole_place: str) -> Any:
    """Return a copy of a document with the value of one key changed."""
    first, *rest = place
    if isinstance(document, list):
        if not first.isdigit() or int(first) >= len(document):
            raise SpecError(f'{whole_place}: {first!r} is none of the {len(document)} entries; '
                            'they count from 0')
        copy: Any = list(document)
        at: Any = int(first)
    elif isinstance(document, dict) or document is None:
        copy, at = dict(document or {}), first
    else:
        raise SpecError(f'{whole_place}: there is nothing below a single value')
    inner = copy[at] if isinstance(copy, list) else copy.get(at)
    copy[at] = _changed(inner, rest, value, whole_place) if rest else value
    return copy


INNER: Dict[str, Type] = {'worlds': Worlds, 'odometry': Odometry, 'variants': Variant}
"""Keys of `Spec` with a list of entries, and the class of the entries."""


def _algorithms(names: Tuple[str, ...]) -> Tuple[str, ...]:
    if names in (('all',), ('complete',)):
        names = tuple(name for name, algorithm in _loadable()
                      if names == ('all',) or algorithm.metadata.complete)
    for position, name in enumerate(names):
        try:
            find(name)
        except ValueError as error:
            raise SpecError(f'algorithms[{position}]: {error}') from error
    return names


def _loadable() -> Iterator[Tuple[str, Type[Algorithm]]]:
    """Yield the algorithms that can be loaded; log the others, which are left out."""
    for name in registered():
        try:
            yield name, find(name)
        except BrokenAlgorithm as error:
            logging.getLogger(__name__).warning('bug_nav: %s; it is left out', error)


def _checked_entry(position: int, entry: Worlds) -> Worlds:
    place = f'worlds[{position}]'
    try:
        world = find_world(entry.name(entry.first_seed or 0))
    except (ValueError, OSError) as error:
        raise SpecError(f'{place}.world: {error}') from error
    for note in world.notes:
        logging.getLogger(__name__).warning('bug_nav: %s: %s', entry.world, note)
    if entry.is_single and None in (entry.start or world.start, entry.goal or world.goal):
        raise SpecError(f"{place}.world: '{entry.world}' has no start and goal of its own; give "
                        'places: drawn')
    if entry.is_single and (entry.count > 1 or entry.goals != 'any'):
        raise SpecError(f"{place}: '{entry.world}' has one start and goal of its own; give "
                        'places: drawn for count and goals')
    for name in ('start', 'goal'):
        if entry.places == 'drawn' and getattr(entry, name):
            raise SpecError(f'{place}.{name} has no effect with places: drawn; leave out one of '
                            'them')
    if entry.min_distance >= entry.max_distance:
        raise SpecError(f'{place}.min_distance is {entry.min_distance:g}; give less than '
                        f'max_distance, {entry.max_distance:g}')
    return dataclasses.replace(entry, group=entry.group or _short(entry))


def _short(entry: Worlds) -> str:
    if entry.is_random:
        return entry.world[len(PREFIX):].partition('?')[0]
    return entry.world if entry.world.startswith(PREFIX) else Path(entry.world).stem


def _check_repeated(spec: Spec) -> None:
    """Reject entries that are given twice, whose rows would count twice."""
    worlds = [dataclasses.replace(entry, count=1) for entry in spec.worlds]
    levels = [f'{entry.model} with noise {level:g}' for entry in spec.odometry
              for level in entry.noise]
    for name, entries in (('worlds', worlds), ('odometry', levels)):
        for entry, times in collections.Counter(entries).most_common(1):
            if times > 1:
                what = entry.world if isinstance(entry, Worlds) else entry
                raise SpecError(f'{name} include {shown(what)} again; give each value once')


def _check_combinations(spec: Spec) -> None:
    """Reject combinations that cannot be driven, before any episode runs."""
    given = [('settings', spec.settings), *(
        (f'variants[{k}].settings', variant.settings) for k, variant in enumerate(spec.variants))]
    for place, called in ((place, called) for place, settings in given for called in settings):
        owner = called.partition('.')[0]
        if '.' in called and owner not in spec.algorithms:
            raise SpecError(f'{place}.{shortened(called)}: {shortened(owner)} is none of the '
                            'algorithms here')
    for place, settings in given:
        _check_varied(spec, place, settings)
    for position, variant in enumerate(spec.variants):
        for entry, odometry in enumerate(spec.odometry):
            _check_noise(odometry, {**spec.settings, **variant.settings}, entry)
        place = f'variants[{position}]: ' if variant.settings else ''
        _check_variant(spec, position)
        for algorithm in spec.algorithms:
            _or_spec_error(place, parameters_of, algorithm, {**spec.settings, **variant.settings})
        ways = itertools.product(spec.followers, spec.range_noise, spec.odometry)
        for robot, (follower, noise, odometry) in itertools.product(spec.robots, ways):
            for level in odometry.noise:
                changes = changes_of(
                    {**spec.settings, **variant.settings}, follower=follower,
                    odometry=odometry.model, odometry_noise=level)
                equipment = _or_spec_error(
                    place, equip_robot, spec, robot, range_noise=noise, **changes)
                _or_spec_error(place or 'settings: ', check_all_used, equipment, changes)
                for algorithm in spec.algorithms:
                    _or_spec_error(f'robots: {robot}: ', check_sensing, find(algorithm),
                                   equipment.settings)


def _check_noise(odometry: Odometry, settings: Mapping[str, Any], position: int) -> None:
    """Reject noise of perfect odometry, which has no effect but would appear in tables."""
    model = changes_of(settings, odometry=odometry.model).get('odometry', odometry.model)
    if model == 'perfect' and any(odometry.noise):
        raise SpecError(f'odometry[{position}].noise is {max(odometry.noise):g}, which has no '
                        'effect with the model perfect; give model: encoders or velocity as well')


def _check_varied(spec: Spec, place: str, settings: Mapping[str, Any]) -> None:
    """Reject a setting that a key of the campaign varies, and that would not be what rows say."""
    levels: Dict[str, Sequence[Any]] = {
        'follower': spec.followers, 'turn_direction': spec.turns,
        'scan_noise': spec.range_noise, 'drift_correction': spec.corrections,
        'odometry': [entry.model for entry in spec.odometry],
        'odometry_noise': [level for entry in spec.odometry for level in entry.noise]}
    for name, called in VARIED.items():
        if name in settings and any(level != UNCHANGED[name] for level in levels[name]):
            raise SpecError(f'{place}.{name} is varied by {called}; leave out one of them')


def _check_variant(spec: Spec, position: int) -> None:
    """Reject a duplicate variant, or one that changes the ground truth."""
    variant, place = spec.variants[position], f'variants[{position}]'
    if variant.name in (other.name for other in spec.variants[:position]):
        raise SpecError(f"{place}.name is '{variant.name}' again; give each name once")
    for robot in spec.robots:
        one, other = (_or_spec_error(f'{place}: ' if changes else '', equip_robot, spec, robot,
                                     **changes) for changes in ({}, variant.settings))
        if (one.contour_radius, one.settings.xy_goal_tolerance) != (
                other.contour_radius, other.settings.xy_goal_tolerance):
            raise SpecError(f'{place} changes rho or xy_goal_tolerance, and with them the ground '
                            'truth; give them in settings, for all variants')


def changes_of(settings: Mapping[str, Any], **keys: Any) -> Dict[str, Any]:
    """
    Return the changed parameters: the settings, overridden by keys of the campaign.

    A key with its usual value leaves the parameter to the settings.
    """
    return {**settings, **{name: value for name, value in keys.items()
                           if value != UNCHANGED[name]}}


def equip_robot(spec: Spec, robot: str, **changes: Any) -> Equipment:
    """Return a robot with the settings of the campaign; SpecError if it does not exist."""
    equipment: Equipment = _or_spec_error(f'robots: {robot}: ', partial(equipment_of, robot),
                                          **{**spec.settings, **changes})
    return equipment


def _or_spec_error(place: str, work: Callable[..., Any], *args: Any, **others: Any) -> Any:
    try:
        return work(*args, **others)
    except ValueError as error:
        raise SpecError(f'{place}{error}') from error


# ---- comparing ----------------------------------------------------------------------------------

def change_of(stored: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """
    Return the first change that makes a document another campaign, as text; '' for none.

    Both are documents as returned by `Spec.as_dict`.
    """
    for name in FIXED:
        if name in stored and stored[name] != given.get(name):
            return (f'whose {name} is {_entry_text(stored[name])} and not '
                    f'{_entry_text(given.get(name))}')
    for name in EXTENDABLE:
        kept = _entries(name, given)
        for entry in _entries(name, stored):
            # Entries of an earlier version can lack keys.
            if not any(entry == other or isinstance(entry, dict)
                       and all(other.get(key) == value for key, value in entry.items())
                       for other in kept):
                return f'whose {name} include {_entry_text(entry)}'
    return ''


def _entries(name: str, document: Mapping[str, Any]) -> List[Any]:
    """Return the entries of a list without what can change: counts and further noise levels."""
    entries = document.get(name, [])
    if name == 'worlds':
        return [{key: value for key, value in entry.items() if key != 'count'}
                for entry in entries]
    if name == 'odometry':
        return [{'model': entry['model'], 'noise': level} for entry in entries
                for level in entry['noise']]
    return list(entries)


def _entry_text(value: Any) -> str:
    """Return a value for an error message; an entry by its name."""
    if isinstance(value, dict) and value:
        value = next((value[key] for key in ('world', 'name') if value.get(key)), value)
    return shown(value)
