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

"""
ROS messages and ROS itself, without rclpy: for the node, recordings and commands.

Converts sensor messages and transforms, and has what a goal shows. It may import `navigation`.
"""

STOP_PROCESS_SUFFIX = '_stop_process'
"""Suffix of the node name of the stop process, which stops the robot if the navigator dies."""
