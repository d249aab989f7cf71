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

"""One episode of a campaign and its row."""

from __future__ import annotations

import itertools
import math
import traceback
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from bug_nav.lab.barn import barn_columns
from bug_nav.lab.bounds import bound_of
from bug_nav.lab.cases import cached_world, Case, stable_hash, Truth
from bug_nav.lab.consistency import Consistency
from bug_nav.lab.equipment import equipment_of, parameters_of
from bug_nav.lab.ground_truth import comparable_path, MARGIN
from bug_nav.lab.moving_truth import could_be_reached
from bug_nav.lab.rows import Row
from bug_nav.lab.run_report import finite
from bug_nav.lab.run_setup import command_of, drive, RunOptions, RunSetup
from bug_nav.lab.spec import changes_of, Spec
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.types import ARRIVED, Outcome
from bug_nav.simulation.episode import EpisodeResult
from bug_nav.simulation.robots import Equipment
import numpy as np
from shapely.geometry import LineString

CRASHED = 'crashed'
"""Outcome of an episode whose process died."""
ERROR = 'error'
"""Outcome of an episode that raised an exception."""
WITHHELD = (Outcome.UNDECIDED.value, Outcome.ODOM_CONTRADICTORY.value,
            Outcome.REACHED_UNCERTAIN.value)
"""Outcomes of a robot that reports that its position or its sensors allow no verdict."""
PATH_TOLERANCE = 0.02
"""Maximum deviation of the stored path from the true one [m]."""
MIN_TURNING_RATE = 0.1
"""Minimum angular velocity that counts as turning [rad/s]."""
# Maximum number of places for the mean clearance along a boundary.
_PLACES = 500


class Combination(NamedTuple):
    """Factors that are varied besides the case; the names are those of the rows."""

    algorithm: str
    robot: str
    follower: str
    turn: str
    range_noise: Optional[float]
    odometry: str
    odometry_noise: float
    repetition: int
    variant: str
    settings: Mapping[str, Any]
    """Parameters of the variant."""
    correction: str
    still: bool = False
    """Whether this is an episode of the static baseline."""

    @property
    def seed_fields(self) -> Tuple[Any, ...]:
        """Return the source of the seed, which variants, corrections and baseline share."""
        return self[:self._fields.index('variant')]


class CampaignRules(NamedTuple):
    """Settings shared by all episodes of a campaign."""

    seed: int
    groups: Tuple[str, ...]
    """Names of the entries, by their number."""
    time_allowance: Optional[float]
    """Maximum simulated time [s]; None: the time for `Truth.longest` at full speed."""
    success_radius: float
    success: str
    settings: Mapping[str, Any]
    paths: bool
    references: Tuple[Optional[float], ...] = ()
    """Reference lengths of the entries, by their number [m]."""


def rules_of(spec: Spec) -> CampaignRules:
    """Return the settings shared by all episodes."""
    return CampaignRules(
        spec.seed, tuple(entry.group for entry in spec.worlds), spec.time_allowance,
        spec.success_radius, spec.success, dict(spec.settings), spec.paths,
        tuple(entry.reference_length for entry in spec.worlds))


def combinations(spec: Spec) -> List[Combination]:
    """Return the combinations that every case is driven with, in order."""
    levels = [(odometry.model, noise) for odometry in spec.odometry for noise in odometry.noise]
    return [Combination(algorithm, robot, follower, turn, range_noise, *level, repetition,
                        variant.name, dict(variant.settings), correction, still)
            for algorithm, robot, follower, turn, range_noise, level, variant, correction,
            still, repetition
            in itertools.product(spec.algorithms, spec.robots, spec.followers, spec.turns,
                                 spec.range_noise, levels, spec.variants, spec.corrections,
                                 (False, True) if spec.static_baselines else (False,),
                                 range(spec.repeated))]


def key_of(rules: CampaignRules, case: Case, combination: Combination) -> int:
    """Return a 64-bit hash of everything that the row of an episode depends on."""
    # Journals that predate the static baseline have keys without that field.
    identity = combination if combination.still else combination[:-1]
    shared = rules._replace(groups=())._asdict()
    del shared['references']
    reference = _reference_of(rules, case)
    # As are those without a reference length.
    return stable_hash(shared, rules.groups[case.entry], case.world, case.start, case.goal,
                       identity, *([] if reference is None else [reference]))


def _reference_of(rules: CampaignRules, case: Case) -> Optional[float]:
    """Return the reference length of a case [m]; None without one."""
    return rules.references[case.entry] if rules.references else None


def seed_of(rules: CampaignRules, case: Case, combination: Combination) -> int:
    """Return the seed of all random numbers in an episode."""
    return stable_hash(
        rules.seed, case.world, case.start, case.goal, combination.seed_fields) >> 33


def drive_episode(rules: CampaignRules, case: Case, combination: Combination) -> Row:
    """Drive one episode, exactly as the command in its row does."""
    job, consistency = Job(rules, case, combination), Consistency()
    try:
        episode = drive(job.setup(), consistency.watch)
    except (Exception, SystemExit):  # raised by the algorithm; the row carries the traceback
        return job.row(ERROR, traceback.format_exc())
    return job.row_of(episode, consistency)


def crashed_row(rules: CampaignRules, case: Case, combination: Combination, message: str) -> Row:
    """Return the row of an episode that kills its process."""
    return Job(rules, case, combination).row(CRASHED, message)


def judge_episode(rules: CampaignRules, algorithm: str, truth: Optional[bool], surely: bool,
                  outcome: str, contacts: int, goal_error: float, unproven: bool = False,
                  drifts: bool = False) -> Tuple[str, str]:
    """
    Return the columns `verdict` and `fault` of an episode.

    In an unjudged world both verdicts are allowed, except UNREACHABLE for a goal that is reachable
    at rho + 2 cm. Beyond that, REACHED too far from the goal and UNREACHABLE without a valid
    certificate are wrong in every world. REACHED_UNCERTAIN counts as REACHED at the goal, and as
    no verdict elsewhere. An incomplete algorithm may give up, and so may any with a time limit.

    :param surely: whether the goal is reachable at rho + 2 cm.
    :param unproven: UNREACHABLE without a valid certificate, which is wrong in every world.
    :param drifts: whether odometry drifts; then a withheld verdict is not a fault.
    """
    fault = ''
    if outcome == Outcome.REACHED_UNCERTAIN.value and goal_error <= rules.success_radius:
        outcome = 'reached'
    if outcome not in ('reached', 'unreachable'):
        worth = 'none'
        in_time = outcome == 'timeout' and rules.time_allowance is not None
        gives_up = (outcome in ('timeout', 'loop_detected')
                    and not find(algorithm).metadata.complete)
        honest = drifts and outcome in WITHHELD
        fault = '' if in_time or gives_up or honest else f'ended as {outcome}'
    elif outcome == 'reached' and goal_error > rules.success_radius:
        worth, fault = 'wrong', f'reached, but truly {goal_error:.2f} m from the goal'
    elif truth is None:
        worth = 'unjudged'
        if outcome == 'unreachable' and surely:
            fault = 'reachable at rho + 2 cm'
    else:
        worth = 'right' if (outcome == 'reached') == truth else 'wrong'
        fault = '' if worth == 'right' else f'{"" if truth else "not "}reachable'
    if unproven and not fault:
        worth, fault = 'wrong', 'its certificate does not hold'
    return worth, 'an obstacle was touched' if contacts else fault


class Job:
    """An episode, before and after it is driven."""

    def __init__(self, rules: CampaignRules, case: Case, combination: Combination) -> None:
        """Prepare the episode of a combination."""
        self.rules, self.case, self.combination = rules, case, combination
        self.truth: Truth = case.truths[combination.robot]
        self.seed = seed_of(rules, case, combination)
        self.settings: Mapping[str, Any] = changes_of(
            {**rules.settings, **combination.settings}, follower=combination.follower,
            turn_direction=combination.turn, odometry=combination.odometry,
            odometry_noise=combination.odometry_noise, drift_correction=combination.correction,
            turn_seed=self.seed if combination.turn == 'random' else 0)
        """Changed parameters of the robot, and parameters of algorithms."""
        self.equipment: Equipment = equipment_of(
            combination.robot, range_noise=combination.range_noise, **self.settings)
        self.time_allowance = (rules.time_allowance if rules.time_allowance is not None
                               else float(math.ceil(self.truth.longest / self.equipment.speed)))

    @property
    def _has_world_frame(self) -> bool:
        """Return whether the global frame is the frame of the world."""
        odometry = self.equipment.odometry
        return odometry.odometry == 'perfect' and odometry.localizer_period == 0.0

    def _ground_truth_until(self, outcome: str, time: float, goal_error: float
                            ) -> Tuple[Optional[bool], bool]:
        """
        Return whether the goal could be reached by a time [s], at rho and at rho + 2 cm.

        It differs from the final state of a world in which doors open or shut.
        """
        truth, surely = self.truth.reachable, self.truth.surely
        world = cached_world(self.case.world)
        if self.combination.still or not world.movers:
            return truth, surely
        if outcome == 'reached' and truth is False and goal_error <= self.rules.success_radius:
            return True, surely
        if outcome == 'unreachable' and surely and not could_be_reached(
                world, self.case.start, self.case.goal, self.equipment.contour_radius + MARGIN,
                time, self.equipment.settings.xy_goal_tolerance):
            return truth and False, False
        return truth, surely

    def row(self, outcome: str, message: str, **happened: Any) -> Row:
        """Return the row; result columns that are not given are empty or 0."""
        nothing = {
            'shortest_path': self.truth.shortest, 'success': False, 'path_length': 0.0,
            'odometry_length': 0.0, 'time': 0.0, 'ticks': 0, 'hits': 0, 'leaves': 0,
            'lap_length': 0.0, 'certified': None, 'contacts': 0, 'bumped': 0,
            'min_clearance': None, 'mean_clearance': None, 'turning': 0.0, 'oscillation': 0.0,
            'goal_error': math.dist(self.case.start[:2], self.case.goal), 'uncertainty': None,
            'mean_nees': None, 'within_two_sigma': None, 'max_position_error': None,
            'travel_time': None,
            'barn_metric': None if _reference_of(self.rules, self.case) is None else 0.0,
            'path': '', 'wall_time': 0.0}
        result: Dict[str, Any] = {**nothing, **happened}
        # Certificates can be checked only if the robot's map is in the frame of the world.
        unproven = result['certified'] is False and self._has_world_frame
        truth, surely = self._ground_truth_until(outcome, result['time'], result['goal_error'])
        verdict, fault = judge_episode(
            self.rules, self.combination.algorithm, truth, surely, outcome,
            result['contacts'], result['goal_error'], unproven, not self._has_world_frame)
        equipment, combination = self.equipment, self.combination
        (x, y, yaw), goal = self.case.start, self.case.goal
        return Row(
            world=self.case.world, group=self.rules.groups[self.case.entry],
            algorithm=combination.algorithm, robot=combination.robot,
            follower=equipment.settings.follower, turn=equipment.settings.turn_direction,
            range_noise=equipment.range_noise,
            odometry=equipment.odometry.odometry, odometry_noise=equipment.odometry.odometry_noise,
            variant=combination.variant, correction=equipment.settings.drift_correction,
            still=combination.still, seed=self.seed, start_x=x, start_y=y, start_yaw=yaw,
            goal_x=goal[0], goal_y=goal[1],
            reachable=self.truth.reachable, surely_reachable=self.truth.surely,
            bound=bound_of(self.combination.algorithm, self.truth.sums), outcome=outcome,
            message=message, verdict=verdict, fault=fault,
            command=command_of(self.options(), in_full=True), **result)

    def row_of(self, episode: EpisodeResult, consistency: Consistency) -> Row:
        """Return the row of a finished episode."""
        places = np.array([sample.pose.position for sample in episode.samples])
        stamps = np.array([sample.stamp for sample in episode.samples])
        turns = np.array([wrap(b.pose.theta - a.pose.theta)
                          for a, b in zip(episode.samples, episode.samples[1:])])
        nearest = float(np.hypot(*(places - self.case.goal).T).min())
        length, goal_error, outcome = episode.path_length, episode.goal_error, episode.outcome
        if outcome == Outcome.INTERNAL.value:
            outcome = ERROR
        if self.rules.success == 'pass':
            success = nearest <= self.rules.success_radius
        else:
            success = outcome in ARRIVED and goal_error <= self.rules.success_radius
        kinds = [event.kind for event in episode.events]
        return self.row(
            outcome,
            episode.result.message if episode.result else 'the robot touched an obstacle',
            shortest_path=self._shortest_path(episode, outcome), success=success,
            path_length=length, odometry_length=episode.odometry_length,
            time=episode.time, ticks=episode.ticks, hits=kinds.count('hit'),
            leaves=kinds.count('leave'),
            lap_length=episode.result.lap_length if episode.result else 0.0,
            certified=episode.certified if outcome == 'unreachable' else None,
            contacts=episode.contacts, bumped=episode.bumped,
            min_clearance=finite(episode.min_clearance),
            mean_clearance=self._mean_clearance(episode, places),
            turning=float(np.abs(turns).sum()),
            oscillation=_changes(turns, np.diff(stamps)) / length if length > 0.0 else 0.0,
            goal_error=goal_error,
            uncertainty=finite(episode.result.uncertainty if episode.result else None),
            **consistency.columns(),
            **barn_columns(stamps, places, self.case.goal, self.rules.success_radius,
                           _reference_of(self.rules, self.case)),
            path=_as_text(places) if self.rules.paths else '',
            wall_time=episode.wall_time)

    def _shortest_path(self, episode: EpisodeResult, outcome: str) -> Optional[float]:
        """Return the length of the shortest path to compare the path of a robot with."""
        shortest, error = self.truth.shortest, episode.goal_error
        if shortest is None or outcome not in ARRIVED or error > self.rules.success_radius:
            return shortest
        equipment = self.equipment
        return comparable_path(
            episode.world.settled, self.case.start, self.case.goal, equipment.contour_radius,
            shortest, episode.path_length + error, equipment.settings.xy_goal_tolerance).length

    def _mean_clearance(self, episode: EpisodeResult, places: np.ndarray) -> Optional[float]:
        following = np.array(['boundary_following' in sample.state for sample in episode.samples])
        if not following.any() or not episode.world.solids:
            return None
        there = places[following]
        there = there[::max(1, len(there) // _PLACES)]
        return float(episode.world.clearance(there).mean()) - self.equipment.model.robot_radius

    # ---- the run ------------------------------------------------------------------------------

    def setup(self) -> RunSetup:
        """Return the setup of the run."""
        options, world = self.options(), cached_world(self.case.world)
        return RunSetup(options, world.settled if options.still else world, Pose(*self.case.start),
                        self.case.goal, find(options.algorithm_name),
                        parameters_of(options.algorithm_name, self.settings), self.equipment)

    def options(self) -> RunOptions:
        """Return the options of `bug_nav run` that repeat the episode."""
        case, combination = self.case, self.combination
        owners = ('', combination.algorithm)
        return RunOptions(
            case.world, combination.algorithm, None if case.own else case.start,
            None if case.own else case.goal, combination.robot,
            self.equipment.settings.turn_direction, combination.range_noise,
            still=combination.still, time_allowance=self.time_allowance, seed=self.seed,
            settings={name: value for name, value in self.settings.items()
                      if name != 'turn_direction' and name.rpartition('.')[0] in owners})


def _changes(turns: np.ndarray, elapsed: np.ndarray) -> int:
    """Count the changes between left and right turns."""
    sides = np.sign(turns[np.abs(turns) > MIN_TURNING_RATE * elapsed])
    return int((sides[1:] != sides[:-1]).sum())


def _as_text(places: np.ndarray) -> str:
    """Return a simplified path as well-known text, rounded to 1 mm."""
    if len(places) < 2:
        places = np.repeat(places, 2, axis=0)
    thinned = np.array(LineString(places).simplify(PATH_TOLERANCE, preserve_topology=False).coords)
    return 'LINESTRING (' + ', '.join(f'{x:.3f} {y:.3f}' for x, y in thinned) + ')'
