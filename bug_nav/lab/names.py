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

"""The names that `run` accepts."""

from __future__ import annotations

from typing import List

from bug_nav.navigation.algorithms.registry import registered
from bug_nav.simulation.catalogue import shipped_worlds
from bug_nav.simulation.robots import ROBOTS


def worlds() -> List[str]:
    """Return the names of the shipped worlds; `find_world` reads others from files."""
    return shipped_worlds()


def robots() -> List[str]:
    """Return the names of the robot presets."""
    return list(ROBOTS)


def algorithms() -> List[str]:
    """Return the names of the algorithms, those of installed plug-ins included."""
    return list(registered())
