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

"""Animations: frames, size and formats."""

from __future__ import annotations

import dataclasses
import json
import shutil

from bug_nav.cli.parser import main
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.visualization import animation as animation_module
from bug_nav.visualization import mover_plot, video_file
from bug_nav.visualization.animation import _Stage, Animation
from bug_nav.visualization.record import record_of
from matplotlib.colors import to_rgb
import numpy as np
from PIL import Image
import pytest

NAME = 'random:crowd?seed=5'


@pytest.fixture(scope='module')
def recorded():
    """Return an animation of a crowd, and the record of the run."""
    world, animation = find_world(NAME), Animation(8.0)
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), watch=animation.watch,
                          time_allowance=30.0)
    return animation, record_of(episode, 'Bug2', 'left', goal_tolerance=0.1, robot_radius=0.105,
                                contour_radius=0.224, shortest_path=None)


@pytest.fixture(scope='module')
def written(recorded, tmp_path_factory):
    """Return the path of the saved animation."""
    animation, record = recorded
    path = tmp_path_factory.mktemp('animation') / 'run.gif'
    animation.save(record, path)
    return path


def test_frames_have_the_requested_interval_and_include_the_last_tick(recorded):
    animation, record = recorded
    steps = np.diff([picture.stamp for picture in animation.frames])
    assert steps[:-1] == pytest.approx(0.8) and steps[-1] <= 0.8 + 1e-9
    assert animation.frames[-1].pose == record.steps[-1].pose


@pytest.mark.slow
def test_animation_shows_moving_people(written):
    drawn = Image.open(written)
    assert drawn.n_frames > 30 and written.stat().st_size < video_file.MAX_SIZE
    orange = tuple(round(255 * part) for part in to_rgb(mover_plot.MOVER))
    first, last = np.array(drawn.convert('RGB')), None
    drawn.seek(drawn.n_frames - 1)
    last = np.array(drawn.convert('RGB'))
    masks = [(np.abs(image.astype(int) - orange).max(axis=2) <= 2) for image in (first, last)]
    assert all(mask.sum() > 500 for mask in masks) and (masks[0] != masks[1]).sum() > 500


@pytest.mark.slow
def test_oversized_animation_is_saved_with_fewer_frames(recorded, written, tmp_path, monkeypatch):
    animation, record = recorded
    shorter = Animation(8.0)
    shorter.frames, shorter._trail = list(animation.frames), animation._trail
    most = written.stat().st_size // 2  # the size depends on Pillow
    monkeypatch.setattr(video_file, 'MAX_SIZE', most)
    told = []
    shorter.save(record, tmp_path / 'run.gif', lambda done, count: told.append((done, count)))
    assert (tmp_path / 'run.gif').stat().st_size <= most
    assert shorter.speed_up > animation.speed_up and told[-1][0] == told[-1][1]
    assert shorter.frames[-1] is animation.frames[-1]


def test_frames_of_a_long_run_are_thinned_while_recording(recorded, monkeypatch):
    monkeypatch.setattr(animation_module, 'MAX_FRAMES', 10)
    world, animation = find_world(NAME), Animation(1.0)
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), watch=animation.watch,
                          time_allowance=10.0)
    assert len(animation.frames) <= 11 and animation.speed_up > 8.0
    assert animation.frames[-1].stamp == episode.samples[-1].stamp


def test_command_writes_an_animation_and_rejects_another_format(tmp_path, capsys):
    path = tmp_path / 'box.gif'
    assert main(['run', 'box', '--plot', str(path), '--speed-up', '20', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['bumped'] == 0
    assert Image.open(path).n_frames > 5
    assert main(['run', 'box', '--plot', str(tmp_path / 'box.avi')]) == 2
    told = capsys.readouterr().err
    assert 'must end in .png, .svg, .pdf, .gif, .mp4 or .html' in told and told.count('\n') == 1


def test_mp4_without_ffmpeg_is_reported_in_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    assert main(['run', 'box', '--plot', str(tmp_path / 'box.mp4')]) == 1
    told = capsys.readouterr().err
    assert 'apt install ffmpeg' in told and '.gif' in told and told.count('\n') == 1


FAKE = """#!/bin/sh
for last; do :; done
echo "$@" > "$0.arguments"
cat > "$last"
"""


def test_all_frames_are_piped_to_ffmpeg_for_an_mp4(recorded, tmp_path, monkeypatch):
    animation, record = recorded
    fake = tmp_path / 'ffmpeg'
    fake.write_text(FAKE)
    fake.chmod(0o755)
    monkeypatch.setenv('PATH', str(tmp_path), prepend=':')
    few = Animation(8.0)
    few.frames, few._trail = animation.frames[:3], animation._trail
    few.save(record, tmp_path / 'run.mp4')
    arguments = (tmp_path / 'ffmpeg.arguments').read_text().split()
    wide, high = map(int, arguments[arguments.index('-s') + 1].split('x'))
    assert wide % 2 == high % 2 == 0 and 'yuv420p' in arguments
    # The last frame is repeated.
    assert (tmp_path / 'run.mp4').stat().st_size == 4 * wide * high * (3 + 19)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which('ffmpeg') is None, reason='there is no ffmpeg')
def test_command_writes_an_mp4(tmp_path):
    path = tmp_path / 'box.mp4'
    assert main(['run', 'box', '--plot', str(path), '--speed-up', '20']) == 0
    assert path.read_bytes()[4:8] == b'ftyp'


@pytest.mark.parametrize('size, least', [([], 860), (['--size', '1000'], 980)])
def test_command_writes_a_gif_of_the_requested_size_or_one_for_a_slide(tmp_path, size, least):
    assert main(['run', 'box', '--still', '--plot', str(tmp_path / 'run.gif'), '--speed-up', '64',
                 *size]) == 0
    with Image.open(tmp_path / 'run.gif') as animation:
        assert least <= max(animation.size) <= 1.2 * least


@pytest.mark.parametrize('algorithm, count', [('bug2', 1), ('bug1', 0)])
def test_animation_shows_the_m_line_of_an_algorithm_that_has_one(recorded, algorithm, count):
    _, record = recorded
    stage = _Stage(dataclasses.replace(record, has_m_line=bool(count)), 96)
    drawn = [line.get_gid() for axes in stage.figure.axes for line in axes.lines]
    assert drawn.count('m_line') == count


def test_caption_of_an_animation_names_its_speed(recorded):
    animation, record = recorded
    stage = _Stage(record, 96)
    stage.show(animation.frames[0], [], 8.0, False)
    assert stage._caption.get_text().endswith('8x speed')
