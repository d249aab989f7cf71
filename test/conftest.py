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

"""What holds for the whole suite: one profile of hypothesis, and long campaigns on demand."""

import importlib.util
import os

from hypothesis import HealthCheck, settings

# Whole files that need what not every machine has. A skip of a module would do, but for the plugin
# of launch_testing on Humble: it takes one for the end of the collection.
NEEDS = {'recording/test_episode_recording.py': 'mcap_ros2',
         'recording/test_mcap_file.py': 'mcap_ros2',
         'ros/test_security.py': 'sros2',
         'ros/test_topic_recording.py': 'mcap_ros2',
         'ros/test_localiser.py': 'tf2_ros',
         'ros/test_nav2.py': 'nav2_msgs',
         'ros/test_nav2_lifecycle_manager.py': 'nav2_msgs',
         'ros/test_nav2_simple_commander.py': 'nav2_simple_commander'}
MISSING = {path: module for path, module in NEEDS.items()
           if importlib.util.find_spec(module) is None}
collect_ignore = list(MISSING)

# The same examples on every machine, so that red means changed; `explore` looks for new ones.
settings.register_profile('suite', deadline=None, derandomize=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile('explore', deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get('HYPOTHESIS_PROFILE', 'suite'))


def pytest_report_header(config):
    return [f'test/{path}: not collected, for want of {module}'
            for path, module in MISSING.items()]


def pytest_collection_modifyitems(config, items):
    """Leave campaigns out unless the expression given with -m names them."""
    if 'campaign' in config.getoption('markexpr'):
        return
    left_out = [item for item in items if item.get_closest_marker('campaign')]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
