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

"""Robot and parameters of an episode, by name, with changed parameters."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.names import did_you_mean, shortened, shown
from bug_nav.navigation.parameters import check, KIND_NAMES, ParameterSet, typed
from bug_nav.simulation.robots import equip, Equipment, find_robot, PARAMETERS
from bug_nav.simulation.sensors import LidarModel


def equipment_of(robot: str, *, range_noise: Optional[float] = None, **changes: Any) -> Equipment:
    """
    Return a robot with changed parameters.

    :param range_noise: standard deviation of a range [m]; None for the robot's own.
    :param changes: parameters by their names in `bug_nav run --set`; those of algorithms, with a
        dot in their name, are ignored here (see `parameters_of`).
    :raises ValueError: for an unknown robot or parameter, in one sentence.
    """
    values: Dict[str, Any] = {}
    if range_noise is not None:
        if not isinstance(find_robot(robot).sensor, LidarModel):
            raise ValueError('its single rangers have noise proportional to the range; give '
                             'range_noise: own')
        values['scan_noise'] = range_noise
    for name, value in changes.items():
        if '.' in name:
            continue
        if name not in PARAMETERS:
            raise ValueError(f'settings.{shortened(name)} is not a parameter of its body, '
                             'navigation, sensor or odometry'
                             + (did_you_mean(name, PARAMETERS)
                                or '; those of an algorithm are named like bug2.leave_margin'))
        values[name] = _allowed(name, value, PARAMETERS[name])
    return equip(robot, values)


def parameters_of(name: str, changes: Mapping[str, Any]) -> ParameterSet:
    """Return the parameters of an algorithm, with its own of the changed parameters applied."""
    kind: Any = find(name)
    fields = {f'{name}.{field.name}': field for field in dataclasses.fields(kind.Parameters)}
    values: Dict[str, Any] = {}
    for called, value in changes.items():
        if called.partition('.')[0] == name:
            if called not in fields:
                raise ValueError(f'settings.{shortened(called)} is not a parameter'
                                 + (did_you_mean(called, fields) or
                                    f'; {name} has {", ".join(fields) or "none"}'))
            values[fields[called].name] = _allowed(called, value, fields[called])
    parameters: ParameterSet = kind.Parameters(**values)
    return parameters


def _allowed(called: str, value: Any, field: dataclasses.Field) -> Any:
    """Return a value checked and converted to the type of a field."""
    kind: type = type(field.default)
    try:
        value = typed(value, kind)
    except TypeError:
        raise ValueError(f'settings.{called} is {shown(value)}; give {KIND_NAMES[kind]}') from None
    check(f'settings.{called}', value, field)
    return value
