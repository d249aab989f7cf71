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

"""``bug_nav worlds``, its sheet, and the documentation page about worlds."""

from __future__ import annotations

import dataclasses
from pathlib import Path
import re

from bug_nav.cli.parser import main
from bug_nav.simulation.ascii import world_of
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.generators import GENERATORS
from bug_nav.visualization.world_sheet import draw_worlds
from matplotlib.contour import ContourSet
from matplotlib.text import Text
import pytest

ROOT = Path(__file__).resolve().parents[2]
DRAWING = '#####\n#>.G#\n#####\n'


@pytest.fixture
def sketch(tmp_path):
    path = tmp_path / 'sketch.txt'
    path.write_text(DRAWING, encoding='utf-8')
    return str(path)


# The list.

def test_custom_world_is_described_by_numbers(sketch, capsys):
    assert main(['worlds', sketch, 'box']) == 0
    own, box = capsys.readouterr().out.splitlines()
    assert own.endswith('x 0 to 2.5 m, y 0 to 1.5 m, 2 solids, 16 segments; '
                        'start 0.75,0.75,0, goal 1.75,0.75')
    assert box.startswith('box ') and 'checks the turn directions' in box


def test_list_and_help_mention_random_worlds(capsys):
    assert main(['worlds']) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith('random worlds: random:clut')
    assert main(['worlds', '--help']) == 0
    assert 'random worlds: random:cluttered?seed=7' in capsys.readouterr().out


def test_missing_start_and_goal_are_listed(tmp_path, capsys):
    (tmp_path / 'w.txt').write_text('#\n', encoding='utf-8')
    assert main(['worlds', str(tmp_path / 'w.txt')]) == 0
    assert capsys.readouterr().out.endswith('; no start, no goal\n')


def test_what_a_file_has_and_its_world_lacks_is_listed(tmp_path, capsys):
    file = tmp_path / 'w.world'
    box = ('<geometry><box><size>1 1 {}</size></box></geometry></collision></link></model>')
    file.write_text(
        '<sdf version="1.6"><world name="w"><modle/><model name="step"><link name="l">'
        f'<collision name="c">{box.format(0.1)}<model name="tb3"><plugin name="diff_drive" '
        'filename="f"/></model><model name="wall"><static>1</static><link name="l">'
        f'<collision name="c">{box.format(1)}</world></sdf>', encoding='utf-8')
    assert main(['worlds', str(file)]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1:] == [
        '  cut at the height of the lidar, 0.18 m',
        "  the robot 'tb3' is left out; it stands at x 0, y 0, yaw 0, which is the start unless "
        'one is given',
        '  unknown elements are ignored, as in Gazebo: <modle>',
        '  the lidar cannot see these obstacles, which the robot could hit: step/l/c']
    assert ' 1 solids, 4 segments; start 0,0,0' in out and err == ''
    # A run that needs another start repeats the notes on stderr, each once.
    assert main(['run', str(file), '--start=-3,0,0', '--goal=-1,0',
                 '--time-allowance', '1']) in (0, 1)
    err = capsys.readouterr().err.splitlines()
    assert [line for line in err if line.startswith('bug_nav: ')][:3] == [
        f'bug_nav: {line.strip()}' for line in out.splitlines()[2:]]


def test_movers_are_listed(tmp_path, capsys):
    file = tmp_path / 'w.world'
    file.write_text('<sdf version="1.6" xmlns:bug_nav="urn:bug_nav"><world name="w">'
                    '<bug_nav:person route="0 0 1 0"/><bug_nav:person route="0 2 1 2"/>'
                    '<bug_nav:robot start="5 5 0" goal="6 6"/></world></sdf>', encoding='utf-8')
    assert main(['worlds', str(file)]) == 0
    assert ' segments, 2 movers, 1 other robot; ' in capsys.readouterr().out


@pytest.mark.parametrize('argv, reason', [
    (['worlds', 'bux'], "did you mean 'box'?"), (['worlds', 'map.stl'], "ending '.stl'"),
    (['worlds', 'box', '--plot', 'box.bmp'], '.png, .svg or .pdf'),
    (['worlds', 'random:rings', '--plot', 'w.png'], 'has no seed'),
    (['worlds', '--plot', 'no/such/folder/w.png'], 'does not exist')])
def test_bad_input_is_reported_in_one_sentence(argv, reason, capsys):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == '' and reason in err and err.count('\n') == 1


# The sheet.

def texts(figure, gid):
    return [text.get_text() for text in figure.findobj(Text) if text.get_gid() == gid]


def things(axes) -> set:
    return {artist.get_gid() for artist in axes.get_children()} - {None}


def test_sheet_shows_every_world_with_its_name_and_size():
    worlds = [find_world(name) for name in ('box', 'pole', 'two_close')]
    sheet = draw_worlds(worlds, columns=2)
    assert texts(sheet, 'title') == ['box', 'pole', 'two_close']
    assert texts(sheet, 'size') == ['6 x 2.4 m', '4 x 0.1 m', '5 x 2.2 m']
    assert all({'solids', 'goal', 'robot at the start'} <= things(axes) for axes in sheet.axes)
    boxes = [axes.get_position() for axes in sheet.axes]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert all(0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1 for box in boxes)


def test_map_without_start_and_goal_is_drawn_with_a_scale():
    axes, = draw_worlds([world_of('###\n#.#\n###')]).axes
    assert 'solids' in things(axes) and not {'goal', 'robot at the start'} & things(axes)
    assert any(tick.label1.get_visible() for tick in axes.xaxis.get_major_ticks())


def two_walls_with_an_actor(folder, start=''):
    file = folder / 'two.world'
    wall = ('<model name="w{0}"><static>1</static><link name="l"><collision name="c"><pose>{0} 0 '
            '1 0 0 0</pose><geometry><box><size>0.2 2 2</size></box></geometry></collision></link>'
            '</model>')
    points = ''.join(f'<waypoint><time>{t}</time><pose>{x} {y} 0 0 0 0</pose></waypoint>'
                     for t, x, y in ((0, 1, 3), (4, 9, 3)))
    file.write_text('<sdf version="1.6" xmlns:bug_nav="urn:bug_nav"><world name="w">' + start
                    + ''.join(map(wall.format, (1, 2, 3))) + '<actor name="ann"><script>'
                    f'<trajectory id="0" type="walk">{points}</trajectory></script></actor>'
                    '</world></sdf>', encoding='utf-8')
    return find_world(file)


@pytest.mark.parametrize('start', ['', '<bug_nav:episode start="0 0 0" goal="5 0"/>'])
def test_actor_and_contour_are_drawn_in_full_in_any_world(start, tmp_path):
    world = two_walls_with_an_actor(tmp_path, start)
    assert world.extent == pytest.approx((world.bounds[0] if start else 0.75, -1, 9.25, 3.25),
                                         abs=0.02)
    axes, = draw_worlds([world]).axes
    assert {'movers', 'routes of movers', 'solids'} <= things(axes)
    assert axes.get_xlim()[1] > 9.25 and axes.get_ylim()[1] > 3.25
    # A wall is in the middle of the world, where no free space can be looked for.
    contour, = (artist for artist in axes.collections if isinstance(artist, ContourSet))
    assert sum(map(len, contour.allsegs)) == 3


@pytest.mark.parametrize('name, has_size', [('w', True), ('warehouse_with_pedestrians', False)])
def test_long_name_leaves_no_room_for_the_size(name, has_size):
    world = dataclasses.replace(world_of('###\n#.#\n###'), name=name)
    figure = draw_worlds([world, world])
    figure.canvas.draw()
    first, second = ([text for text in axes.texts if text.get_gid() in ('title', 'size')]
                     for axes in figure.axes)
    assert len(first) == len(second) == 1 + has_size
    if has_size:
        title, size = (text.get_window_extent() for text in first)
        assert title.x1 < size.x0


def test_worlds_are_plotted_to_a_file(sketch, tmp_path, capsys):
    for ending in ('png', 'svg'):
        path = tmp_path / f'sheet.{ending}'
        assert main(['worlds', sketch, 'random:combs?seed=1', '--plot', str(path)]) == 0
        assert path.stat().st_size > 2000
        assert capsys.readouterr() == ('', f'bug_nav: wrote {path}\n')


# The page.

def test_page_lists_all_worlds():
    page = (ROOT / 'docs' / 'worlds.md').read_text(encoding='utf-8')
    assert all(f'| `{name}` | ' in page for name in shipped_worlds())
    assert {name for name in GENERATORS if f'`random:{name}?seed=7`' in page} == set(GENERATORS)
    for image in re.findall(r'\]\((images/.*?)\)', page):
        assert (ROOT / 'docs' / image).stat().st_size < 200_000


def test_drawing_on_the_page_is_valid(tmp_path):
    page = (ROOT / 'docs' / 'worlds.md').read_text(encoding='utf-8')
    drawing = re.search(r'```\n(cell:.*?)```', page, re.DOTALL).group(1)
    (tmp_path / 'sketch.txt').write_text(drawing, encoding='utf-8')
    world = find_world(tmp_path / 'sketch.txt')
    assert world.start is not None and world.goal is not None
