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

"""Detection of the ROS 2 distribution, and its setting that keeps traffic on this host."""

from bug_nav.messages import ros_distribution as module
from bug_nav.messages.ros_distribution import confine, distribution, is_humble, local_only
import pytest


@pytest.mark.parametrize('name, humble, local', [
    ('humble', True, ('ROS_LOCALHOST_ONLY', '1')),
    ('jazzy', False, ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')),
    ('kilted', False, ('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST'))])
def test_sourced_distribution_is_used(name, humble, local):
    environment = {'ROS_DISTRO': name}
    assert distribution(environment) == name
    assert is_humble(environment) == humble and local_only(environment) == local


@pytest.mark.parametrize('newer, name', [(True, 'jazzy'), (False, 'humble')])
def test_distribution_is_detected_from_rclpy_if_not_sourced(monkeypatch, newer, name):
    monkeypatch.setattr(module, '_has_event_handlers', lambda: newer)
    assert distribution({}) == distribution({'ROS_DISTRO': ''}) == name


@pytest.mark.parametrize('name', ['humble', 'jazzy'])
def test_environment_has_only_the_variable_of_its_distribution(name):
    environment = {'ROS_DISTRO': name, 'ROS_LOCALHOST_ONLY': '0', 'HOME': '/home'}
    confine(environment)
    variable, value = local_only(environment)
    assert environment == {'ROS_DISTRO': name, 'HOME': '/home', variable: value}
