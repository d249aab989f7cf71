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
ROS 2 interfaces: the only package that imports rclpy.

``node`` is the navigator node, ``sim`` the simulator node, ``client`` their clients and
``launching`` the library of the launch files. The modules beside them are shared:
``conversions``, ``results`` and ``short_certificate`` convert between messages and the types of
`navigation`.

It may import every package of bug_nav except `cli` and `playground`.
"""
