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
``bug_nav replay``: replay a recording through the navigator and report its decisions.

With ``--map``, build a map of the scans instead.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any, Callable, Optional, Tuple, Type

from bug_nav.cli import DEFAULT_BASE_FRAME
from bug_nav.cli.evidence import input_topics, requirements_of, transform_topics
from bug_nav.cli.map_output import check_map, write_map
from bug_nav.cli.progress import PercentLine
from bug_nav.cli.recording_files import open_recording
from bug_nav.cli.robot_file import of_robot
from bug_nav.files import BadInput
from bug_nav.lab.run_setup import algorithm_of, parameters_of, RunOptions
from bug_nav.navigation.algorithms.base import Algorithm, check_sensing
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.names import listed, unknown
from bug_nav.navigation.navigator import Navigator
from bug_nav.recording.checks.frames import ExpectedRobot
from bug_nav.visualization.plot_files import check_picture_file, save_replay

CLOSED_LOOP_DISTANCE = 0.5
"""Maximum distance from start to end of a closed or stationary recording [m]."""
MAX_TOPICS = 20
"""Maximum number of topics in an error."""
DEFAULT_GOAL_DISTANCE = 2.0
"""Distance of the default goal ahead of a stationary robot [m]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    algorithm = algorithm_of(RunOptions('', arguments.algorithm))
    demands = requirements_of(arguments, algorithm)
    make = _navigator_factory(arguments, algorithm, demands)
    if arguments.plot:
        check_picture_file(arguments.plot)
    _check_map(arguments)
    with open_recording(arguments.bag) as bag:
        from bug_nav.recording.evidence_reader import ODOM, SCAN  # needs rosbags
        from bug_nav.recording.trajectory import Sources, trajectory_of
        sources = Sources(*input_topics(arguments), demands.base_frame, demands.mount,
                          demands.use_tf, transform_topics(arguments.namespace))
        course = trajectory_of(bag, sources)
        if course is None or bag.topics.get(sources.scan) != SCAN:
            raise BadInput(f'{arguments.bag!r} has no ' + (
                _missing(bag, 'odom', sources.odom, ODOM) if course is None else
                _missing(bag, 'scan', sources.scan, SCAN)))
        _check_base_frame(arguments, bag, sources, course.frame)
        builder = _map_builder(arguments)
        replay = _replay(arguments, bag, sources, course, make, builder)
        line = PercentLine(sys.stderr, f'replaying {arguments.bag}')
        try:
            summary = replay.run(line.show)
        finally:
            line.clear()
    drawn = None
    try:
        if builder and summary.placed:
            drawn = write_map(builder, arguments.map)
    finally:  # the summary does not need the map
        _print(arguments, summary, replay.assumed, drawn)
    if arguments.plot:
        _plot(arguments, summary)
    return 0 if summary.placed else 1


def _missing(bag: Any, option: str, topic: str, kind: str) -> str:
    """Return what is missing on a topic, and why."""
    from bug_nav.recording.trajectory import rejected_odometry  # needs rosbags
    what = f'usable {kind.rpartition("/")[2]} on {topic}: '
    there = bag.topics.get(topic)
    if there == kind:
        reasons = rejected_odometry(bag, topic).most_common(1)
        return what + (f'{reasons[0][1]} messages are rejected because {reasons[0][0]}' if reasons
                       else 'it has no messages')
    alike = sorted(name for name, each in bag.topics.items() if each == kind)
    return (what + (f'it has the type {there}; ' if there else 'there is no such topic; ')
            + (f'give --{option} {" or ".join(alike[:MAX_TOPICS])}' if alike else
               f'its topics are {listed(sorted(bag.topics)[:MAX_TOPICS])}'))


def _check_base_frame(arguments: argparse.Namespace, bag: Any, sources: Any,
                      odometry_frame: str) -> None:
    """Raise BadInput if the base frame was given and the recording does not have it."""
    from bug_nav.recording.evidence_reader import transforms_of  # needs rosbags
    if arguments.base_frame in (None, DEFAULT_BASE_FRAME):
        return
    known = sorted({odometry_frame, *transforms_of(bag, sources.transforms).frames} - {''})
    if arguments.base_frame not in known:
        raise BadInput('--base-frame: ' + unknown(
            'frame', arguments.base_frame, known, f'the recording has {listed(known)}'))


def _check_map(arguments: argparse.Namespace) -> None:
    """Raise BadInput if options conflict or the map cannot be written."""
    if arguments.map is None:
        for option in ('resolution', 'farthest'):
            if getattr(arguments, option) is not None:
                raise BadInput(f'--{option} applies to a map; give --map OUT as well')
        return
    if arguments.goal is not None:
        raise BadInput('with --map there is no goal, because the whole recording is mapped; '
                       'omit --goal or --map')
    check_map(arguments.map)


def _map_builder(arguments: argparse.Namespace) -> Any:
    """Return the map builder; None without --map."""
    if arguments.map is None:
        return None
    from bug_nav.recording.map_builder import FARTHEST, MapBuilder, RESOLUTION
    return MapBuilder(arguments.resolution or RESOLUTION, arguments.farthest or FARTHEST)


def _replay(arguments: argparse.Namespace, bag: Any, sources: Any, course: Any,
            make: Callable[[], Navigator], builder: Any) -> Any:
    """Return the object that replays the recording, for a map or for a goal."""
    if builder is not None:
        from bug_nav.recording.mapping import Mapping
        return Mapping(bag, sources, make, builder.add)
    from bug_nav.recording.replay import Replay
    return Replay(bag, sources, _goal(arguments.goal, course), make)


def _navigator_factory(arguments: argparse.Namespace, algorithm: Type[Algorithm],
                       demands: ExpectedRobot) -> Callable[[], Navigator]:
    """Return a factory of fresh navigators; BadInput for invalid parameters."""
    try:
        check_sensing(algorithm, demands.settings)
        parameters = algorithm.Parameters(**parameters_of(
            of_robot(arguments), arguments.algorithm, algorithm)[1])
    except ValueError as error:
        raise BadInput(str(error)) from error
    return lambda: Navigator(algorithm(parameters), demands.model, demands.settings)


def _goal(given: Optional[Tuple[float, ...]], course: Any) -> Point:
    if given is not None:
        return given[0], given[1]
    first = course.first.position
    if distance(first, course.last.position) > CLOSED_LOOP_DISTANCE:
        return course.last.position
    if distance(first, course.farthest) > CLOSED_LOOP_DISTANCE:
        return course.farthest
    return course.first.apply((DEFAULT_GOAL_DISTANCE, 0.0))


def _print(arguments: argparse.Namespace, summary: Any, assumed: Any, drawn: Any) -> None:
    from bug_nav.recording import replay_report
    if arguments.json:
        document = replay_report.as_json(arguments.bag, summary, assumed, drawn)
        print(json.dumps(document, allow_nan=False), flush=True)
    else:
        print('\n'.join(replay_report.describe(arguments.bag, summary, assumed, drawn)),
              flush=True)


def _plot(arguments: argparse.Namespace, summary: Any) -> None:
    from bug_nav.recording.replay_report import headline
    from bug_nav.visualization.replay_plot import ReplayRecord
    save_replay(ReplayRecord(
        f'{arguments.bag}: ' + (f'{arguments.algorithm}, ' if summary.goal else '')
        + headline(summary),
        summary.path, summary.estimated, summary.points,
        [(event.kind, event.index, event.pose.position) for event in summary.events],
        summary.stops, summary.goal), arguments.plot)
