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

"""``bug_nav run``: navigate in the embedded simulator, without ROS."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import traceback
from typing import Any, Callable, Dict, Optional, Tuple, TYPE_CHECKING

from bug_nav.cli import BadInput, CannotRun, exit_code, headline, uncertainty_text
from bug_nav.cli.case import Case, make_case
from bug_nav.cli.playback_document import equivalent_command, playback_document, run_document
from bug_nav.cli.plot_files import (
    check_picture_file,
    is_animation,
    is_html,
    report_written,
    save_animation,
    save_page,
    save_picture,
)
from bug_nav.cli.progress import ProgressLine
from bug_nav.cli.recording_files import check_recording_file, episode_recorder
from bug_nav.cli.reference_lengths import path_length_bound, shortest_path_length
from bug_nav.navigation.algorithms.base import OWN
from bug_nav.navigation.compiled import compiling
from bug_nav.navigation.cspace.enclosure import winding
from bug_nav.navigation.types import Event, Outcome
from bug_nav.recording import RecordingError
from bug_nav.simulation.episode import EpisodeResult, run_episode, warm_up

if TYPE_CHECKING:
    from bug_nav.visualization.animation import Animation
    from bug_nav.visualization.playback import Playback
    from bug_nav.visualization.record import RunRecord

PROGRESS_DELAY = 1.0
"""Time before a run shows its progress on a terminal [s]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check_single_run(arguments)
    case = make_case(arguments)
    if arguments.plot:
        check_picture_file(arguments.plot, animations=True)
    if arguments.record:
        check_recording_file(arguments.record)
    warn_of_invisible_obstacles(case)
    animation, playback = _make_animation(arguments), make_playback(arguments.plot)
    with episode_recorder(case, arguments.record) as record:
        episode, fault = drive(case, arguments, record, animation.watch if animation else None,
                               playback.watch if playback else None)
    shortest = shortest_path_length(case.world.settled, case.start, case.goal,
                                case.robot.contour_radius, case.robot.settings.xy_goal_tolerance)
    report = make_report(case, arguments.seed, episode, shortest, fault)
    if arguments.plot and episode is not None:
        if playback is not None:
            save_page(playback_document(case, [
                run_for_page(case, arguments, episode, playback, report)]), arguments.plot)
        elif animation is not None:
            save_animation(animation, plot_record(case, episode, shortest), arguments.plot,
                           arguments.size)
        else:
            save_picture(plot_record(case, episode, shortest), arguments.plot)
        report_written(arguments.plot)
    print(json.dumps(report, allow_nan=False) if arguments.json else describe(report))
    return exit_code(report['outcome'])


def _check_single_run(arguments: argparse.Namespace) -> None:
    """Raise BadInput if several runs are requested: `bug_nav compare` does that."""
    for option, several in (('algorithm', ',' in arguments.algorithm),
                            ('turn', arguments.turn == 'both' or ',' in (arguments.turn or ''))):
        if several:
            raise BadInput(f'--{option} {getattr(arguments, option)} is more than one run; '
                           '`bug_nav compare` runs several and draws all paths')


def warn_of_invisible_obstacles(case: Case) -> None:
    """Warn of obstacles that the robot could hit and its lidar cannot see."""
    if case.world.unseen:
        print('bug_nav: the lidar cannot see these obstacles, which the robot could hit: '
              + ', '.join(case.world.unseen), file=sys.stderr)


def _make_animation(arguments: argparse.Namespace) -> Optional[Animation]:
    """Return the recorder of the animation, if one is requested."""
    if not arguments.plot or not is_animation(arguments.plot):
        return None
    from bug_nav.visualization.animation import Animation
    return Animation(arguments.speed_up)


def make_playback(plot: Optional[str]) -> Optional[Playback]:
    """Return the recorder of the playback, if the plot file is a page."""
    if not plot or not is_html(plot):
        return None
    from bug_nav.visualization.playback import Playback
    return Playback()


def run_for_page(case: Case, arguments: argparse.Namespace, episode: EpisodeResult,
                 playback: Playback, report: Dict[str, Any]) -> Dict[str, Any]:
    """Return the playback document of a run."""
    bound = path_length_bound(case.algorithm_name, case.world.settled, case.start, case.goal,
                      case.robot.contour_radius)
    return run_document(case, episode, playback, report,
                        equivalent_command(arguments.world, arguments), bound)


def drive(case: Case, arguments: argparse.Namespace, *watchers: Optional[Callable]
          ) -> Tuple[Optional[EpisodeResult], str]:
    """Return the episode and '', or None and the error of the software."""
    try:
        with compiling():
            warm_up()
        return run_episode(
            case.world, case.start, case.goal, case.algorithm, model=case.robot.model,
            settings=case.robot.settings, lidar=case.robot.sensor, odometry=case.robot.odometry,
            timing=case.robot.timing, seed=arguments.seed,
            time_allowance=arguments.time_allowance, keep_samples=bool(arguments.plot),
            watch=_combined(_progress(), *watchers)), ''
    except (CannotRun, RecordingError):
        raise
    except Exception as fault:  # from third-party algorithms: show it
        traceback.print_exc()
        return None, f'{type(fault).__name__}: {fault}'


def _combined(*watchers: Optional[Callable]) -> Optional[Callable]:
    """Return one callback that calls all given ones; None if there are none."""
    present = [watcher for watcher in watchers if watcher is not None]

    def watch(*tick: Any) -> None:
        for watcher in present:
            watcher(*tick)
    return watch if present else None


def _progress() -> Optional[Callable]:
    if not sys.stderr.isatty():
        return None
    line = ProgressLine(sys.stderr)
    began, hits, leaves = time.monotonic(), 0, 0

    def watch(simulator: Any, navigator: Any, decision: Any) -> None:
        nonlocal hits, leaves
        hits += sum(event.kind == 'hit' for event in decision.events)
        leaves += sum(event.kind == 'leave' for event in decision.events)
        if decision.result is not None:
            line.clear()
        elif time.monotonic() - began > PROGRESS_DELAY:
            line.show(navigator.robot.goal_distance, '/'.join(decision.state), hits, leaves,
                      navigator.robot.path_length, simulator.stamp)
    return watch


def plot_record(case: Case, episode: EpisodeResult, shortest: Optional[float]) -> RunRecord:
    """Return the plot record of an episode that kept its samples."""
    from bug_nav.visualization.record import record_of
    facts = case.algorithm.facts
    return record_of(
        episode, facts.title, '' if facts.turn == OWN else case.robot.settings.turn_direction,
        goal_tolerance=case.robot.settings.xy_goal_tolerance,
        robot_radius=case.robot.model.robot_radius, contour_radius=case.robot.contour_radius,
        shortest_path=shortest, has_m_line=facts.m_line)


# ---- output -----------------------------------------------------------------------------------

def make_report(case: Case, seed: int, episode: Optional[EpisodeResult], shortest: Optional[float],
                fault: str = '') -> Dict[str, Any]:
    """Return the ``--json`` document; missing numbers are None."""
    inputs = {
        'world': case.world.name, 'algorithm': case.algorithm_name, 'robot': case.robot_name,
        'odometry': case.robot.odometry.odometry, 'start': list(case.start),
        'goal': list(case.goal), 'turn': case.robot.settings.turn_direction, 'seed': seed}
    if episode is None:
        return {'outcome': 'error', 'message': fault, **dict.fromkeys(_NUMBERS),
                'shortest_path': _finite(shortest), **inputs}
    message = episode.result.message if episode.result else 'the robot has touched an obstacle'
    points = {kind: [_point(event) for event in episode.events if event.kind == kind]
              for kind in ('hit', 'leave')}
    outcome = episode.outcome
    return {
        'outcome': 'error' if outcome == Outcome.INTERNAL.value else outcome,
        'message': message,
        'path_length': _finite(episode.path_length),
        'odometry_length': _finite(episode.odometry_length),
        'goal_error': _finite(episode.goal_error),
        'missed': episode.missed,
        'final_pose': list(episode.final_pose),
        'shortest_path': _finite(shortest),
        'time': _finite(episode.time),
        'contacts': episode.contacts,
        'bumped': episode.bumped,
        'min_clearance': _finite(episode.min_clearance),
        'hits': len(points['hit']), 'leaves': len(points['leave']),
        'hit_points': points['hit'], 'leave_points': points['leave'],
        'lap_length': _finite(episode.result.lap_length if episode.result else 0.0),
        'uncertainty': _finite(episode.result.uncertainty if episode.result else None),
        'certificate': [list(point) for point in episode.certificate] or None,
        'contour_radius': case.robot.contour_radius,
        'ticks': episode.ticks,
        'wall_time': _finite(episode.wall_time),
        'real_time_factor': _finite(episode.real_time_factor),
        **inputs}


_NUMBERS = ('path_length', 'odometry_length', 'goal_error', 'missed', 'final_pose',
            'shortest_path', 'time', 'contacts', 'bumped', 'min_clearance', 'hits', 'leaves',
            'hit_points', 'leave_points', 'lap_length', 'uncertainty', 'certificate',
            'contour_radius', 'ticks', 'wall_time', 'real_time_factor')


def _point(event: Event) -> Dict[str, Any]:
    return {'index': event.index, 'x': event.pose.x, 'y': event.pose.y, 'yaw': event.pose.theta,
            'time': event.stamp, 'path_length': event.path_length,
            'goal_distance': event.goal_distance}


def _finite(value: Optional[float]) -> Optional[float]:
    """Return None for infinity and NaN, which JSON does not have."""
    return float(value) if value is not None and math.isfinite(value) else None


def describe(report: Dict[str, Any]) -> str:
    """Return a report as text."""
    if report['ticks'] is None:
        return headline(report['outcome'], report['message'])
    head = headline(*_headline_parts(report))
    rows = [
        ('world', f'{report["world"]}, {report["robot"]}, {report["algorithm"]}, turning '
                  f'{report["turn"]}'),
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
                                    f'the robot is {report["goal_error"]:.2f} m from the goal'))
    if report['certificate']:
        rows.append(('certificate', _certificate_text(report)))
    return '\n'.join([head, *(f'  {name:<11} {text}' for name, text in rows)])


def _headline_parts(report: Dict[str, Any]) -> Tuple[str, str]:
    """Return outcome and message; mark a goal that was reached by odometry only."""
    outcome, message = report['outcome'], report['message']
    if report['missed']:
        return f'{outcome} by odometry alone', (
            f'the robot is in fact {report["goal_error"]:.2f} m from the goal, because odometry '
            'has drifted')
    return outcome, message


def _certificate_text(report: Dict[str, Any]) -> str:
    chain = [(x, y) for x, y in report['certificate']]
    x, y = report['goal']
    within = 'goal' if winding(chain, (x, y)) else 'robot'
    return (f'{len(chain)} obstacle points around the {within}, each nearer to the next than '
            f'{2.0 * report["contour_radius"]:.3f} m')


def _path_text(report: Dict[str, Any]) -> str:
    length, shortest = report['path_length'], report['shortest_path']
    if shortest is None:
        return f'{length:.2f} m'
    # A partial path has no meaningful ratio.
    arrived = report['outcome'] == 'reached' and shortest > 0.0
    ratio = f', {length / shortest:.2f} times as long' if arrived else ''
    return f'{length:.2f} m; the shortest is {shortest:.2f} m{ratio}'


def _clearance_text(report: Dict[str, Any]) -> str:
    touched = {0: 'no contact', 1: '1 contact'}.get(report['contacts'],
                                                    f'{report["contacts"]} contacts')
    if report['bumped']:
        times = 'once' if report['bumped'] == 1 else f'{report["bumped"]} times'
        touched += f', bumped {times} while stationary'
    if report['min_clearance'] is None:
        return f'no obstacles, {touched}'
    return f'at least {report["min_clearance"]:.3f} m between body and obstacles, {touched}'
