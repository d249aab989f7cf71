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
Draw every algorithm in the same scene: docs/images/algorithms/NAME.png, and all on one sheet.

Run without arguments for all algorithms of bug_nav, or with some names, which skips the sheets
docs/images/family.png and worlds*.png and the certificate docs/images/certificate.png. Needs
bug_nav installed, and matplotlib and shapely.
"""

from __future__ import annotations

import argparse
import io
import math
from pathlib import Path
import sys
from typing import Optional, Sequence

from bug_nav.cli.parser import main as bug_nav
from bug_nav.lab.algorithm_catalogue import catalogue, Entry
from bug_nav.lab.reference_lengths import shortest_path_length
from bug_nav.navigation.algorithms.base import TURN_BY_ALGORITHM
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import GENERATORS, random_name
from bug_nav.simulation.world import World
from bug_nav.visualization import episode_plot
from bug_nav.visualization.episode_plot import draw
from bug_nav.visualization.record import record_of, RunRecord
from bug_nav.visualization.sheet import draw_sheet
from matplotlib.figure import Figure
import numpy as np
from PIL import Image

IMAGES = Path(__file__).resolve().parent.parent / 'docs' / 'images'
WORLD, TURN, SEED = 'gallery', 'left', 1
POSTS, POST, FENCE, PROVER = 12, 0.12, 0.95, 'bug2'
"""Number of posts, radius of a post [m], radius of the fence [m], and algorithm for it."""
TIME_ALLOWANCE = 1800.0
DPI, SHEET_DPI, SHADES = 110, 84, 40
WORLD_SHADES, SEEDS = 64, (1, 2)
"""Colours of the sheets of worlds, and seeds of random ones with a reachable goal and without."""
# Colours that are kept exactly when the palette is reduced.
COLOURS = [episode_plot.PAPER, episode_plot.FLOOR, episode_plot.INK, episode_plot.FAINT_INK,
           episode_plot.SOLID, episode_plot.SOLID_EDGE, episode_plot.CONTOUR, episode_plot.GRID,
           episode_plot.HIT, episode_plot.LEAVE, episode_plot.CERTIFICATE,
           episode_plot.OTHER.colour,
           *(phase.colour for phase in episode_plot.PHASES),
           *(colour for colour, _ in episode_plot.VERDICTS.values())]


def run(entry: Entry, world: World) -> RunRecord:
    """Return the run of an algorithm in a world."""
    model, settings = RobotModel(), Settings(turn_direction=TURN)
    start, radius = Pose(*world.start), model.robot_radius + settings.clearance
    episode = run_episode(world, start, world.goal, entry.algorithm(), model=model,
                          settings=settings, seed=SEED, time_allowance=TIME_ALLOWANCE)
    return record_of(
        episode, entry.metadata.title, '' if entry.metadata.turn == TURN_BY_ALGORITHM else TURN,
        goal_tolerance=settings.xy_goal_tolerance, robot_radius=model.robot_radius,
        contour_radius=radius, shortest_path=shortest_path_length(
            world, start, world.goal, radius, settings.xy_goal_tolerance),
        has_m_line=entry.metadata.m_line)


def fence() -> World:
    """Return a world with a goal inside a fence whose gaps are too narrow."""
    turns = 2.0 * math.pi * np.arange(24) / 24
    post = POST * np.column_stack((np.cos(turns), np.sin(turns)))
    goal, around = (2.6, 0.0), 2.0 * math.pi * (np.arange(POSTS) + 0.5) / POSTS
    return World('a fence', tuple(
        post + goal + FENCE * np.array((math.cos(turn), math.sin(turn))) for turn in around),
        (0.0, 0.0, 0.0), goal)


def save(figure: Figure, path: Path, dpi: int) -> None:
    """Write a picture with a reduced palette, which makes the file much smaller."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format='png', dpi=dpi)
    image = Image.open(drawn).convert('RGB')
    shades = image.quantize(SHADES).getpalette()[:3 * SHADES]
    palette = [*b''.join(bytes.fromhex(colour[1:]) for colour in COLOURS), *shades]
    # Not with Pillow, which maps almost-white to white.
    codes, where = np.unique(np.asarray(image, dtype=int) @ (65536, 256, 1), return_inverse=True)
    there = np.column_stack((codes >> 16, codes >> 8 & 255, codes & 255))
    apart = there[:, None, :] - np.array(palette).reshape(-1, 3)
    nearest = (apart ** 2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    few = Image.fromarray(nearest[where].reshape(image.height, image.width), 'P')
    few.putpalette(palette)
    few.save(path, optimize=True)


def draw_worlds() -> None:
    """Draw all shipped worlds on one sheet, and random ones of every kind on another."""
    kinds = [random_name(kind, seed, wish) for kind in GENERATORS
             for wish, seed in zip((True, False), SEEDS)]
    for names, image in (([], 'worlds.png'), (kinds, 'worlds_random.png')):
        if bug_nav(['worlds', *names, '--plot', str(IMAGES / image)]):
            raise SystemExit(f'{image} cannot be drawn')
        with Image.open(IMAGES / image) as drawn:
            # A reduced palette halves the size.
            few = drawn.convert('RGB').quantize(
                WORLD_SHADES, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(IMAGES / image, optimize=True)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Draw; return the exit code, 1 if an algorithm cannot be loaded or drawn."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('names', nargs='*', metavar='NAME', help='default: all, and the sheet')
    names = parser.parse_args(arguments).names
    (IMAGES / 'algorithms').mkdir(parents=True, exist_ok=True)
    failed, records = [], []
    for entry in catalogue():
        if not entry.is_shipped or (names and entry.name not in names):
            continue
        try:
            if entry.error:
                raise ImportError(entry.error)
            record = run(entry, find_world(WORLD))
        except Exception as error:  # a failing algorithm must not prevent the other pictures
            print(f'{entry.name}: {error}', file=sys.stderr)
            failed.append(entry.name)
            continue
        records.append(record)
        save(draw(record, whole=True), IMAGES / 'algorithms' / f'{entry.name}.png', DPI)
        print(f'{entry.name:<14} {record.outcome}, {record.path_length:.1f} m', flush=True)
    if not names:
        save(draw_sheet(records), IMAGES / 'family.png', SHEET_DPI)
        prover = next(entry for entry in catalogue() if entry.name == PROVER)
        save(draw(run(prover, fence())), IMAGES / 'certificate.png', SHEET_DPI)
        draw_worlds()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
