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
Which ROS 2 this is, as far as it matters: Humble, or Jazzy and what comes after it.

Nothing here needs a ROS, for the commands ask before they know of one.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Mapping, MutableMapping, Tuple

ON_HUMBLE, LATER = 'ROS_LOCALHOST_ONLY', 'ROS_AUTOMATIC_DISCOVERY_RANGE'
"""The variable that keeps DDS on this host. With the first, nodes complain from Iron on."""


def distribution(environment: Mapping[str, str] = os.environ) -> str:
    """Return the name; the wheels from PyPI, which set no variable, are those of Jazzy."""
    return environment.get('ROS_DISTRO') or ('jazzy' if _has_event_handlers() else 'humble')


def is_humble(environment: Mapping[str, str] = os.environ) -> bool:
    """Tell whether this is Humble, where the variable is another and robots take Twist."""
    return distribution(environment) == 'humble'


def local_only(environment: Mapping[str, str] = os.environ) -> Tuple[str, str]:
    """Return the variable that keeps DDS on this host, and its value."""
    return (ON_HUMBLE, '1') if is_humble(environment) else (LATER, 'LOCALHOST')


def confine(environment: MutableMapping[str, str]) -> None:
    """Change an environment so that DDS stays on this host."""
    # Later ones than Humble take the older variable too, but every node complains of it.
    environment.pop(ON_HUMBLE, None)
    environment.update([local_only(environment)])


def _has_event_handlers() -> bool:
    """Tell whether rclpy has a module that came with Iron."""
    try:
        return importlib.util.find_spec('rclpy.event_handler') is not None
    except ModuleNotFoundError:
        return False
