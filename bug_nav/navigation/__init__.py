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
Everything between a scan and a velocity.

`perception` converts messages into obstacle points and a pose, `cspace` computes where a disc
fits, `control` converts an intent into a velocity, `behaviors` and `algorithms` decide. The
modules in this folder are shared types (geometry, types, parameters, settings) and, on top of
everything else, the navigator that runs one goal. It may import numpy, numba and transforms3d,
and no other package of bug_nav.
"""
