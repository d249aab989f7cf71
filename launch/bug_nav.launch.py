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

"""Launch the navigator, configured and activated, for a robot or simulation already running."""

from bug_nav.ros.launching.actions import (
    frame_prefix_argument,
    namespace_argument,
    navigator,
    navigator_arguments,
    security_arguments,
)
from bug_nav.ros.launching.resources import params_file
from launch import LaunchDescription
from launch.actions import OpaqueFunction


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return LaunchDescription([
        namespace_argument(),
        *navigator_arguments('false', params_file('bug_nav')),
        frame_prefix_argument(),
        *security_arguments(),
        OpaqueFunction(function=navigator),
    ])
