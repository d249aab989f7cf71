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

"""What a campaign has shown, as a table for a person and as a dictionary for a file."""

from __future__ import annotations

import dataclasses
import math
import shlex
from typing import Any, Dict, List, Optional, Tuple

from bug_nav.bench.campaign import Plan, Run, WorldRuns


class Summary:
    """What has come out so far."""

    def __init__(self, plan: Plan):
        """Begin with nothing."""
        self.plan = plan
        self.worlds: List[WorldRuns] = []
        self.faults: List[Tuple[WorldRuns, Run]] = []
        """The episodes in which something is wrong."""
        self.judged = 0
        """The number of judged worlds."""

    def add(self, world: WorldRuns) -> None:
        """Count a world in."""
        self.worlds.append(world)
        self.faults += [(world, run) for run in world.runs if world.fault(run)]
        self.judged += world.truth is not None

    @property
    def runs(self) -> List[Tuple[WorldRuns, Run]]:
        """Every episode, with its world."""
        return [(world, run) for world in self.worlds for run in world.runs]

    def row(self, truth: Optional[bool]) -> Dict[str, int]:
        """Return the counts of the worlds of one truth; None for those that cannot be judged."""
        runs = [(world, run) for world, run in self.runs if world.truth is truth]
        wrong = sum(bool(world.fault(run)) for world, run in runs)
        return {'worlds': sum(world.truth is truth for world in self.worlds),
                'episodes': len(runs), 'right': len(runs) - wrong, 'wrong': wrong}

    def as_dict(self) -> Dict[str, Any]:
        """Return everything for a JSON file; a number that does not exist is None."""
        return {
            'plan': dataclasses.asdict(self.plan),
            'reachable': self.row(True), 'unreachable': self.row(False),
            'not_judged': self.row(None), 'contacts': self._sum('contacts'),
            'min_clearance': _finite(self._min_clearance()), 'time': self._sum('time'),
            'real_time_factor': self._sum('time') / max(self._sum('wall_time'), 1e-9),
            'episodes': [self._episode(world, run) for world, run in self.runs]}

    def _episode(self, world: WorldRuns, run: Run) -> Dict[str, Any]:
        return {'world': world.name, 'seed': world.seed, 'truth': world.truth,
                'surely_reachable': world.surely_reachable, 'fault': world.fault(run),
                **run._asdict(), 'min_clearance': _finite(run.min_clearance)}

    def _sum(self, name: str) -> float:
        return sum(getattr(run, name) for _, run in self.runs)

    def _min_clearance(self) -> float:
        return min((run.min_clearance for _, run in self.runs), default=math.inf)

    def table(self) -> str:
        """Return the summary for a person."""
        plan, seeds = self.plan, [world.seed for world in self.worlds]
        between = f'seeds {min(seeds)} to {max(seeds)}' if seeds else 'no worlds yet'
        lines = [f'{plan.algorithm}, turning {" and ".join(plan.turns)}, range noise '
                 f'{plan.noise:g} m, {"dense clutter, " if plan.dense else ""}{between}', '',
                 f'{"worlds where the goal is":<28}{"worlds":>8}{"episodes":>10}{"right":>8}'
                 f'{"wrong":>8}']
        for name, truth in (('reachable', True), ('unreachable', False), ('not judged *', None)):
            row = self.row(truth)
            lines.append(f'{name:<28}{row["worlds"]:>8}{row["episodes"]:>10}{row["right"]:>8}'
                         f'{row["wrong"]:>8}')
        share = 100.0 * self.row(None)['worlds'] / max(len(self.worlds), 1)
        lines += [f'* {share:.1f} % of the worlds: the truth there hangs on 2 cm. Right is any '
                  'verdict but', '  UNREACHABLE where the goal can be reached at rho + 2 cm '
                  '(soundness).', '']
        factor = self._sum('time') / max(self._sum('wall_time'), 1e-9)
        lines.append(f'contacts {self._sum("contacts")}, smallest clearance of the body '
                     f'{self._min_clearance():.3f} m, {self._sum("time") / 3600.0:.1f} h '
                     f'simulated, {factor:.0f} times real time')
        return '\n'.join(lines + self._list_of_faults())

    def _list_of_faults(self) -> List[str]:
        lines = []
        for world, run in self.faults:
            lines += ['', f'WRONG: seed {world.seed}, turning {run.turn}: {run.outcome} after '
                      f'{run.path_length:.1f} m; {world.fault(run)}',
                      *(f'  {line}' for line in run.message.splitlines()),
                      f'  {command_of(self.plan, world, run)}']
        return lines


def command_of(plan: Plan, world: WorldRuns, run: Run) -> str:
    """Return the command that repeats an episode."""
    return shlex.join(['bug_nav', 'run', world.name, '--algorithm', plan.algorithm, '--turn',
                       run.turn, '--noise', f'{plan.noise:g}', '--seed', str(world.seed)])


def _finite(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None
