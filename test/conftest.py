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

"""What holds for the whole suite: examples of hypothesis, optional modules, long campaigns."""

import importlib.util
import os
from pathlib import Path
import signal
import sys

from hypothesis import HealthCheck, settings
import pytest

LAUNCH = 'launch_testing is not installed: it comes with a ROS 2, not from PyPI'
# Not every machine has these. A file that cannot be imported for want of one is skipped by name.
OPTIONAL = {
    **dict.fromkeys(('ament_index_python', 'diagnostic_msgs', 'geometry_msgs', 'rcl_interfaces',
                     'rclpy'), 'ROS 2 is not installed'),
    'gazebo_msgs': 'gazebo_ros is not installed',
    'launch': LAUNCH,
    'launch.action': LAUNCH,  # the folder of launch files is taken for a package then
    'launch_testing': LAUNCH,
    **dict.fromkeys(('starlette', 'uvicorn', 'websockets', 'httpx', 'starlette.applications',
                     'starlette.testclient', 'websockets.sync.client'),
                    'the playground is not installed: pip install "bug_nav[play]"'),
    'playwright': 'playwright is not installed',
    'playwright.sync_api': 'playwright is not installed',
    'mcap': 'mcap-ros2-support is not installed',
    'mcap_ros2': 'mcap-ros2-support is not installed',
    'nav2_msgs': 'Nav2 is not installed',
    'nav2_simple_commander': 'Nav2 is not installed',
    'rosbags': 'rosbags is not installed',
    'rosbags.rosbag2': 'rosbags is not installed',
    'shapely': 'shapely is not installed',
    'shapely>=2': 'shapely is older than 2',
    'tf2_msgs': 'tf2 is not installed: it comes with a ROS 2, not from PyPI',
    'tf2_ros': 'tf2 is not installed: it comes with a ROS 2, not from PyPI',
}
# A shell has what runs in the background ignore these, and so would all that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):  # and nohup the second
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

# Programs of tools/ import each other.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tools'))

LAUNCH_SUITES = Path(__file__).parent / 'launch'

# The same examples on every machine, so that red means changed; `explore` looks for new ones.
settings.register_profile('suite', deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile('explore', deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'suite'))


@pytest.fixture
def ground_truth():
    """Skip a test where what tells the shortest path and the right verdict is not there."""
    return pytest.importorskip('bug_nav.bench.ground_truth')


class OptionalModule(pytest.Module):
    """A file of tests that is skipped where what it imports is optional and not there."""

    def collect(self):
        try:
            return list(super().collect())
        except self.CollectError as error:
            missing = getattr(error.__cause__, 'name', None)
            if missing not in OPTIONAL:
                raise
            pytest.skip(f'{self.nodeid}: {OPTIONAL[missing]}', allow_module_level=True)


def make_module(parent, folder, **place):
    """Return what collects a file, None where that is left to launch_testing's plug-in."""
    # The plug-in of Humble imports every file, and takes one that cannot be imported for the end
    # of the collection: it is to see none but its own.
    if folder == LAUNCH_SUITES and importlib.util.find_spec('launch_testing'):
        return None
    return OptionalModule.from_parent(parent, **place)


if hasattr(pytest, 'version_tuple'):  # pytest 7 and later
    def pytest_pycollect_makemodule(module_path, parent):
        return make_module(parent, module_path.parent, path=module_path)
else:
    def pytest_pycollect_makemodule(path, parent):
        return make_module(parent, Path(path.dirname), fspath=path)


def pytest_collection_modifyitems(config, items):
    """Leave campaigns out unless the expression given with -m names them."""
    if 'campaign' in config.getoption('markexpr'):
        return
    left_out = [item for item in items if item.get_closest_marker('campaign')]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


# Before the items are put in order, for there xdist reads the groups, and is the first to.
def pytest_itemcollected(item):
    """Have one process run all tests of an algorithm's episodes, which it drives once then."""
    family = sys.modules.get('family')  # not there where no test could import it
    # What another plug-in has collected, such as launch_testing, is of no module.
    if family is None or not hasattr(item, 'callspec'):
        return
    name = item.callspec.params.get('name')
    if name in family.NAMES and any(vars(item.module).get(each.__name__) is each for each in (
            family.broken, family.driven, family.told)):
        item.add_marker(pytest.mark.xdist_group(family.walks_as(name)))
