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

"""The linters of ROS 2 in their default configuration, without exceptions."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BUILT = ('build', 'install', 'log')

pytestmark = [pytest.mark.ros, pytest.mark.slow]


def skip_without_flake8(linter, folder):
    """Skip if ament_flake8 cannot check a file without faults, as with flake8 before 4."""
    (folder / 'clean.py').write_text('SIDE = 1.0\n')
    try:
        assert linter.main(argv=[str(folder / 'clean.py')]) == 0
    except TypeError as error:
        pytest.skip(f'ament_flake8 does not work with this flake8: {error}')


@pytest.mark.parametrize('name', ['copyright', 'flake8', 'pep257'])
def test_ros_linter_reports_nothing(name, monkeypatch, tmp_path):
    linter = pytest.importorskip(
        f'ament_{name}.main',
        reason=f'ament_{name} is not installed: it comes with a ROS 2, not from PyPI')
    monkeypatch.chdir(ROOT)
    if name == 'flake8':
        skip_without_flake8(linter, tmp_path)
    paths = [str(path) for path in ROOT.iterdir()
             if path.suffix == '.py'
             or path.is_dir() and path.name[0] != '.' and path.name not in BUILT]
    assert linter.main(argv=paths) == 0
