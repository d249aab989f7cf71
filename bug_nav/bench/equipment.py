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

"""What an episode of a campaign is driven with: the robot by its name, and what is changed."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

from bug_nav.algorithms.base import Algorithm
from bug_nav.algorithms.registry import find
from bug_nav.core.names import shortened, shown
from bug_nav.core.parameters import check, KIND_NAMES, typed
from bug_nav.sim.robots import equip, Equipment, find_robot, PARAMETERS
from bug_nav.sim.sensors import LidarModel


def equipment_of(robot: str, *, range_noise: Optional[float] = None, **changes: Any) -> Equipment:
    """
    Return a robot with other parameters than its own.

    :param range_noise: standard deviation of a range [m]; None for the robot's own.
    :param changes: by the names that `bug_nav run --set` has for them; those of an algorithm,
        which have a point in their name, are left to `algorithm_of`.
    :raises ValueError: with one sentence, where there is no such robot, or no such parameter.
    """
    values: Dict[str, Any] = {}
    if range_noise is not None:
        if not isinstance(find_robot(robot).sensor, LidarModel):
            raise ValueError('it has single rangers, whose noise is a share of the range; give '
                             'range_noise: own')
        values['scan_noise'] = range_noise
    for name, value in changes.items():
        if '.' in name:
            continue
        if name not in PARAMETERS:
            raise ValueError(f'settings.{shortened(name)} is no parameter of its body, '
                             'navigation, sensor or odometry; those of an algorithm are '
                             'called such as bug2.leave_margin')
        values[name] = _allowed(name, value, PARAMETERS[name])
    return equip(robot, values)


def algorithm_of(name: str, changes: Mapping[str, Any]) -> Algorithm:
    """Return an algorithm by its name, with those of the changed parameters that are its own."""
    kind: Any = find(name)
    fields = {f'{name}.{field.name}': field for field in dataclasses.fields(kind.Parameters)}
    values: Dict[str, Any] = {}
    for called, value in changes.items():
        if called.partition('.')[0] == name:
            if called not in fields:
                raise ValueError(f'settings.{shortened(called)} is no parameter; {name} has '
                                 f'{", ".join(fields) or "none"}')
            values[fields[called].name] = _allowed(called, value, fields[called])
    return kind(kind.Parameters(**values))


def _allowed(called: str, value: Any, field: dataclasses.Field) -> Any:
    """Return a value that is allowed for a field, as its type."""
    kind: type = type(field.default)
    try:
        value = typed(value, kind)
    except TypeError:
        raise ValueError(f'settings.{called} is {shown(value)}; give {KIND_NAMES[kind]}') from None
    check(f'settings.{called}', value, field)
    return value
