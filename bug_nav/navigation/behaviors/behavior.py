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

"""The mark of a behavior, by which a call without ``yield from`` is detected."""

from __future__ import annotations

import functools
from typing import Any, Callable, cast, Generator, TypeVar

from bug_nav.navigation.robot import Robot

F = TypeVar('F', bound=Callable[..., Generator[Any, None, Any]])


def behavior(function: F) -> F:
    """Return a generator function that reports each of its generators to the ledger."""
    @functools.wraps(function)
    def start(robot: Robot, *args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
        run = function(robot, *args, **kwargs)
        robot.ledger.add_behavior(run)
        return run
    return cast(F, start)
