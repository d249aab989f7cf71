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

"""The report of a run: the document of ``bug_nav run --json``, and the text without ``--json``."""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping, Optional, Tuple

from bug_nav.lab.reference_lengths import comparable_length, ratio_to_shortest
from bug_nav.lab.run_setup import RunSetup
from bug_nav.navigation.proof.enclosure import winding
from bug_nav.navigation.types import ARRIVED, Event, Outcome
from bug_nav.simulation.episode import EpisodeResult

OWN_TURN = 'own'
"""Turn direction of an algorithm that chooses it itself."""
NOTICEABLE = 0.01
"""Minimum distance from the robot to the goal at which the path to the goal is shown too [m]."""


def make_report(setup: RunSetup, episode: Optional[EpisodeResult], shortest: Optional[float],
                fault: str = '') -> Dict[str, Any]:
    """
    Return the ``--json`` document of a run; missing numbers are None.

    :param shortest: length of the shortest path at rho [m]. If the driven path is shorter, the
        report has the one at rho - 2 cm.
    :param fault: the error of the software that ended the run without an episode.
    """
    inputs = {
        'world': setup.world.name, 'algorithm': setup.algorithm_name, 'robot': setup.options.robot,
        'odometry': setup.robot.odometry.odometry, 'start': list(setup.start),
        'goal': list(setup.goal), 'turn': OWN_TURN if setup.chooses_turn else (
            setup.robot.settings.turn_direction),
        'seed': int(setup.options.seed)}
    if episode is None:
        return {'outcome': 'error', 'message': fault, **dict.fromkeys(_NUMBERS),
                'shortest_path': finite(shortest), 'shortest_path_margin': 0.0, **inputs}
    message = episode.result.message if episode.result else 'the robot has touched an obstacle'
    outcome, margin = episode.outcome, 0.0
    if shortest is not None and outcome in ARRIVED and not episode.goal_missed:
        shortest, margin = comparable_length(
            setup.world.settled, setup.start, setup.goal, setup.robot.contour_radius,
            setup.robot.settings.xy_goal_tolerance, shortest,
            episode.path_length + episode.goal_error)
    points = {kind: [_point(event) for event in episode.events if event.kind == kind]
              for kind in ('hit', 'leave')}
    return {
        'outcome': 'error' if outcome == Outcome.INTERNAL.value else outcome,
        'message': message,
        'path_length': finite(episode.path_length),
        'odometry_length': finite(episode.odometry_length),
        'goal_error': finite(episode.goal_error),
        'goal_missed': episode.goal_missed,
        'false_unreachable': shortest is not None and _is_false(setup, outcome),
        'final_pose': list(episode.final_pose),
        'shortest_path': finite(shortest),
        'shortest_path_margin': margin,
        'time': finite(episode.time),
        'contacts': episode.contacts,
        'bumped': episode.bumped,
        'min_clearance': finite(episode.min_clearance),
        'hits': len(points['hit']), 'leaves': len(points['leave']),
        'hit_points': points['hit'], 'leave_points': points['leave'],
        'lap_length': finite(episode.result.lap_length if episode.result else 0.0),
        'uncertainty': finite(episode.result.uncertainty if episode.result else None),
        'certificate': [list(point) for point in episode.certificate] or None,
        'contour_radius': setup.robot.contour_radius,
        'ticks': episode.ticks,
        'wall_time': finite(episode.wall_time),
        'real_time_factor': finite(episode.real_time_factor),
        **inputs}


_NUMBERS = ('path_length', 'odometry_length', 'goal_error', 'goal_missed', 'false_unreachable',
            'final_pose', 'time', 'contacts', 'bumped', 'min_clearance', 'hits', 'leaves',
            'hit_points', 'leave_points', 'lap_length', 'uncertainty', 'certificate',
            'contour_radius', 'ticks', 'wall_time', 'real_time_factor')


def _is_false(setup: RunSetup, outcome: str) -> bool:
    """Return whether the goal is unreachable, although a robot with 2 cm more would get there."""
    from bug_nav.lab.ground_truth import MARGIN, reachable  # only if shapely is installed
    return (outcome == Outcome.UNREACHABLE.value and not setup.world.movers and reachable(
        setup.world, setup.start, setup.goal, setup.robot.contour_radius + MARGIN,
        setup.robot.settings.xy_goal_tolerance))


def _point(event: Event) -> Dict[str, Any]:
    return {'index': event.index, 'x': event.pose.x, 'y': event.pose.y, 'yaw': event.pose.theta,
            'time': event.stamp, 'path_length': event.path_length,
            'goal_distance': event.goal_distance}


def finite(value: Optional[float]) -> Optional[float]:
    """Return None for infinity and NaN, which JSON does not have."""
    return float(value) if value is not None and math.isfinite(value) else None


def describe(report: Mapping[str, Any]) -> str:
    """Return a report as text."""
    if report['ticks'] is None:
        return headline(report['outcome'], report['message'])
    head = headline(*_headline_parts(report))
    rows = [
        ('world', f'{report["world"]}, {report["robot"]}, {report["algorithm"]}'
                  + ('' if report['turn'] == OWN_TURN else f', turning {report["turn"]}')),
        ('path', _path_text(report)),
        ('time', f'{report["time"]:.1f} s simulated in {report["wall_time"]:.2f} s, '
                 f'{report["real_time_factor"]:.0f} times real time'),
        ('points', f'{report["hits"]} hit, {report["leaves"]} left'),
        ('clearance', _clearance_text(report)),
    ]
    if report['uncertainty'] is not None:
        rows.insert(2, ('goal', uncertainty_text(report['uncertainty'])))
    if report['odometry'] != 'perfect':
        rows.insert(2, ('odometry', f'{report["odometry"]}: {report["odometry_length"]:.2f} m; '
                                    f'in truth, the robot is {report["goal_error"]:.2f} m '
                                    'from the goal'))
    if report['certificate']:
        rows.append(('certificate', _certificate_text(report)))
    return '\n'.join([head, *(f'  {name:<11} {text}' for name, text in rows)])


def _headline_parts(report: Mapping[str, Any]) -> Tuple[str, str]:
    """Return outcome and message; mark what holds only by the robot's own estimate."""
    outcome, message = report['outcome'], report['message']
    if report['goal_missed']:
        truth = f'the robot is in fact {report["goal_error"]:.2f} m from the goal'
        if outcome == Outcome.REACHED_UNCERTAIN.value:
            return outcome, f'{message}; {truth}'
        cause = ('odometry has drifted' if _is_by_odometry(report) else
                 'its estimate of the position is off')
        return outcome_text(report), f'{truth}, because {cause}'
    if report['false_unreachable']:
        return outcome_text(report), (f'{message}; in truth, a path of '
                                      f'{report["shortest_path"]:.2f} m leads to the goal')
    if outcome == Outcome.REACHED.value and report['odometry'] != 'perfect':
        return outcome, f'{message} by its own estimate'
    return outcome, message


def outcome_text(report: Mapping[str, Any]) -> str:
    """Return the outcome in words; mark what is false or holds only by the robot's estimate."""
    text = str(report['outcome']).replace('_', ' ')
    if report['false_unreachable']:
        return f'false {text}'
    if not report['goal_missed'] or report['outcome'] != Outcome.REACHED.value:
        return text
    return f'{text} by {"odometry" if _is_by_odometry(report) else "estimate"} alone'


def _is_by_odometry(report: Mapping[str, Any]) -> bool:
    """Return whether the position is that of odometry that drifts, without a correction."""
    return report['odometry'] != 'perfect' and report['uncertainty'] is None


def _certificate_text(report: Mapping[str, Any]) -> str:
    chain = [(x, y) for x, y in report['certificate']]
    x, y = report['goal']
    within = 'goal' if winding(chain, (x, y)) else 'robot'
    return (f'{len(chain)} obstacle points around the {within}, each nearer to the next than '
            f'{2.0 * report["contour_radius"]:.3f} m')


def _path_text(report: Mapping[str, Any]) -> str:
    length, shortest = report['path_length'], report['shortest_path']
    if shortest is None:
        return f'{length:.2f} m'
    ratio, known = path_ratio(report), f'{less_clearance(report)} is {shortest:.2f} m'
    if ratio is None and _arrived(report) and length + report['goal_error'] < shortest:
        # The robot passed before an obstacle moved into the way.
        return f'{length:.2f} m; in the final state of the world, the shortest{known}'
    if ratio is None:
        return f'{length:.2f} m; the shortest{known}'
    to_goal = length + report['goal_error']
    rest = ('' if to_goal - length < NOTICEABLE else
            f', {to_goal:.2f} m with the straight line to the goal')
    return f'{length:.2f} m{rest}; the shortest{known}, ratio {ratio:.2f}'


def less_clearance(report: Mapping[str, Any]) -> str:
    """Return the margin of the shortest path as text; empty if it is 0."""
    margin = report['shortest_path_margin']
    return f' with {100.0 * margin:.0f} cm less clearance' if margin else ''


def path_ratio(report: Mapping[str, Any]) -> Optional[float]:
    """
    Return path / shortest path, both to the goal itself, of a report.

    None if the robot did not arrive, because a partial path has no meaningful ratio.
    """
    if not _arrived(report) or report['shortest_path'] is None:
        return None
    return ratio_to_shortest(report['path_length'] + report['goal_error'],
                             report['shortest_path'])


def _arrived(report: Mapping[str, Any]) -> bool:
    """Return whether the robot is at the goal by its own estimate and in truth."""
    return report['outcome'] in ARRIVED and not report['goal_missed']


def _clearance_text(report: Mapping[str, Any]) -> str:
    touched = {0: 'no contact', 1: '1 contact'}.get(report['contacts'],
                                                    f'{report["contacts"]} contacts')
    if report['bumped']:
        times = 'once' if report['bumped'] == 1 else f'{report["bumped"]} times'
        touched += f', bumped {times} by others'
    if report['min_clearance'] is None:
        return f'no obstacles, {touched}'
    return f'at least {report["min_clearance"]:.3f} m between body and obstacles, {touched}'


def uncertainty_text(uncertainty: float) -> str:
    """Return the uncertainty of the goal position as text; a standard deviation [m]."""
    return f'position known to {uncertainty:.3f} m'


def headline(outcome: str, message: str) -> str:
    """Return outcome and message as one line of text."""
    end = '' if message.endswith(('.', '?', '!')) else '.'
    return f'{outcome.upper()}: {message}{end}'
