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

"""``bug_nav run``: a navigation in the embedded simulator, without ROS."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import traceback
from typing import Any, Callable, Dict, Optional, TYPE_CHECKING

from bug_nav.commands import CannotRun, exit_code, headline, known_to
from bug_nav.commands.case import Case, make_case
from bug_nav.commands.pictures import check_picture_file, is_film, save_film, save_picture
from bug_nav.commands.progress import ProgressLine
from bug_nav.commands.recordings import check_recording_file, recording_of
from bug_nav.commands.shortest import shortest_path_of
from bug_nav.core import compiled
from bug_nav.core.interface import Event, Outcome
from bug_nav.sim.episode import Episode, run_episode, warm_up
from bug_nav.space.enclosure import winding

if TYPE_CHECKING:
    from bug_nav.viz.film import Film

PATIENCE = 1.0
"""A run that takes longer [s] shows its progress on a terminal."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    case = make_case(arguments)
    if arguments.plot:
        check_picture_file(arguments.plot, films=True)
    if arguments.record:
        check_recording_file(arguments.record)
    if case.world.unseen:
        print('bug_nav: the lidar cannot see what the robot could hit in this world: '
              + ', '.join(case.world.unseen), file=sys.stderr)
    film = _film(arguments)
    episode, fault = _run(case, arguments, film)
    shortest = shortest_path_of(case.world.in_the_end, case.start, case.goal,
                                case.robot.contour_radius, case.robot.settings.xy_goal_tolerance)
    report = make_report(case, arguments.seed, episode, shortest, fault)
    if arguments.plot and episode is not None:
        _plot(case, episode, shortest, arguments.plot, film)
    print(json.dumps(report, allow_nan=False) if arguments.json else describe(report))
    return exit_code(report['outcome'])


def _film(arguments: argparse.Namespace) -> Optional[Film]:
    """Return what takes the moving picture, where one is wanted."""
    if not arguments.plot or not is_film(arguments.plot):
        return None
    from bug_nav.viz.film import Film
    return Film(arguments.speed_up)


def _run(case: Case, arguments: argparse.Namespace, film: Optional[Film]) -> tuple:
    """Return the episode and '', or None and what went wrong in the software."""
    try:
        if compiled.HAVE_NUMBA:
            warm_up()
        with recording_of(case, arguments.record) as record:
            return run_episode(
                case.world, case.start, case.goal, case.algorithm, model=case.robot.model,
                settings=case.robot.settings, lidar=case.robot.sensor,
                odometry=case.robot.odometry, timing=case.robot.timing,
                seed=arguments.seed,
                time_allowance=arguments.time_allowance, keep_samples=bool(arguments.plot),
                watch=_both(_progress(), record, film.watch if film else None)), ''
    except CannotRun:
        raise
    except Exception as fault:  # of the algorithm, which may be anybody's: its author needs it all
        traceback.print_exc()
        return None, f'{type(fault).__name__}: {fault}'


def _both(*watchers: Optional[Callable]) -> Optional[Callable]:
    """Return what calls those of the watchers that there are, None where there is none."""
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
        elif time.monotonic() - began > PATIENCE:
            line.show(navigator.robot.goal_distance, '/'.join(decision.state), hits, leaves,
                      navigator.robot.path_length, simulator.stamp)
    return watch


def _plot(case: Case, episode: Episode, shortest: Optional[float], path: str,
          film: Optional[Film]) -> None:
    from bug_nav.viz.record import record_of
    record = record_of(
        episode, case.algorithm.facts.title, case.robot.settings.turn_direction,
        goal_tolerance=case.robot.settings.xy_goal_tolerance,
        robot_radius=case.robot.model.robot_radius,
        contour_radius=case.robot.contour_radius, shortest_path=shortest)
    if film is None:
        save_picture(record, path)
    else:
        save_film(film, record, path)


# ---- what is told -----------------------------------------------------------------------------

def make_report(case: Case, seed: int, episode: Optional[Episode], shortest: Optional[float],
                fault: str = '') -> Dict[str, Any]:
    """Return what ``--json`` prints; a number that does not exist is None."""
    asked = {
        'world': case.world.name, 'algorithm': case.algorithm_name, 'robot': case.robot_name,
        'odometry': case.robot.odometry.odometry, 'start': list(case.start),
        'goal': list(case.goal), 'turn': case.robot.settings.turn_direction, 'seed': seed}
    if episode is None:
        return {'outcome': 'error', 'message': fault, **dict.fromkeys(_NUMBERS),
                'shortest_path': _finite(shortest), **asked}
    message = episode.result.message if episode.result else 'the robot has touched an obstacle'
    points = {kind: [_point(event) for event in episode.events if event.kind == kind]
              for kind in ('hit', 'leave')}
    outcome = episode.outcome
    return {
        'outcome': 'error' if outcome == Outcome.INTERNAL.value else outcome,
        'message': message,
        'path_length': _finite(episode.travelled),
        'odometry_length': _finite(episode.path_length),
        'goal_error': _finite(episode.goal_error),
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
        **asked}


_NUMBERS = ('path_length', 'odometry_length', 'goal_error', 'final_pose', 'shortest_path', 'time',
            'contacts', 'bumped', 'min_clearance', 'hits', 'leaves', 'hit_points', 'leave_points',
            'lap_length', 'uncertainty', 'certificate', 'contour_radius', 'ticks', 'wall_time',
            'real_time_factor')


def _point(event: Event) -> Dict[str, Any]:
    return {'index': event.index, 'x': event.pose.x, 'y': event.pose.y, 'yaw': event.pose.theta,
            'time': event.stamp, 'path_length': event.path_length,
            'goal_distance': event.goal_distance}


def _finite(value: Optional[float]) -> Optional[float]:
    """JSON has no word for infinity: it becomes null."""
    return float(value) if value is not None and math.isfinite(value) else None


def describe(report: Dict[str, Any]) -> str:
    """Return a report as a short text for a person."""
    head = headline(report['outcome'], report['message'])
    if report['ticks'] is None:
        return head
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
        rows.insert(2, ('goal', known_to(report['uncertainty'])))
    if report['odometry'] != 'perfect':
        rows.insert(2, ('odometry', f'{report["odometry"]}: {report["odometry_length"]:.2f} m; '
                                    f'the robot is {report["goal_error"]:.2f} m from the goal'))
    if report['certificate']:
        rows.append(('certificate', _certificate_text(report)))
    return '\n'.join([head, *(f'  {name:<11} {text}' for name, text in rows)])


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
    ratio = f', {length / shortest:.2f} times as long' if shortest > 0.0 else ''
    return f'{length:.2f} m; the shortest is {shortest:.2f} m{ratio}'


def _clearance_text(report: Dict[str, Any]) -> str:
    touched = {0: 'no contact', 1: '1 contact'}.get(report['contacts'],
                                                    f'{report["contacts"]} contacts')
    if report['bumped']:
        times = 'once' if report['bumped'] == 1 else f'{report["bumped"]} times'
        touched += f', bumped {times} while it stood'
    if report['min_clearance'] is None:
        return f'nothing to touch, {touched}'
    return f'{report["min_clearance"]:.3f} m at least between body and obstacles, {touched}'
