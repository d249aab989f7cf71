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

"""Fixtures of the launch_testing suites: the harness of the ROS suite, and DDS on this host."""

import os
from pathlib import Path
import sys

from bug_nav.messages.ros_distribution import confine

confine(os.environ)  # before the first context is made
sys.path.insert(0, str(Path(__file__).parents[1] / 'ros'))
