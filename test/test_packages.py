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

"""What the packages of ROS name as needed: on a robot, on a desktop, in each release of ROS 2."""

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
"""Gazebo 11, which Jazzy does not have, and arm64 does not have at all."""
NEWER = {'ros_gz_bridge', 'ros_gz_sim'}
SHOWS = {'robot_state_publisher', 'rviz2', 'rviz_default_plugins', 'turtlebot3_gazebo'}
OPTIONAL = {'gazebo_msgs', 'nav2_msgs'}
"""Messages of a desktop's Gazebo, and of Nav2's door, which is shut where there is no Nav2."""


def manifest(package: str):
    return ElementTree.parse(PACKAGES[package] / 'package.xml').getroot()


def holds(condition: str, release: str) -> bool:
    """Tell whether a condition of package.xml holds: those that are used here, and no other."""
    compared = re.fullmatch(r'\$ROS_DISTRO (==|!=) (\w+)', condition)
    assert compared, f'the condition {condition!r} is none that this test understands'
    return (compared[2] == release) == (compared[1] == '==')


def keys(package: str, release: str) -> Set[str]:
    """Return what a package names for a release, whatever it needs it for."""
    return {each.text for each in manifest(package) if each.tag.endswith('depend')
            and ('condition' not in each.attrib or holds(each.get('condition'), release))}


@pytest.mark.parametrize('release', RELEASES)
@pytest.mark.parametrize('package', ['bug_nav', 'bug_nav_msgs'])
def test_robot_is_not_made_to_install_a_simulator_or_a_viewer(package, release):
    for key in keys(package, release) - {'bug_nav_msgs'}:
        assert not re.search(r'gazebo|gz|rviz|turtlebot3|desktop', key)


def test_desktop_has_the_gazebo_that_its_release_has_and_no_other():
    for release, gazebo in (('humble', CLASSIC), ('jazzy', NEWER)):
        assert keys('bug_nav_desktop', release) == {'ament_cmake', 'bug_nav'} | SHOWS | gazebo


@pytest.mark.parametrize('package', PACKAGES)
def test_package_names_nothing_twice_for_the_same_purpose(package):
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


def test_condition_of_another_form_is_refused_and_not_taken_for_true():
    with pytest.raises(AssertionError, match='ON_ROBOT'):
        holds('$ON_ROBOT == yes', 'humble')


def test_packages_have_one_version_one_author_and_the_same_licence():
    for name, folder in PACKAGES.items():
        root = manifest(name)
        assert root.findtext('name') == name
        assert root.findtext('version') == __version__
        assert root.findtext('license') == 'Apache-2.0'
        assert root.findtext('author') == root.findtext('maintainer') == 'The bug_nav authors'
        assert (folder / 'LICENSE').read_bytes() == (ROOT / 'LICENSE').read_bytes()
        assert 'Forthcoming' in (folder / 'CHANGELOG.rst').read_text('utf-8')


def test_setup_and_citation_tell_the_same_version_and_address():
    setup, citation = ((ROOT / name).read_text('utf-8') for name in ('setup.py', 'CITATION.cff'))
    assert f"version='{__version__}'" in setup
    cited = yaml.safe_load(citation)
    assert cited['version'] == __version__ and cited['cff-version'] == '1.2.0'
    assert f"HOME = '{cited['url']}'" in setup


def test_message_that_is_imported_is_named_as_a_dependency():
    imported = set()
    for path in (ROOT / 'bug_nav' / 'ros').rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text('utf-8'))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition('.')[0])
    messages = {name for name in imported if name.endswith('_msgs')}
    assert {'geometry_msgs', 'sensor_msgs', 'nav_msgs'} <= messages
    for release in RELEASES:
        assert messages - OPTIONAL <= keys('bug_nav', release)


def test_no_two_files_of_tests_have_one_name():
    # `colcon test` collects all of them, and pytest imports a file of tests by its name alone.
    names = [path.name for path in (ROOT / 'test').rglob('test_*.py')]
    assert sorted(names) == sorted(set(names))
