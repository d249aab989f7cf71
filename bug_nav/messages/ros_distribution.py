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
The differences between ROS 2 Humble and later distributions.

This module does not import ROS, because commands use it before they know whether ROS is installed.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Mapping, MutableMapping, Tuple

ON_HUMBLE, LATER = 'ROS_LOCALHOST_ONLY', 'ROS_AUTOMATIC_DISCOVERY_RANGE'
"""The variables that keep DDS on this host; the first one is deprecated from Iron on."""


def distribution(environment: Mapping[str, str] = os.environ) -> str:
    """Return the name of the distribution; wheels from PyPI set no variable, and are Jazzy."""
    return environment.get('ROS_DISTRO') or ('jazzy' if _has_event_handlers() else 'humble')


def is_humble(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether this is Humble, which has another variable, and whose robots expect Twist."""
    return distribution(environment) == 'humble'


def local_only(environment: Mapping[str, str] = os.environ) -> Tuple[str, str]:
    """Return the variable that keeps DDS on this host, and its value."""
    return (ON_HUMBLE, '1') if is_humble(environment) else (LATER, 'LOCALHOST')


def confine(environment: MutableMapping[str, str]) -> None:
    """Set the variable that keeps DDS on this host in an environment."""
    # Distributions after Humble accept the old variable too, but every node warns about it.
    environment.pop(ON_HUMBLE, None)
    environment.update([local_only(environment)])


def _has_event_handlers() -> bool:
    """Return whether rclpy has a module that was added in Iron."""
    try:
        return importlib.util.find_spec('rclpy.event_handler') is not None
    except ModuleNotFoundError:
        return False
