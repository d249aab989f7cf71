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

"""bug_nav.launch.py with an invalid parameter exits with one sentence."""

from pathlib import Path
import unittest

from launch_harness import launch, text_of
import launch_testing
from launch_testing.asserts import assertExitCodes
from launch_testing.markers import keep_alive
import pytest
from ros_harness import lines_of

PARAMS = Path(__file__).with_name('bad_params.yaml')


@pytest.mark.launch_test
@pytest.mark.ros
@keep_alive  # the node exits by itself, and the test continues
def generate_test_description():
    return launch('bug_nav.launch.py', params_file=str(PARAMS))


class TestNode(unittest.TestCase):

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_node_exits_by_itself(self, proc_info):
        proc_info.assertWaitForShutdown(process='bug_navigator', timeout=60)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_parameter_and_value_are_reported_in_one_sentence(self, proc_info, proc_output):
        assertExitCodes(proc_info, allowable_exit_codes=[1])
        sentence, = lines_of(text_of(proc_output))
        assert sentence.startswith('bug_navigator: ')
        assert 'max_vel_x' in sentence and '-0.5' in sentence
