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

"""Configuration of the suite: hypothesis profiles, optional modules, long campaigns."""

import importlib.util
import os
from pathlib import Path
import signal
import sys

from hypothesis import HealthCheck, settings
import pytest

LAUNCH = 'launch_testing is not installed: it comes with a ROS 2, not from PyPI'
# Optional modules. A test file that cannot import one is skipped with the reason.
OPTIONAL = {
    **dict.fromkeys(('ament_index_python', 'diagnostic_msgs', 'geometry_msgs', 'rcl_interfaces',
                     'rclpy'), 'ROS 2 is not installed'),
    'gazebo_msgs': 'gazebo_ros is not installed',
    'launch': LAUNCH,
    'launch.action': LAUNCH,  # then the folder of launch files is imported as a package
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
    'tf2_msgs': 'tf2_msgs is not installed: build it again (make setup)',
}
# A shell makes background jobs ignore these signals, and child processes would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):  # nohup ignores SIGHUP
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)

# The programs in tools/ import each other.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / 'tools'))

LAUNCH_SUITES = Path(__file__).parent / 'launch'

# The same examples on every machine, so that failures are reproducible; `explore` tries new ones.
settings.register_profile('suite', deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile('explore', deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'suite'))


@pytest.fixture
def ground_truth():
    """Skip a test if the ground truth module cannot be imported."""
    return pytest.importorskip('bug_nav.lab.ground_truth')


@pytest.fixture(scope='module')
def chromium():
    """Yield a browser, or skip the test if none is installed."""
    from browsing import browser, NoBrowser
    try:
        with browser() as found:
            yield found
    except NoBrowser as missing:
        pytest.skip(str(missing))


@pytest.fixture
def open_file(chromium):
    """Return a function that opens a page of a file; it has no errors and requests files only."""
    pages = []

    def opened(address, **options):
        page = chromium.new_page(**options)
        page.problems, page.requests = [], []
        page.on('pageerror', lambda error: page.problems.append(str(error)))
        page.on('request', lambda request: page.requests.append(request.url))
        page.goto(address)
        pages.append(page)
        return page

    yield opened
    for page in pages:
        assert page.problems == []
        assert {url.partition(':')[0] for url in page.requests} <= {'file', 'blob', 'data'}
        page.close()


class OptionalModule(pytest.Module):
    """A test file that is skipped if an optional module is missing."""

    def collect(self):
        try:
            return list(super().collect())
        except self.CollectError as error:
            missing = getattr(error.__cause__, 'name', None)
            if missing not in OPTIONAL:
                raise
            pytest.skip(f'{self.nodeid}: {OPTIONAL[missing]}', allow_module_level=True)


def make_module(parent, folder, **place):
    """Return the collector of a file, or None if the plug-in of launch_testing collects it."""
    # The plug-in of Humble imports every file, and aborts the collection if that fails, so it must
    # see only its own files.
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
    """Deselect campaigns unless the expression of -m names them."""
    if 'campaign' in config.getoption('markexpr'):
        return
    left_out = [item for item in items if item.get_closest_marker('campaign')]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


# In this hook, because xdist reads the groups before any other hook that orders the items.
def pytest_itemcollected(item):
    """Run all tests of an algorithm's episodes in one process, which drives them once."""
    family = sys.modules.get('family')  # not imported by any test otherwise
    # Items of other plug-ins, such as launch_testing, have no module.
    if family is None or not hasattr(item, 'callspec'):
        return
    name = item.callspec.params.get('name')
    if name in family.NAMES and any(vars(item.module).get(each.__name__) is each for each in (
            family.broken, family.driven, family.reported_steps)):
        item.add_marker(pytest.mark.xdist_group(family.walks_as(name)))
