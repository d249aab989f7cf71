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
Bug algorithms for mobile robots: navigation without a map, with proven verdicts.

The names in `__all__` are the public interface, which docs/api.md lists: `run` and `compare` drive
in the embedded simulator, and the others serve authors of worlds and algorithms. Each is imported
when it is first used, so that ``import bug_nav`` and the command line start fast.
"""

from __future__ import annotations

import importlib
from typing import Any, List, TYPE_CHECKING

from bug_nav.files.module_path import is_run_as_module, leave_current_folder

if TYPE_CHECKING:
    from bug_nav.lab.compare import compare, Comparison
    from bug_nav.lab.names import algorithms, robots, worlds
    from bug_nav.lab.run import Episode, run
    from bug_nav.navigation.algorithms.base import (
        Algorithm,
        CLOSED_LAP,
        CONTACT,
        INTENSITY,
        IntentGenerator,
        Metadata,
        MOVE_TO_GOAL,
        RANGE,
        SAFE_RULE,
        Step,
        TURN_BY_ALGORITHM,
        TURN_FIRST_BY_USER,
    )
    from bug_nav.navigation.behaviors.follow_boundary import (
        follow_boundary,
        Follower,
        meet_boundary,
        Rule,
    )
    from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
    from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
    from bug_nav.navigation.behaviors.move_along_heading import (
        move_along_heading,
    )
    from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
    from bug_nav.navigation.behaviors.trace import Trace
    from bug_nav.navigation.compiled import kernel
    from bug_nav.navigation.geometry import (
        bearing,
        distance,
        Point,
        Pose,
        Segment,
        wrap,
    )
    from bug_nav.navigation.parameters import parameter, ParameterSet
    from bug_nav.navigation.proof.certificate import is_proof
    from bug_nav.navigation.robot import Hit, Robot
    from bug_nav.navigation.types import (
        Along,
        Intent,
        LoopDetected,
        Outcome,
        Result,
        Towards,
        TurnTo,
        Twist,
        Unreachable,
    )
    from bug_nav.simulation.catalogue import find_world
    from bug_nav.simulation.robots import find_robot
    from bug_nav.simulation.world import World

if is_run_as_module():
    leave_current_folder()

__version__ = '1.0.0'
_NAMES = {
    'lab.run': 'run Episode',
    'lab.compare': 'compare Comparison',
    'lab.names': 'worlds robots algorithms',
    'simulation.catalogue': 'find_world',
    'simulation.world': 'World',
    'simulation.robots': 'find_robot',
    'navigation.proof.certificate': 'is_proof',
    'navigation.algorithms.base':
        'Algorithm Metadata Step IntentGenerator MOVE_TO_GOAL CLOSED_LAP SAFE_RULE CONTACT RANGE '
        'INTENSITY TURN_FIRST_BY_USER TURN_BY_ALGORITHM',
    'navigation.parameters': 'ParameterSet parameter',
    'navigation.robot': 'Robot Hit',
    'navigation.behaviors.move_to_goal': 'move_to_goal',
    'navigation.behaviors.follow_boundary': 'follow_boundary Follower meet_boundary Rule',
    'navigation.behaviors.trace': 'Trace',
    'navigation.behaviors.leave_at_closest': 'leave_at_closest',
    'navigation.behaviors.move_along_heading': 'move_along_heading',
    'navigation.behaviors.loop_monitor': 'LoopMonitor',
    'navigation.types':
        'Along Intent Towards TurnTo LoopDetected Outcome Result Unreachable Twist',
    'navigation.geometry': 'bearing distance Point Pose Segment wrap',
    'navigation.compiled': 'kernel',
}
"""Public names by the module that they are imported from."""
_MODULES = {name: f'bug_nav.{module}' for module, names in _NAMES.items()
            for name in names.split()}
__all__ = [
    'run', 'Episode', 'compare', 'Comparison', 'worlds', 'robots', 'algorithms', 'find_world',
    'World', 'find_robot', 'is_proof', 'Algorithm', 'Metadata', 'Step', 'IntentGenerator',
    'MOVE_TO_GOAL', 'CLOSED_LAP', 'SAFE_RULE', 'CONTACT', 'RANGE', 'INTENSITY',
    'TURN_FIRST_BY_USER', 'TURN_BY_ALGORITHM', 'ParameterSet', 'parameter', 'Robot',
    'Hit', 'move_to_goal', 'follow_boundary', 'Follower', 'meet_boundary', 'Rule', 'Trace',
    'leave_at_closest', 'move_along_heading', 'LoopMonitor', 'Along', 'Intent', 'Towards',
    'TurnTo', 'LoopDetected', 'Outcome', 'Result', 'Unreachable', 'Twist', 'bearing', 'distance',
    'Point', 'Pose', 'Segment', 'wrap', 'kernel',
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return [*__all__, '__version__']
