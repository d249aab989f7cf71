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

"""Sheet of small maps, and the files of the gallery."""

import dataclasses

from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.visualization.record import record_of, Step
from bug_nav.visualization.sheet import BEYOND, draw_sheet
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
import numpy as np
from PIL import Image
import pytest


@pytest.fixture(scope='module')
def records():
    """Return three runs: one reaches the goal, one loops, and one goes far away."""
    world = find_world('box')
    arrived = record_of(run_episode(world, Pose(*world.start), world.goal, Bug2()), 'Bug2',
                        'left', goal_tolerance=0.1, robot_radius=0.124, contour_radius=0.224)
    looping = dataclasses.replace(arrived, algorithm='Bug0', outcome='loop_detected')
    astray = dataclasses.replace(
        arrived, algorithm='CBUG', steps=(Step(Pose(3.0, 50.0, 0.0), ''), *arrived.steps))
    return [arrived, looping, astray]


def texts(figure, gid):
    return [text.get_text() for text in figure.findobj(Text) if text.get_gid() == gid]


def test_certificate_is_in_the_legend_only_if_it_exists(records):
    def legend(runs):
        return [text.get_text() for text in draw_sheet(runs).legends[0].get_texts()]
    square = ((3.0, 0.0), (4.0, 0.0), (4.0, 1.0))
    assert 'certificate' not in legend(records)
    assert 'certificate' in legend([*records, dataclasses.replace(records[0],
                                                                  certificate=square)])


def test_every_run_has_its_name_and_its_verdict(records):
    sheet = draw_sheet(records)
    assert texts(sheet, 'title') == ['Bug2', 'Bug0', 'CBUG']
    length = f'{records[0].path_length:.1f} m'
    assert texts(sheet, 'verdict') == [length, 'loop detected', length]


def test_maps_have_the_same_scale_except_for_distant_paths(records):
    sheet = draw_sheet(records, columns=2)
    first, same, far = sheet.axes
    assert same.get_xlim() == first.get_xlim() and same.get_ylim() == first.get_ylim()
    assert far.get_ylim()[1] > 50.0 and far.get_ylim()[0] <= first.get_ylim()[0]
    assert far.get_xlim()[0] <= first.get_xlim()[0] and far.get_xlim()[1] >= first.get_xlim()[1]
    scale, = texts(sheet, 'scale')
    assert float(scale.split()[1]) == pytest.approx(
        np.ptp(first.get_ylim()) / np.ptp(far.get_ylim()), abs=0.006)
    top = records[0].world.bounds[3]
    assert top + BEYOND < first.get_ylim()[1] < top + BEYOND + 2.0


def test_maps_do_not_overlap_and_stay_on_the_sheet(records):
    boxes = [axes.get_position() for axes in draw_sheet(records * 3, columns=4).axes]
    for k, box in enumerate(boxes):
        assert 0.0 < box.x0 < box.x1 < 1.0 and 0.0 < box.y0 < box.y1 < 1.0
        assert not any(box.x0 < other.x1 and other.x0 < box.x1 and box.y0 < other.y1
                       and other.y0 < box.y1 for other in boxes[:k])


def test_rare_colors_survive_in_the_files_of_the_gallery(tmp_path):
    import make_gallery
    figure = Figure(figsize=(6, 6))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(np.linspace(0, 1, 10000).reshape(100, 100), cmap='Oranges')
    axes.plot(50, 50, marker='o', markersize=8, color='#b3261e')
    make_gallery.save(figure, tmp_path / 'few.png', 60)
    image = Image.open(tmp_path / 'few.png')
    assert image.mode == 'P'
    apart = np.abs(np.asarray(image.convert('RGB')) / 255.0 - to_rgb('#b3261e')).max(axis=2)
    assert apart.min() < 0.03
