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

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

from bug_nav.lab.ground_truth import judge
from bug_nav.simulation import shipped
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import World, WorldError
import numpy as np
from PIL import Image
import pytest

ROOT = Path(__file__).resolve().parents[2]
RHO = 0.224
ALL = ['arena_out', 'box', 'cell', 'convex', 'course_1_wall', 'course_2_scatter',
       'course_3_pocket', 'course_4_horizon', 'course_5_chicane', 'course_6_courtyard',
       'course_7_locked', 'crossing', 'crowd', 'demo', 'door_050', 'doors', 'gallery', 'gap_step',
       'goal_solid', 'graze', 'labyrinth', 'maze', 'narrow_door', 'open', 'pole', 'ring_goal',
       'ring_start', 'sp12_E', 'sp12_in', 'spiral_in', 'spiral_out', 'spiral_out_W', 'touch',
       'two_close', 'u_trap']


def clearance(world: World, *point: float) -> float:
    return float(world.clearance([point])[0])


def test_shipped_worlds_match_the_expected_list():
    assert shipped_worlds() == ALL


@pytest.mark.parametrize('name', ALL)
def test_shipped_world_has_a_clear_start_a_goal_and_no_unseen_solids(name):
    world = find_world(name)
    assert world.name == name
    assert world.goal is not None and world.unseen == ()
    # The start of `touch` has the smallest clearance, 2 cm more than the contour radius.
    assert clearance(world, *world.start[:2]) >= RHO + 0.02 - 1e-9


def test_all_shipped_goals_but_the_enclosed_one_are_clear():
    inside = [name for name in ALL if clearance(find_world(name), *find_world(name).goal) < 0.5]
    assert inside == ['goal_solid']


def test_committed_worlds_match_the_output_of_their_script():
    script = ROOT / 'tools' / 'make_worlds.py'
    done = subprocess.run([sys.executable, script, '--check'], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, '')


def test_world_is_found_by_path():
    assert find_world(ROOT / 'worlds' / 'box.world').segments.shape == (4, 4)
    assert find_world(str(ROOT / 'worlds' / 'box.world')).name == 'box'


@pytest.mark.parametrize('name, goal', [
    ('convex', (2.5, -2.5)), ('labyrinth', (3.85, 4.95))])
def test_documented_second_goal_of_a_world_is_clear_and_unreachable(name, goal):
    world = find_world(name)
    text = (ROOT / 'worlds' / f'{name}.world').read_text(encoding='utf-8')
    assert f'Another goal, {goal[0]:g},{goal[1]:g} in the locked' in text
    assert clearance(world, *goal) > RHO
    assert judge(world, world.start, goal, RHO) is False


@pytest.mark.parametrize('name', [
    'convex', 'labyrinth', *(name for name in ALL if name.startswith('course_'))])
def test_goal_of_every_course_world_but_the_last_is_reachable(name):
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO) is (name != 'course_7_locked')


def test_unknown_name_suggests_the_closest_world():
    with pytest.raises(WorldError) as caught:
        find_world('u_trp')
    assert "; did you mean 'u_trap'? See `bug_nav worlds`" in str(caught.value)


def test_unknown_name_without_a_close_match_gets_no_suggestion():
    with pytest.raises(WorldError) as caught:
        find_world('qqqq')
    assert 'did you mean' not in str(caught.value)


@pytest.mark.parametrize('name', ['w.world', 'w.sdf', 'w'])
def test_world_with_an_option_is_found_with_and_without_a_folder(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text('<sdf version="1.6"><world name="x"/></sdf>')
    for given in (name, f'{tmp_path}/{name}'):
        assert find_world(f'{given}?missing=skip').name == 'w'
    with pytest.raises(WorldError, match="missing is 'ship'; give refuse or skip"):
        find_world(f'{name}?missing=ship')
    with pytest.raises(WorldError, match=rf"no argument 'a=b'; give .* {name}\?missing=skip"):
        find_world(f'{name}?a=b')


@pytest.mark.parametrize('name', ['maze.world', 'maze.sdf', 'maze.world?missing=skip'])
def test_shipped_world_with_an_ending_is_reported_by_its_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorldError, match="no such file; the shipped world is called 'maze'"):
        find_world(name)


@pytest.mark.parametrize('path', ['nowhere/at/all.world', 'missing.sdf', '/', '', 'a\0b.world'])
def test_missing_path_is_rejected_in_one_line(path):
    with pytest.raises(WorldError) as caught:
        find_world(path)
    assert '\n' not in str(caught.value)


def test_empty_name_is_reported_as_such():
    with pytest.raises(WorldError, match='the name of the world is empty; give one'):
        find_world('')


def test_share_of_a_checkout_is_the_checkout():
    assert shipped.share_dir() == ROOT


def test_share_of_an_installed_package_is_in_its_prefix(tmp_path, monkeypatch):
    package = tmp_path / 'lib' / 'python3' / 'site-packages' / 'bug_nav'
    (tmp_path / 'share' / 'bug_nav' / 'worlds').mkdir(parents=True)
    monkeypatch.setattr(shipped, '__file__', str(package / 'core' / 'shipped.py'))
    monkeypatch.setattr(shipped, '_ament_share', lambda: iter(()))
    assert shipped.share_dir() == tmp_path / 'share' / 'bug_nav'


def test_missing_share_is_reported_with_the_searched_paths(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, '_candidates', lambda: iter((tmp_path / 'one', tmp_path / 'two')))
    with pytest.raises(FileNotFoundError, match='one, .*two; install'):
        shipped.share_dir()
    with pytest.raises(WorldError, match='install'):
        find_world('demo')


@pytest.mark.parametrize('name, text, words', [
    ('empty.txt', '', 'an empty drawing'), ('empty.txt', 'cell: 1\n\n', 'an empty drawing'),
    ('tab.txt', '#\t#\n', 'tab.txt:1:2: a tab is not allowed'),
    ('sketch', '#>.G#\n', 'a world file without an ending must be SDF'),
    ('plan.png', 'x',
     'give plan.png?resolution=0.05 (metres), or write beside it a file plan.yaml')])
def test_file_that_is_almost_a_world_is_rejected_with_a_remedy(tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    with pytest.raises(WorldError) as caught:
        find_world(tmp_path / name)
    assert words in str(caught.value)


def test_xml_file_without_a_suffix_is_read(tmp_path):
    (tmp_path / 'box').write_text((share_dir() / 'worlds' / 'box.world').read_text())
    assert find_world(tmp_path / 'box').solids


def test_image_without_yaml_is_a_map_with_the_given_resolution(tmp_path):
    pixels = np.full((8, 10), 255, np.uint8)
    pixels[2:4, 1:3] = 0
    Image.fromarray(pixels).save(tmp_path / 'plan.png')
    world = find_world(f'{tmp_path}/plan.png?resolution=0.5')
    (solid,) = world.solids
    assert world.start is None and world.goal is None
    assert (solid.min(axis=0).tolist(), solid.max(axis=0).tolist()) == (
        pytest.approx([0.5, 2.0], abs=1e-3), pytest.approx([1.5, 3.0], abs=1e-3))


@pytest.mark.parametrize('value', ['0', '-1', 'nan', '101', 'x'])
def test_invalid_resolution_is_rejected(tmp_path, value):
    Image.new('L', (4, 4), 255).save(tmp_path / 'plan.png')
    with pytest.raises(WorldError, match='give metres for a pixel, above 0 and up to 100'):
        find_world(f'{tmp_path}/plan.png?resolution={value}')
