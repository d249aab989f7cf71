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

"""Each command suggests a file for a mistyped file name."""

from pathlib import Path

from bug_nav.cli.parser import main
from bug_nav.files.paths import did_you_mean_file
import pytest

FILES = ('worlds/maze.world', 'worlds/box.world', 'worlds/map.yaml', 'runs/run.mcap',
         'runs/run.png', 'runs/drive.log', 'mine/family.yaml', 'mine/rows.csv')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the current folder, with `FILES`, which are empty."""
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize('given, suggestion', [
    ('worlds/maze.wrld', 'worlds/maze.world'), ('wrolds/maze.sdf', 'worlds/maze.world'),
    ('worlds/mze.world', 'worlds/maze.world'), ('./runs/run.mcapp', 'runs/run.mcap'),
    ('runs/rum.mcap', 'runs/run.mcap'), ('run/run.mcap', 'runs/run.mcap'),
    ('runs/qqq.mcap', ''),             # the same ending is no similarity
    ('runs/run.mcap', ''), ('worlds', ''), ('elsewhere/maze.world', ''),
    ('runs/run.mcap/x', ''), ('worlds/a\0b', ''), ('x' * 5000 + '/a', ''), ('', '')])
def test_suggestion_is_the_nearest_existing_file(folder, given, suggestion):
    assert did_you_mean_file(given) == (f'; did you mean {suggestion!r}?' if suggestion else '')
    assert did_you_mean_file(Path(given)) == did_you_mean_file(given)


def test_folder_is_suggested_only_where_a_folder_is_allowed(folder):
    assert did_you_mean_file('rns', folders=True) == "; did you mean 'runs'?"
    assert did_you_mean_file('rns') == ''


def test_suggestion_of_an_absolute_path_is_absolute(folder):
    near = str(folder / 'worlds' / 'maze.world')
    assert did_you_mean_file(folder / 'wrolds' / 'maze.world') == f'; did you mean {near!r}?'


@pytest.mark.parametrize('arguments, suggestion', [
    (['run', 'wrolds/maze.sdf'], 'worlds/maze.world'),
    (['run', 'worlds/maps.yaml?unknown=solid'], 'worlds/map.yaml'),
    (['compare', 'worlds/maze.wrld', '--algorithm', 'bug1'], 'worlds/maze.world'),
    (['worlds', 'worlds/maze.wrold'], 'worlds/maze.world'),
    (['campaign', 'mine/famly.yaml'], 'mine/family.yaml'),
    (['campaign', '--world', 'worlds/maze.wrld'], 'worlds/maze.world'),
    (['report', 'mine/row.csv'], 'mine/rows.csv'),
    (['replay', 'runs/run.mcapp', '--goal', '1,2'], 'runs/run.mcap'),
    (['replay', 'runs/drives.log'], 'runs/drive.log')])
def test_mistyped_file_is_reported_with_a_suggestion(folder, arguments, suggestion, capsys):
    if arguments[0] == 'replay':
        pytest.importorskip('rosbags')
    if arguments[0] in ('campaign', 'report'):
        pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert f'; did you mean {suggestion!r}?' in error and error.count('\n') == 1
