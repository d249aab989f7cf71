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

"""Options of the page: worlds, robots, algorithms, and parameters with their ranges."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Iterable, List

from bug_nav import __version__
from bug_nav.lab.algorithm_catalogue import catalogue, Entry
from bug_nav.navigation.settings import RobotModel, Settings, TURN_DIRECTIONS
from bug_nav.playground.request_parser import MAX_SHAPES, MAX_SOLIDS
from bug_nav.simulation.catalogue import shipped_worlds
from bug_nav.simulation.generators import GENERATORS, PREFIX
from bug_nav.simulation.latency import TimingModel
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.parts import Parts
from bug_nav.simulation.robots import ROBOTS
from bug_nav.simulation.sensors import LidarModel

PARAMETER_GROUPS = (('Parts', Parts), ('Robot', RobotModel), ('Navigation', Settings),
                    ('Lidar', LidarModel), ('Odometry', OdometryModel), ('Timing', TimingModel))
"""Groups of the parameters in `bug_nav.simulation.robots.PARAMETERS`."""
SEPARATE_PARAMETERS = ('turn_direction',)
"""Parameters with a separate control on the page."""
MAX_ALGORITHMS = 8
"""Maximum number of algorithms that a page compares."""
MAX_UPLOAD = 8_000_000
"""Maximum size of an uploaded file [bytes]."""


def options() -> Dict[str, Any]:
    """Return the options as a JSON document for the page."""
    return {
        'version': __version__, 'worlds': shipped_worlds(),
        'random': [f'{PREFIX}{kind}' for kind in sorted(GENERATORS)],
        'robots': [{'name': name, 'title': preset.title} for name, preset in ROBOTS.items()],
        'turns': list(TURN_DIRECTIONS),
        'algorithms': [_algorithm(entry) for entry in catalogue() if entry.algorithm],
        'groups': [{'title': title, 'parameters': [
            each for each in _parameters(dataclasses.fields(group), '')
            if each['name'] not in SEPARATE_PARAMETERS]} for title, group in PARAMETER_GROUPS],
        'limits': {'upload': MAX_UPLOAD, 'solids': MAX_SOLIDS, 'shapes': MAX_SHAPES,
                   'algorithms': MAX_ALGORITHMS}}


def _algorithm(entry: Entry) -> Dict[str, Any]:
    assert entry.algorithm is not None  # filtered by the caller
    metadata = entry.metadata
    return {'name': entry.name, 'title': metadata.title, 'about': entry.idea,
            'complete': metadata.complete, 'sensing': metadata.sensing, 'turn': metadata.turn,
            'source': metadata.source, 'bound': metadata.bound,
            'steps': [step._asdict() for step in entry.algorithm.steps],
            'parameters': _parameters(entry.parameters, f'{entry.name}.')}


def _parameters(fields: Iterable[dataclasses.Field], prefix: str) -> List[Dict[str, Any]]:
    """Return the form fields of the parameters; infinite limits and defaults become None."""
    return [{'name': prefix + field.name, 'default': _finite(field.default),
             'low': _finite(field.metadata.get('low')),
             'high': _finite(field.metadata.get('high')),
             'unit': field.metadata.get('unit', ''), 'about': field.metadata.get('doc', ''),
             'kind': type(field.default).__name__,
             'choices': list(field.metadata.get('choices') or ()) or None} for field in fields]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
