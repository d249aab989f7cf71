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

"""Tests of the dependencies of the ROS packages on robot and desktop, by release of ROS 2."""

from __future__ import annotations

import ast
from pathlib import Path
import re
from typing import Set

from bug_nav import __version__
from defusedxml import ElementTree
import pytest
import yaml

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = {'bug_nav': ROOT, 'bug_nav_msgs': ROOT / 'bug_nav_msgs',
            'bug_nav_desktop': ROOT / 'bug_nav_desktop'}
RELEASES = ('humble', 'jazzy')
CLASSIC = {'gazebo_msgs', 'gazebo_ros_pkgs'}
"""Packages of Gazebo 11, which exists neither for Jazzy nor for arm64."""
NEWER = {'ros_gz_bridge', 'ros_gz_sim'}
DISPLAY = {'robot_state_publisher', 'rviz2', 'rviz_default_plugins', 'turtlebot3_gazebo'}
OPTIONAL = {'gazebo_msgs', 'nav2_msgs'}
"""Messages of Gazebo on a desktop, and of the Nav2 interface, which needs Nav2."""


def manifest(package: str):
    return ElementTree.parse(PACKAGES[package] / 'package.xml').getroot()


def holds(condition: str, release: str) -> bool:
    """Return whether a condition of package.xml holds; only the forms used here are supported."""
    compared = re.fullmatch(r'\$ROS_DISTRO (==|!=) (\w+)', condition)
    assert compared, f'the condition {condition!r} is none that this test understands'
    return (compared[2] == release) == (compared[1] == '==')


def keys(package: str, release: str) -> Set[str]:
    """Return all dependencies of a package for a release."""
    return {each.text for each in manifest(package) if each.tag.endswith('depend')
            and ('condition' not in each.attrib or holds(each.get('condition'), release))}


@pytest.mark.parametrize('release', RELEASES)
@pytest.mark.parametrize('package', ['bug_nav', 'bug_nav_msgs'])
def test_robot_packages_depend_on_no_simulator_or_viewer(package, release):
    for key in keys(package, release) - {'bug_nav_msgs'}:
        assert not re.search(r'gazebo|gz|rviz|turtlebot3|desktop', key)


def test_desktop_package_depends_on_the_gazebo_of_its_release():
    for release, gazebo in (('humble', CLASSIC), ('jazzy', NEWER)):
        assert keys('bug_nav_desktop', release) == {'ament_cmake', 'bug_nav'} | DISPLAY | gazebo


@pytest.mark.parametrize('package', PACKAGES)
def test_package_has_no_duplicate_dependency(package):
    for release in RELEASES:
        named = [(each.tag, each.text) for each in manifest(package)
                 if each.tag.endswith('depend') and holds(
                     each.get('condition', f'$ROS_DISTRO == {release}'), release)]
        assert len(named) == len(set(named))


@pytest.mark.parametrize('package', PACKAGES)
def test_condition_holds_for_exactly_one_of_both_releases(package):
    for each in manifest(package).iter():
        if 'condition' in each.attrib:
            assert sum(holds(each.get('condition'), release) for release in RELEASES) == 1


def test_unsupported_condition_is_rejected():
    with pytest.raises(AssertionError, match='ON_ROBOT'):
        holds('$ON_ROBOT == yes', 'humble')


def test_packages_have_the_same_version_author_and_license():
    for name, folder in PACKAGES.items():
        root = manifest(name)
        assert root.findtext('name') == name
        assert root.findtext('version') == __version__
        assert root.findtext('license') == 'Apache-2.0'
        assert root.findtext('author') == root.findtext('maintainer') == 'The bug_nav authors'
        assert (folder / 'LICENSE').read_bytes() == (ROOT / 'LICENSE').read_bytes()
        assert f'\n{__version__} (' in (folder / 'CHANGELOG.rst').read_text('utf-8')


def test_setup_and_citation_have_the_same_version_and_url():
    setup, citation = ((ROOT / name).read_text('utf-8') for name in ('setup.py', 'CITATION.cff'))
    assert f"version='{__version__}'" in setup
    cited = yaml.safe_load(citation)
    assert cited['version'] == __version__ and cited['cff-version'] == '1.2.0'
    date = str(cited['date-released'])
    assert f'\n{__version__} ({date})\n' in (ROOT / 'CHANGELOG.rst').read_text('utf-8')
    assert f"HOME = '{cited['url']}'" in setup


def test_dependency_of_pip_has_a_rosdep_key():
    tree = ast.parse((ROOT / 'setup.py').read_text('utf-8'))
    needed = next(ast.literal_eval(each.value) for each in ast.walk(tree)
                  if isinstance(each, ast.keyword) and each.arg == 'install_requires')
    names = {re.match('[a-z0-9]+', each)[0] for each in needed}
    assert {'numba', 'numpy'} <= names
    renamed = {'pillow': 'pil', 'pyyaml': 'yaml'}
    for release in RELEASES:
        assert {f'python3-{renamed.get(name, name)}' for name in names} <= keys('bug_nav', release)


def test_imported_message_package_is_a_dependency():
    imported = set()
    for path in (ROOT / 'bug_nav' / 'ros').rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition('.')[0])
    messages = {name for name in imported if name.endswith('_msgs')}
    assert {'geometry_msgs', 'sensor_msgs', 'nav_msgs'} <= messages
    for release in RELEASES:
        assert messages - OPTIONAL <= keys('bug_nav', release)


def test_names_of_test_files_are_unique():
    # `colcon test` collects all of them, and pytest imports a file of tests by its name alone.
    names = [path.name for path in (ROOT / 'test').rglob('test_*.py')]
    assert sorted(names) == sorted(set(names))
