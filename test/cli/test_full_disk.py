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

"""Full disk: the error names the file, and no partial file remains."""

import contextlib
import functools
import json
import os
from pathlib import Path
import resource
import shutil
import subprocess
import sys

from bug_nav.cli.parser import main
from bug_nav.files.paths import atomic_write
import pytest
from subsets import subset

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 150
"""Maximum file size within `full_disk` [bytes]."""


@contextlib.contextmanager
def full_disk(limit=LIMIT):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python would leave truncated bytecode of modules imported here, which fails in later tests.
    writes_no_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        sys.dont_write_bytecode = writes_no_bytecode


@pytest.fixture(scope='module')
def given(tmp_path_factory):
    """Return a folder with rows and a recording; this also compiles the kernels."""
    pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
    folder = tmp_path_factory.mktemp('given')
    assert main(['campaign', '--world', 'box', '--format', 'csv', '--out', str(folder)]) == 0
    with contextlib.suppress(ImportError):
        import mcap_ros2  # noqa: F401
        assert main(['run', 'open', '--record', str(folder / 'run.mcap')]) == 0
    return folder


def check_error(capsys, argv, name, limit=LIMIT):
    capsys.readouterr()
    with full_disk(limit):
        code = main(argv)
    out, said = capsys.readouterr()
    assert code in (1, 2) and said.count('\n') == 1, said
    assert name in said and '.part' not in said, said
    assert 'File too large' in said or 'ffmpeg has failed' in said, said
    return out


@pytest.mark.parametrize('argv, name, needs', subset([
    (['run', 'open', '--plot'], 'run.png', 'matplotlib'),
    (['run', 'open', '--plot'], 'run.svg', 'matplotlib'),
    (['run', 'open', '--plot'], 'run.pdf', 'matplotlib'),
    (['run', 'open', '--plot'], 'run.gif', 'matplotlib'),
    (['run', 'open', '--plot'], 'run.mp4', 'matplotlib'),
    (['run', 'open', '--plot'], 'run.html', 'shapely'),
    (['run', 'open', '--record'], 'run.mcap', 'mcap_ros2'),
    (['compare', 'open', '--algorithm', 'bug1,bug2', '--table'], 'table.csv', 'shapely'),
    (['compare', 'open', '--algorithm', 'bug1,bug2', '--plot'], 'both.png', 'matplotlib'),
    (['worlds', 'open', '--plot'], 'worlds.png', 'matplotlib'),
    (['report', '{given}', '--out'], 'report.html', 'jinja2'),
    (['report', '{given}', '--table'], 'scores.csv', 'jinja2'),
    (['replay', '{given}/run.mcap', '--plot'], 'replay.png', 'rosbags'),
    (['replay', '{given}/run.mcap', '--map'], 'map', 'rosbags')], 5))
def test_full_disk_is_reported_with_the_file_and_leaves_no_partial_file(
        argv, name, needs, given, tmp_path, capsys):
    pytest.importorskip(needs)
    if name.endswith('.mp4') and shutil.which('ffmpeg') is None:
        pytest.skip('ffmpeg is not installed')
    if argv[0] == 'replay' and not (given / 'run.mcap').exists():
        pytest.skip('mcap-ros2-support is not installed')
    printed = check_error(
        capsys, [*(each.format(given=given) for each in argv), str(tmp_path / name)], name)
    assert not list(tmp_path.iterdir())
    if argv[0] in ('run', 'compare', 'replay') and '--record' not in argv:
        assert printed.count('\n') > 2  # the results


def test_table_is_written_although_the_plot_fails(given, tmp_path, capsys):
    pytest.importorskip('matplotlib')
    table, plot = tmp_path / 'table.csv', tmp_path / 'both.png'
    capsys.readouterr()
    with full_disk(2000):
        code = main(['compare', 'open', '--algorithm', 'bug1,bug2', '--table', str(table),
                     '--plot', str(plot), '--json'])
    out, said = capsys.readouterr()
    assert code == 2 and 'both.png' in said and 'File too large' in said
    assert len(json.loads(out)['runs']) == 2
    assert table.read_text().count('\n') == 3 and not plot.exists()


def test_existing_file_is_kept(tmp_path, capsys, given):
    pytest.importorskip('matplotlib')
    (tmp_path / 'run.png').write_bytes(b'precious')
    check_error(capsys, ['run', 'open', '--plot', str(tmp_path / 'run.png')], 'run.png')
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b'precious']


@pytest.mark.slow
@pytest.mark.parametrize('limit, name', [(LIMIT, 'campaign.yaml'), (1000, 'journal.jsonl')])
def test_campaign_on_a_full_disk_can_be_resumed(
        limit, name, tmp_path, capsys, given):
    argv = ['campaign', '--world', 'box', '--format', 'csv', '--out', str(tmp_path),
            '--algorithm', 'bug1,bug2', '--set', 'repetitions=5', '--workers', '1']
    check_error(capsys, argv, name, limit)
    assert {path.name for path in tmp_path.iterdir()} <= {'campaign.yaml', 'journal.jsonl'}
    assert main([*argv, '--resume']) == 0
    assert (tmp_path / 'rows.csv').exists()


def test_rows_are_written_completely_or_not_at_all(tmp_path, capsys, given):
    shutil.copy(given / 'journal.jsonl', tmp_path)
    argv = ['campaign', '--world', 'box', '--set', 'repetitions=5', '--format', 'csv',
            '--out', str(tmp_path), '--resume']
    check_error(capsys, argv, 'rows.csv', 1000)
    assert {path.name for path in tmp_path.iterdir()} == {'campaign.yaml', 'journal.jsonl'}


@pytest.mark.slow
def test_uncacheable_kernel_is_compiled_each_time(tmp_path):
    (tmp_path / 'twice.py').write_text(
        'from bug_nav.navigation.compiled import kernel\n'
        '@kernel\ndef twice(x):\n    return 2 * x\n')
    # On a full disk Python leaves truncated bytecode, which fails later.
    environment = {**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path / 'cache'),
                   'PYTHONDONTWRITEBYTECODE': '1'}
    for limit in (LIMIT, resource.RLIM_INFINITY):
        done = subprocess.run(
            [sys.executable, '-c', 'from twice import twice; print(twice(21))'], text=True,
            capture_output=True, env={**environment, 'PYTHONPATH': f'{tmp_path}:{ROOT}'},
            preexec_fn=functools.partial(
                resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)))
        assert done.stdout == '42\n', done.stderr
        kept = [path.suffix for path in tmp_path.rglob('cache/**/*') if path.is_file()]
        assert sorted(kept) == ([] if limit == LIMIT else ['.nbc', '.nbi'])


def test_symlink_is_kept_and_its_target_written(tmp_path):
    (tmp_path / 'there').mkdir()
    os.symlink('there/run.txt', tmp_path / 'link.txt')
    with atomic_write(tmp_path / 'link.txt') as partial:
        partial.write_text('whole')
    assert (tmp_path / 'link.txt').is_symlink()
    assert (tmp_path / 'there/run.txt').read_text() == 'whole'
