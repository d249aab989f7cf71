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

"""Tests of the layers of the package: each imports only lower ones, and only the top uses ROS."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
import sys
from typing import Iterator, Set, Tuple

PACKAGE = Path(__file__).resolve().parents[1] / 'bug_nav'
# From the bottom up. Subpackages of one layer do not import each other.
LAYERS = [
    ('navigation.names', 'navigation.kernel_cache'),
    ('navigation.compiled', 'navigation.geometry', 'navigation.parameters'),
    ('navigation.compile_progress',),
    ('navigation.types',),
    ('navigation.settings',),
    ('navigation.perception',),
    ('navigation.cspace',),
    ('navigation.control', 'navigation.ledger'),
    ('navigation.robot',),
    ('navigation.proof',),
    ('navigation.behaviors',),
    ('navigation.algorithms',),
    ('navigation.navigator',),
    ('navigation.warm_up',),
    ('messages', 'files'),
    ('simulation',),
    ('visualization',),
    ('recording', 'lab'),
    ('ros',),
    ('playground',),
    ('cli',),
    ('__main__',)]
LAYER = {f'bug_nav.{name}': layer for layer, names in enumerate(LAYERS) for name in names}
# Third-party packages by subpackage; the standard library is allowed everywhere.
OUTSIDE = {
    'bug_nav.navigation.compiled': {'numpy', 'numba'},
    'bug_nav.navigation.kernel_cache': {'numpy', 'numba'},
    'bug_nav.messages': {'numpy', 'transforms3d'},
    'bug_nav.files': {'yaml'},
    'bug_nav.simulation': {'numpy', 'defusedxml', 'yaml', 'PIL', 'ament_index_python', 'shapely',
                           'trimesh', 'collada'},
    'bug_nav.lab': {'numpy', 'shapely', 'rich', 'yaml', 'pyarrow', 'distributed', 'jinja2',
                    'matplotlib', 'gymnasium'},
    'bug_nav.visualization': {'numpy', 'matplotlib', 'PIL'},
    'bug_nav.recording': {'numpy', 'mcap', 'mcap_ros2', 'rosbags'}}
ROS = {'rclpy', 'bug_nav_msgs', 'builtin_interfaces', 'tf2_ros', 'rcl_interfaces', 'std_srvs',
       'diagnostic_msgs', 'action_msgs', 'geometry_msgs', 'lifecycle_msgs', 'nav_msgs',
       'gazebo_msgs', 'rosgraph_msgs', 'sensor_msgs', 'std_msgs', 'tf2_msgs', 'visualization_msgs',
       'unique_identifier_msgs', 'launch', 'launch_ros'}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix('').parts
    return '.'.join(part for part in parts if part != '__init__')


# The template of a package for students is data that is copied, and no module of this package.
MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob('*.py'))
           if 'template' not in path.parts}


@functools.lru_cache(maxsize=None)
def imported_by(path: Path) -> Tuple[str, ...]:
    """Return every module that a file imports, in functions too."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path}:{node.lineno}: a relative import'
            for name in node.names:
                inner = f'{node.module}.{name.name}'
                yield inner if inner in MODULES else node.module


def imports(module: str) -> Set[str]:
    """Return the modules of this package that a module of it imports."""
    return MODULES.keys() & set(imported_by(MODULES[module]))


def package_of(module: str) -> str:
    parts = module.split('.')
    return '.'.join(parts[:3] if parts[1:2] == ['navigation'] else parts[:2])


def test_every_module_has_a_layer():
    assert {package_of(name) for name in MODULES} - {'bug_nav', 'bug_nav.navigation'} == set(LAYER)


def test_package_has_ten_subpackages_that_state_what_they_may_import():
    packages = {path.parent.name: path for path in PACKAGE.glob('*/__init__.py')}
    assert set(packages) == {'navigation', 'messages', 'files', 'simulation', 'recording',
                             'visualization', 'lab', 'playground', 'ros', 'cli'}
    assert {path.name for path in PACKAGE.glob('*.py')} == {'__init__.py', '__main__.py'}
    for name, path in packages.items():
        text = ast.get_docstring(ast.parse(path.read_text(encoding='utf-8')))
        assert text and 'It may import' in ' '.join(text.split()), name


def test_modules_import_only_from_lower_layers_or_their_own_subpackage():
    for module in MODULES.keys() - {'bug_nav', 'bug_nav.navigation'}:
        package = package_of(module)
        for other in imported_by(MODULES[module]):
            if other.startswith('bug_nav.'):
                there = package_of(other)
                assert there == package or LAYER[there] < LAYER[package], (
                    f'{module} imports {other}')


def reached_from(module: str) -> set:
    """Return every module of the package that a module imports, directly or indirectly."""
    reached, ahead = set(), [module]
    while ahead:
        new = imports(ahead.pop()) - reached
        reached |= new
        ahead += new
    return reached


def test_robot_needs_only_navigation_messages_files_and_the_node():
    reached = reached_from('bug_nav.ros.start') | reached_from('bug_nav.ros.node.main')
    assert 'bug_nav.ros.node.navigator_node' in reached
    rooms = {'bug_nav', 'bug_nav.navigation', 'bug_nav.messages', 'bug_nav.files', 'bug_nav.ros'}
    assert not {name for name in reached if '.'.join(name.split('.')[:2]) not in rooms}
    parts = {name.split('.')[2] for name in reached if name.startswith('bug_nav.ros.')}
    assert not parts & {'client', 'launching', 'sim'}


def test_modules_have_no_circular_imports():
    round_about = {name for name in MODULES if name in reached_from(name)}
    # The stop process imports the velocity module in a function, in its own process.
    assert round_about <= {'bug_nav.ros.stop_process', 'bug_nav.ros.velocity'}


def test_ros_subpackages_do_not_import_each_other():
    for module in MODULES:
        if module.count('.') != 3:
            continue
        package = module.rpartition('.')[0]
        for other in imports(module):
            shared = other.count('.') == 2 and not (MODULES[other].stem == '__init__')
            assert not other.startswith('bug_nav.ros.') or other.startswith(package) or shared, (
                f'{module} imports {other}')


def outside_of(module: str) -> set:
    """Return the top-level packages that a module imports."""
    return {other.split('.')[0] for other in imported_by(MODULES[module])}


def test_ros_is_imported_only_in_the_ros_subpackage():
    assert not [module for module in MODULES
                if package_of(module) != 'bug_nav.ros' and outside_of(module) & ROS]


def test_modules_import_only_allowed_third_party_packages():
    for module in MODULES:
        if LAYER.get(package_of(module), 99) < LAYER['bug_nav.ros']:
            outside = outside_of(module)
            outside -= {'bug_nav', *sys.stdlib_module_names} if hasattr(
                sys, 'stdlib_module_names') else {'bug_nav', *_stdlib_of_old_python(outside)}
            assert outside <= OUTSIDE.get(package_of(module), {'numpy'}), module


def _stdlib_of_old_python(names: set) -> set:
    """Return the standard modules among names; Python 3.9 has no list of them."""
    folder = Path(sys.modules['os'].__file__).parent
    return {name for name in names if name in sys.builtin_module_names
            or (folder / name).is_dir() or (folder / f'{name}.py').exists()
            or any((folder / 'lib-dynload').glob(f'{name}.*'))}


def test_imports_are_found_even_in_functions():
    # With an empty list, the tests above would pass.
    assert 'bug_nav.navigation.cspace.kernels' in set(
        imported_by(MODULES['bug_nav.navigation.cspace.free_space']))
    # The second is imported in a function.
    assert {'bug_nav.simulation.sdf', 'bug_nav.simulation.occupancy'} <= set(
        imported_by(MODULES['bug_nav.simulation.catalogue']))
    assert any(name.startswith('rclpy') for name in imported_by(MODULES['bug_nav.ros.node.main']))
    assert len(MODULES) > 60
