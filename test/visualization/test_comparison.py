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

"""Several runs in one picture: colors, coinciding paths and legend."""

from __future__ import annotations

import dataclasses

from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.visualization.comparison import (
    COLOURS,
    draw_comparison,
    names,
    save_comparison_animation,
    style,
)
from bug_nav.visualization.record import record_of
from matplotlib.colors import to_hex
from matplotlib.text import Text
import numpy as np
from PIL import Image
import pytest


@pytest.fixture(scope='module')
def records():
    """Return runs in the world `box`: of Bug2, of Bug1, and one that ends on the way."""
    world = find_world('box')
    one, other = (record_of(
        run_episode(world, Pose(*world.start), world.goal, algorithm()), algorithm.metadata.title,
        'left', goal_tolerance=0.1, robot_radius=0.124, contour_radius=0.224,
        has_m_line=algorithm.metadata.m_line) for algorithm in (Bug2, Bug1))
    astray = dataclasses.replace(other, algorithm='Bug0', outcome='loop_detected',
                                 steps=other.steps[:100])
    return [one, other, astray]


def parts(figure, gid):
    return figure.findobj(lambda artist: (artist.get_gid() or '').startswith(gid))


def test_every_path_is_complete_and_has_its_color(records):
    lines = parts(draw_comparison(records), 'path')
    assert [to_hex(line.get_color()) for line in lines] == list(COLOURS[:3])
    for line, record in zip(lines, records):
        assert np.array_equal(line.get_xydata()[1:],
                              [step.pose.position for step in record.steps])


def test_coinciding_paths_are_drawn_next_to_each_other(records):
    figure = draw_comparison([records[0], records[0]])
    figure.canvas.draw()
    one, other = (line.get_transform().transform(line.get_xydata())
                  for line in parts(figure, 'path'))
    apart = np.hypot(*(one - other).T) * 72.0 / figure.dpi
    assert np.allclose(apart, 2.4) and np.ptp(one - other, axis=0).max() < 1e-6


def test_legend_has_lengths_outcomes_and_only_visible_items(records):
    texts = [text.get_text() for text in draw_comparison(records).findobj(Text)]
    assert f'Bug2: {records[0].path_length:.2f} m' in texts and 'M-line' in texts
    assert f'Bug0: loop detected after {records[2].path_length:.2f} m' in texts
    assert 'ends short of the goal' in texts and '3 runs in box' in texts
    texts = [text.get_text() for text in draw_comparison(records[1:2]).findobj(Text)]
    assert 'M-line' not in texts and 'ends short of the goal' not in texts


def test_turn_is_named_if_an_algorithm_occurs_twice(records):
    right = dataclasses.replace(records[0], turn='right')
    assert names([records[0], right, records[1]]) == ['Bug2, left', 'Bug2, right', 'Bug1']


def test_thirty_styles_are_distinct():
    styles = [tuple(map(str, style(k).values())) for k in range(30)]
    assert len(set(styles)) == 30


@pytest.mark.slow
def test_animation_is_as_long_as_the_longest_run(records, tmp_path):
    told = []
    save_comparison_animation(records, tmp_path / 'a.gif', 8.0,
                              lambda done, count: told.append((done, count)))
    drawn = Image.open(tmp_path / 'a.gif')
    longest = max(record.time for record in records)
    assert drawn.n_frames == pytest.approx(longest / 0.8, abs=3) and told[-1][0] == told[-1][1]
    first = np.array(drawn.convert('RGB')).astype(int)
    drawn.seek(drawn.n_frames - 1)
    last = np.array(drawn.convert('RGB')).astype(int)
    for color in COLOURS[:2]:
        code = [int(color[k:k + 2], 16) for k in (1, 3, 5)]
        before, after = ((np.abs(image - code).max(axis=2) <= 3).sum() for image in (first, last))
        assert after > before + 100
