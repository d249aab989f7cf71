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

"""Kinds of faults of the lidar."""

from __future__ import annotations

import math
from random import Random
from typing import Any, Callable, List

from trials.fault import changed, Fault, Filter, Kind
from trials.stamps import stamp_faults

OPEN = 'an open place looks the same'
FRONT = math.radians(60.0)


def scan_kinds() -> List[Kind]:
    """Return all kinds."""
    return [*_constant(), *_lost(), *_geometry(), *_frames(),
            *(Kind(f'scan {name}', lambda random, make=make: Fault(scan=make(random)),
                   drivable=drivable, slow=drivable) for name, make, drivable in stamp_faults())]


def _kind(name: str, change: Callable[[Any], None], **right: Any) -> Kind:
    return Kind(f'scan {name}', lambda random: Fault(scan=changed(change)), **right)


def _fill(value: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        message.ranges = [value] * len(message.ranges)
    return change


def _constant() -> List[Kind]:
    # Nothing is known, so the robot must not drive.
    unknown = {'zeros': 0.0, 'NaN': math.nan, 'negative': -1.0, 'tiny': 1e-6}
    empty = {'+inf': math.inf, 'huge': 1e30}
    return [*(_kind(name, _fill(value)) for name, value in unknown.items()),
            *(_kind(name, _fill(value), drivable=True, excuse=OPEN)
              for name, value in empty.items()),
            # Everything is too near to be measured, so the robot is blocked.
            _kind('-inf', _fill(-math.inf), drivable=True),
            _kind('constant 1 m', _fill(1.0), drivable=True),
            _kind('constant 0.3 m', _fill(0.3), drivable=True)]


def _lose(random: Random, share: float, value: float) -> Filter:
    def change(message: Any) -> None:
        message.ranges = [value if random.random() < share else r for r in message.ranges]
    return changed(change)


def _lost() -> List[Kind]:
    kinds = [Kind(f'scan {share:.0%} lost, {value:g}',
                  lambda random, share=share, value=value: Fault(scan=_lose(random, share, value)),
                  drivable=True)
             for share in (0.5, 0.9) for value in (math.nan, 0.0)]
    kinds += [Kind(f'scan {share:.0%} lost, inf', lambda random, share=share: Fault(
        scan=_lose(random, share, math.inf)), drivable=True, excuse=OPEN if share > 0.5 else '')
        for share in (0.5, 0.9)]
    return kinds + [_kind(f'front lost, {value:g}', _without_front(value), drivable=True)
                    for value in (math.nan, 0.0)]


def _without_front(value: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        angles = (message.angle_min + i * message.angle_increment
                  for i in range(len(message.ranges)))
        message.ranges = [value if math.cos(angle) > math.cos(FRONT) else r
                          for angle, r in zip(angles, message.ranges)]
    return change


def _set(**values: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        for name, value in values.items():
            setattr(message, name, value)
    return change


def _scaled(factor: float) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        message.angle_increment *= factor
    return change


def _length(change_ranges: Callable[[List[float]], List[float]]) -> Callable[[Any], None]:
    def change(message: Any) -> None:
        message.ranges = change_ranges(list(message.ranges))
    return change


def _geometry() -> List[Kind]:
    wrong = 'a lidar that is mounted so looks the same'
    return [
        _kind('no beams', _length(lambda ranges: [])),
        _kind('one beam', _length(lambda ranges: ranges[:1])),
        _kind('half of the beams', _length(lambda ranges: ranges[:len(ranges) // 2]),
              drivable=True),
        _kind('twice the beams', _length(lambda ranges: ranges * 2), drivable=True),
        _kind('100000 beams', _length(lambda ranges: (ranges * 300)[:100_000]), drivable=True),
        _kind('increment 0', _set(angle_increment=0.0)),
        _kind('increment NaN', _set(angle_increment=math.nan)),
        _kind('increment 1e30', _set(angle_increment=1e30)),
        _kind('increment 1e-30', _set(angle_increment=1e-30)),
        _kind('increment mirrored', _scaled(-1.0), drivable=True, excuse=wrong),
        _kind('increment doubled', _scaled(2.0), drivable=True),
        _kind('increment halved', _scaled(0.5), drivable=True, excuse=wrong),
        _kind('angle_min NaN', _set(angle_min=math.nan)),
        _kind('angle_min 1e30', _set(angle_min=1e30)),
        _kind('angle_min 1e6', _set(angle_min=1e6), drivable=True, excuse=wrong),
        _kind('angle_min pi', _set(angle_min=math.pi), drivable=True, excuse=wrong),
        _kind('range_max 0', _set(range_max=0.0)),
        _kind('range_max NaN', _set(range_max=math.nan)),
        _kind('range_min 3 m', _set(range_min=3.0)),
        _kind('range_min NaN', _set(range_min=math.nan)),
        _kind('time_increment NaN', _set(time_increment=math.nan), drivable=True),
        _kind('time_increment -1', _set(time_increment=-1.0), drivable=True),
        _kind('time_increment 1e30', _set(time_increment=1e30), drivable=True)]


def _frames() -> List[Kind]:
    def random_frame(random: Random) -> Fault:
        def change(message: Any) -> None:
            message.header.frame_id = f'frame_{random.randrange(10 ** 9)}'
        return Fault(scan=changed(change))

    def wrong_frame(message: Any) -> None:
        message.header.frame_id = 'no_such_frame'
    return [_kind('wrong frame_id', wrong_frame, drivable=True),
            Kind('scan random frame_id', random_frame, drivable=True)]
