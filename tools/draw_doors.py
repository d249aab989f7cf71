#!/usr/bin/env python3
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
Draw runs to a goal behind a door: docs/images/doors.png.

Bug2 drives in a room with a door that opens later, that a person blocks for twenty seconds, or
that closes permanently; and to a goal that a person occupies. Needs bug_nav installed, and
matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Optional, Sequence, Tuple

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import rectangle
from bug_nav.simulation.movers import disc, Mover, Script, Scripted
from bug_nav.simulation.world import World
from bug_nav.visualization.record import record_of, RunRecord
from bug_nav.visualization.sheet import draw_sheet

PICTURE = Path(__file__).resolve().parents[1] / 'docs' / 'images' / 'doors.png'
START, GOAL = Pose(-3.0, 0.0, 0.0), (3.0, 0.0)
WALLS = tuple(rectangle(*each, 0.0) for each in (
    (0.0, 2.1, 8.2, 0.2), (0.0, -2.1, 8.2, 0.2), (4.1, 0.0, 0.2, 4.4), (-4.1, 0.0, 0.2, 4.4),
    (0.0, 1.25, 0.15, 1.5), (0.0, -1.25, 0.15, 1.5)))
LEAF = (rectangle(0.0, 0.0, 0.1, 1.0, 0.0),)


def sliding(begins: float, ends: float, before: float, after: float) -> Scripted:
    """Return a door that slides from one y to another [m] between two times [s]."""
    script = Script([0.0, begins, ends], [(0, before, 0), (0, before, 0), (0, after, 0)])
    return Scripted('door', LEAF, script, gives_way=True)


def record(title: str, mover: Mover) -> RunRecord:
    """Drive, and return the record to draw."""
    world = World(title, WALLS, (*START,), GOAL, movers=(mover,))
    episode = run_episode(world, START, GOAL, find('bug2')(), seed=3)
    print(f'{title}: {episode.outcome} after {episode.time:.1f} s, {episode.path_length:.1f} m, '
          f'{episode.contacts} contacts, bumped {episode.bumped} times')
    model, settings = RobotModel(), Settings()
    return record_of(
        episode, title, 'left', goal_tolerance=settings.xy_goal_tolerance,
        robot_radius=model.robot_radius, contour_radius=contour_radius(model, settings))


def main(argv: Optional[Sequence[str]] = None) -> None:
    """Draw the four runs."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--out', metavar='FILE', type=Path, default=PICTURE,
                        help='default: docs/images/doors.png')
    picture = parser.parse_args(argv).out
    cases: Tuple[Tuple[str, Mover], ...] = (
        ('opens after 60 s', sliding(60.0, 63.0, 0.0, 1.3)),
        ('a person in it for 20 s', Scripted('p', (disc(0.25),), Script(
             [0.0, 20.0, 23.0], [(0, 0, 0), (0, 0, 0), (3, 1.5, 0)]))),
        ('shuts for good', sliding(8.0, 11.0, 1.3, 0.0)),
        ('a person at the goal', Scripted('p', (disc(0.25),), Script(
            [0.0, 10.0, 11.5, 50.0, 52.0],
            [(3, 1.7, 0), (3, 1.7, 0), (3, 0, 0), (3, 0, 0), (3, 1.7, 0)]))))
    draw_sheet([record(*case) for case in cases]).savefig(picture, dpi=110)


if __name__ == '__main__':
    main()
