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
Measure the share of a building that a swarm explores: ``python tools/swarm.py``.

Robots that run SGBA start beside each other in a building of rooms, each with its own heading,
measure the signal strength of the others, and return to their start.

It follows the experiment of K. N. McGuire, C. De Wagter, K. Tuyls, H. J. Kappen and G. C. H. E. de
Croon, "Minimal navigation solution for a swarm of tiny flying robots to explore an unknown
environment", Science Robotics 4(35), eaaw9710, 2019, according to a summary: ten robots, 20 m by
20 m, ten minutes. Coverage is counted as in their code (tudelft/gradient_bug,
matlab/plot_results_simulation_2.m): the share of accessible cells of 1 m that a robot entered; a
robot is home once it is within 2.5 m of the start, in the middle.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import List, NamedTuple, Optional, Sequence

from bug_nav.navigation.algorithms.sgba import Heard, Parameters, Sgba
from bug_nav.navigation.geometry import distance, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED, Result, STOP, TickInput, Twist
from bug_nav.simulation import rays
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.generators.halls import boundary_walls
from bug_nav.simulation.generators.shapes import polyline
from bug_nav.simulation.scene import Scene
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np

PUBLISHED = 0.9
"""Published coverage of ten robots in ten minutes, simulated."""
SIZE = 20.0
"""Side of the building [m]."""
ROOM = 4.0
"""Approximate side of a room [m]."""
THICKNESS = 0.1
DOORS = (1.0, 1.4)
"""Minimum and maximum width of a door [m]."""
EXTRA_DOORS = 0.4
"""Share of inner walls with an additional door, not needed to connect the rooms."""
WALL_DISTANCE = 0.7
"""Distance of the starts from the walls of their room [m]."""
STARTS = ('corner', 'middle')
"""Rooms of the starts; headings spread over 90 degrees from the corner, 360 from the middle."""
START_SPACING = 0.8
"""Distance between the starts [m]."""
MAX_ROBOTS = 16
"""Maximum number of robots."""
OUTBOUND = 0.5
"""Share of the time after which the robots return."""
RADIO_RANGE = 10.0
"""Range of the radio [m]."""
SIGNAL_NOISE = 3.0
"""Standard deviation of the signal strength [dB]."""
PATH_LOSS = 20.0
"""Loss of signal strength per decade of distance [dB]."""
SIGNAL_PERIOD = 0.5
"""Period of the radio signals; a measured distance holds until the next [s]."""
CELL = 0.5
"""Side of the cells for the seen share; cells with the middle in a wall do not count [m]."""
SIGHT_RANGE = 1.0
"""Maximum distance at which a cell with its middle in line of sight counts as seen [m]."""
ENTERED = 1.0
"""Side of the cells for the entered share [m]."""
HOME_RADIUS = 2.5
"""Distance from its start at which a robot is home by the published count [m]."""
SETTINGS = Settings(drift_correction='none')
"""Settings of the robots; their odometry is perfect."""


class Exploration(NamedTuple):
    """Result of an exploration."""

    entered: List[float]
    """Share of cells of `ENTERED` that a robot was in, at each requested time."""
    seen: List[float]
    """Share of cells of `CELL` that a robot has seen, at the same times."""
    home: int
    """Number of robots that reached their start."""
    near: int
    """Number of robots that came within `HOME_RADIUS` of their start while returning."""
    ended: int
    """Number of robots that ended with another outcome."""
    contacts: int
    """Number of contacts of moving robots."""
    bumped: int
    """Number of times that another robot ran into a stopped one."""


def table(seeds: int, robots: int, minutes: int, start: str = 'corner',
          outbound: float = OUTBOUND) -> str:
    """Return a table of coverage after each minute, robots at home, and contacts, by world."""
    times = [60.0 * minute for minute in range(1, minutes + 1)]
    found = []
    for seed in range(1, seeds + 1):
        found.append(explore(seed, robots, times, start=start, outbound=outbound))
        print(f'world {seed} of {seeds}: {found[-1].entered[-1]:.0%} entered, '
              f'{found[-1].seen[-1]:.0%} seen', file=sys.stderr, flush=True)
    head = ' | '.join(map(str, range(1, minutes + 1)))
    lines = [f'{robots} robots from the {start} of {SIZE:g} m x {SIZE:g} m, outbound for '
             f'{100 * outbound:g} % of the time: share of cells of {ENTERED:g} m that a robot '
             f'entered, after each minute [%] (published, for ten robots and ten minutes: '
             f'{100 * PUBLISHED:g}), and share of cells of {CELL:g} m that a robot saw within '
             f'{SIGHT_RANGE:g} m, at the end [%].\n',
             f'| world | {head} | seen | home | came within {HOME_RADIUS:g} m | ended elsewhere | '
             'contacts | bumped |', '|---' * (minutes + 7) + '|']
    lines += [_line(str(seed), [one]) for seed, one in enumerate(found, 1)]
    return '\n'.join([*lines, _line('mean, or all', found)])


def _line(name: str, found: Sequence[Exploration]) -> str:
    shares = np.mean([[*one.entered, one.seen[-1]] for one in found], axis=0)
    counts = np.sum([one[2:] for one in found], axis=0)
    cells = (name, *(f'{100 * share:.0f}' for share in shares), *map(str, counts))
    return f'| {" | ".join(cells)} |'


def explore(seed: int, robots: int, times: Sequence[float], *, size: float = SIZE,
            start: str = 'corner', outbound: float = OUTBOUND) -> Exploration:
    """Let a swarm explore a world, with coverage at some times [s]; the last one ends it."""
    world = building(seed, size)
    floor = Floor(world, size)
    swarm = _swarm(world, seed, _places(robots, size, start), start, outbound * times[-1])
    rng = np.random.default_rng((seed, *b'calls'))
    every, looks = round(SIGNAL_PERIOD / PERIOD), {round(time / PERIOD) for time in times}
    entered: List[float] = []
    seen: List[float] = []
    for tick in range(max(looks) + 1):
        if tick % every == 0:
            for one in swarm:
                floor.look(one.simulator.pose)
            _exchange_signals(swarm, rng)
        if tick in looks:
            entered.append(float(floor.entered.mean()))
            seen.append(float(floor.seen.mean()))
        twists = [one.decide(tick) for one in swarm]
        for one, twist in zip(swarm, twists):
            one.simulator.step(twist, PERIOD)
    results = [one.result.outcome for one in swarm if one.result is not None]
    home = sum(outcome.value in ARRIVED for outcome in results)
    return Exploration(entered, seen, home, sum(one.was_near for one in swarm),
                       len(results) - home, sum(one.simulator.contacts for one in swarm),
                       sum(one.simulator.bumped for one in swarm))


def building(seed: int, size: float) -> World:
    """Return a square of connected rooms between the origin and (size, size) [m]."""
    rng = np.random.default_rng((seed, *b'swarm'))
    count = max(round(size / ROOM), 1)
    side = size / count
    solids = boundary_walls(size, size, THICKNESS)
    part = np.arange(count * count).reshape(count, count)
    walls = [(room, axis) for room in np.ndindex(count, count) for axis in (0, 1)
             if room[axis] + 1 < count]
    for number in rng.permutation(len(walls)):
        room, axis = walls[number]
        along, across = np.eye(2)[1 - axis], np.eye(2, dtype=int)[axis]
        one, other = part[room], part[tuple(room + across)]
        begin = side * (room + across)
        corners = [begin, begin + side * along]
        if one != other or rng.random() < EXTRA_DOORS:
            part[part == other] = one
            door = rng.uniform(*DOORS) + THICKNESS
            jamb = rng.uniform(0.5 * THICKNESS, side - door - 0.5 * THICKNESS)
            corners[1:1] = [begin + jamb * along, begin + (jamb + door) * along]
        for pair in zip(corners[::2], corners[1::2]):
            solids += polyline(np.array(pair), THICKNESS)
    return World(f'swarm_{seed}', tuple(solids))


class Floor:
    """Cells of the floor that robots entered, and cells that they have seen."""

    def __init__(self, world: World, size: float):
        """Start without any."""
        self.entered = np.zeros((math.ceil(size / ENTERED),) * 2, dtype=bool)
        places = CELL * (np.argwhere(np.ones((int(size / CELL),) * 2)) + 0.5)
        self._places = places[world.clearance(places) > 0.0]
        self.seen = np.zeros(len(self._places), dtype=bool)
        self._segments = world.segments

    def look(self, pose: Pose) -> None:
        """Record the cell of a robot and the cells that it sees."""
        self.entered[int(pose.x / ENTERED), int(pose.y / ENTERED)] = True
        x, y = (self._places - pose.position).T
        away = np.hypot(x, y)
        near = np.flatnonzero((away <= SIGHT_RANGE) & ~self.seen)
        beams = np.column_stack([np.full(near.size, pose.x), np.full(near.size, pose.y),
                                 np.arctan2(y[near], x[near])])
        self.seen[near] = rays.cast_each(self._segments, beams, SIGHT_RANGE) >= away[near]


class _Member:
    """A robot of the swarm."""

    def __init__(self, simulator: Simulator, parameters: Parameters):
        self.simulator = simulator
        self.bug = Sgba(parameters)
        self.bug.heard = lambda robot: self.heard
        self.heard: List[Heard] = []
        self.result: Optional[Result] = None
        self.was_near = False
        """Whether it has come within `HOME_RADIUS` of its start while returning."""
        self._home = simulator.pose.position
        self._navigator = Navigator(self.bug, simulator.model, SETTINGS)
        self._every = round(simulator.lidar.period / PERIOD)

    def decide(self, tick: int) -> Twist:
        """Return the command for a tick; stop once there is a result."""
        if self.result is not None:
            return STOP
        simulator, navigator = self.simulator, self._navigator
        navigator.queue.add_pose(simulator.stamp, simulator.odometry)
        if tick % self._every == 0:
            navigator.queue.add_scan(simulator.scan(), simulator.stamp)
        decision = navigator.tick(TickInput(simulator.stamp, self._home))
        self.result = decision.result
        self.was_near |= (not self.bug.is_outbound
                          and distance(simulator.pose.position, self._home) <= HOME_RADIUS)
        return decision.twist


def _places(robots: int, size: float, start: str) -> np.ndarray:
    """Return the starts (n, 2) [m], sorted by outbound heading."""
    count = max(round(size / ROOM), 1)
    room = (count // 2 if start == 'middle' else 0) * size / count
    columns = math.ceil(math.sqrt(robots))
    grid = np.argwhere(np.ones((columns, columns)))[:robots]
    places = room + WALL_DISTANCE + START_SPACING * grid
    x, y = (places - (places.mean(axis=0) if start == 'middle' else room)).T
    return places[np.argsort(np.arctan2(y, x), kind='stable')]


def _swarm(world: World, seed: int, places: np.ndarray, start: str, outbound_time: float
           ) -> List[_Member]:
    """Return robots with evenly spread headings; neighbours have adjacent ones."""
    faced, spread = (0.0, 2.0 * math.pi) if start == 'middle' else (0.25 * math.pi, 0.5 * math.pi)
    swarm: List[_Member] = []
    scene: Optional[Scene] = None
    for k, (x, y) in enumerate(places.tolist()):
        simulator = Simulator(world, Pose(x, y, faced), seed=MAX_ROBOTS * seed + k, scene=scene)
        scene = simulator.scene
        swarm.append(_Member(simulator, Parameters(
            robot_id=k, outbound_time=outbound_time,
            outbound_heading=spread * ((k + 0.5) / len(places) - 0.5))))
    return swarm


def _exchange_signals(swarm: List[_Member], rng: np.random.Generator) -> None:
    """Give each robot the distances to the others, estimated from signal strength."""
    for me in swarm:
        me.heard = []
        for other in swarm:
            away = distance(me.simulator.pose.position, other.simulator.pose.position)
            if other is not me and away <= RADIO_RANGE:
                seems = away * 10.0 ** (rng.normal(0.0, SIGNAL_NOISE) / PATH_LOSS)
                me.heard.append(Heard(other.bug.parameters.robot_id, seems, other.bug.out))


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n\n')[1])
    parser.add_argument('--seeds', type=int, default=5, help='number of worlds')
    parser.add_argument('--robots', type=int, default=10)
    parser.add_argument('--minutes', type=int, default=10)
    parser.add_argument('--start', choices=STARTS, default='corner', help='room of the starts')
    parser.add_argument('--outbound', type=float, default=OUTBOUND,
                        help='share of the time after which the robots return')
    asked = parser.parse_args(arguments)
    for name, low, high in (('seeds', 1, 1000), ('robots', 1, MAX_ROBOTS), ('minutes', 1, 60),
                            ('outbound', 0.0, 1.0)):
        if not low <= getattr(asked, name) <= high:
            parser.error(f'{name} is {getattr(asked, name)}; give {low} to {high}')
    print(table(asked.seeds, asked.robots, asked.minutes, asked.start, asked.outbound))


if __name__ == '__main__':
    main()
