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
The playground: a local web server that reruns an episode while the user drags the goal.

This package is the server. Its page is in `visualization.web`, because playback files share it.
It may import every package of bug_nav except `cli`, whose command ``play`` starts it; only the
live view needs ROS 2.
"""
