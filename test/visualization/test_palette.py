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

"""Colors of states and algorithms: the same on page and plots, and for all color vision."""

import itertools
import re

from bug_nav.visualization.comparison import COLOURS
from bug_nav.visualization.episode_plot import CERTIFICATE, FLOOR, GOAL, HIT, LEAVE, OTHER, PHASES
from bug_nav.visualization.web import WEB
import numpy as np
import pytest

RGB_TO_XYZ = np.array([[.4124564, .3575761, .1804375], [.2126729, .7151522, .0721750],
                       [.0193339, .1191920, .9503041]])
WHITE = np.array([.95047, 1.0, 1.08883])
EYES = {
    'normal': np.eye(3),
    # Machado, Oliveira, Fernandes 2009, severity 1, for linear RGB.
    'deuteranopia': np.array([[.367322, .860646, -.227968], [.280085, .672501, .047413],
                              [-.011820, .042940, .968881]]),
    'protanopia': np.array([[.152286, 1.052583, -.204868], [.114503, .786281, .099216],
                            [-.003882, -.048116, 1.051998]])}
STATES = ('return', 'node', 'boundary', 'heading', 'goal', 'other')


def linear(colour):
    values = np.array([int(colour[k:k + 2], 16) for k in (1, 3, 5)]) / 255.0
    return np.where(values <= .04045, values / 12.92, ((values + .055) / 1.055) ** 2.4)


def lab(colour, eyes):
    """Return a color in CIELAB, as perceived with a kind of color vision."""
    seen = RGB_TO_XYZ @ np.clip(EYES[eyes] @ linear(colour), 0.0, 1.0) / WHITE
    f = np.where(seen > .008856, np.cbrt(seen), 7.787 * seen + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def distance(one, other, eyes):
    return np.linalg.norm(lab(one, eyes) - lab(other, eyes))


def contrast(one, other):
    """Return the contrast ratio of WCAG 2."""
    low, high = sorted(float((RGB_TO_XYZ @ linear(each))[1]) for each in (one, other))
    return (high + .05) / (low + .05)


def theme(name):
    """Return the color variables of a theme in the style sheet of the page."""
    light, dark = re.findall(r':root[^{]*\{(.*?)\n\}', (WEB / 'style.css').read_text(), re.DOTALL)
    return dict(re.findall(r'--([\w-]+): (#[0-9a-f]{6})', light if name == 'light' else dark))


def palettes(name):
    colors = theme(name)
    return ([colors[f'phase-{state}'] for state in STATES],
            [colors[f's{number}'] for number in range(len(COLOURS))], colors)


def test_page_and_plots_have_the_same_colors():
    states, algorithms, colors = palettes('light')
    assert states == [phase.colour for phase in (*PHASES, OTHER)]
    assert algorithms == list(COLOURS)
    assert [colors[name] for name in ('floor', 'hit', 'leave', 'goal', 'certificate')] == [
        FLOOR, HIT, LEAVE, GOAL, CERTIFICATE]


@pytest.mark.parametrize('eyes', EYES)
@pytest.mark.parametrize('name', ['light', 'dark'])
def test_colors_of_one_kind_are_distinct_for_all_color_vision(name, eyes):
    states, algorithms, _ = palettes(name)
    for kind in (states, algorithms):
        for one, other in itertools.combinations(kind, 2):
            assert distance(one, other, eyes) > 20.0, (one, other)


@pytest.mark.parametrize('name', ['light', 'dark'])
def test_colors_of_states_differ_from_those_of_algorithms(name):
    states, algorithms, _ = palettes(name)
    for state, algorithm in itertools.product(states, algorithms):
        assert distance(state, algorithm, 'normal') > 20.0, (state, algorithm)
        assert min(distance(state, algorithm, eyes) for eyes in EYES) > 10.0, (state, algorithm)


@pytest.mark.parametrize('name', ['light', 'dark'])
def test_lines_have_sufficient_contrast_with_the_floor(name):
    states, algorithms, colors = palettes(name)
    for colour in (*states, *algorithms):
        assert contrast(colour, colors['floor']) >= 3.0, colour
