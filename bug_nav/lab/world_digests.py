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

"""Digests of worlds that are files, which can change before a campaign is resumed."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any, Dict

from bug_nav.lab.spec import Spec
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.generators import PREFIX
from bug_nav.simulation.world import World
import numpy as np


def world_digests(spec: Spec) -> Dict[str, str]:
    """Return the digest of each world that is a file, by its name."""
    names = {entry.world for entry in spec.worlds if not entry.world.startswith(PREFIX)}
    return {name: digest_of(find_world(name)) for name in sorted(names - {*shipped_worlds()})}


def digest_of(world: World) -> str:
    """Return a digest of all that an episode depends on, with the models of other files."""
    content = _plain([world.solids, world.surfaces, world.start, world.goal, world.movers,
                      world.other_robots])
    return hashlib.blake2b(repr(content).encode(), digest_size=8).hexdigest()


def _plain(value: Any) -> Any:
    """Return a value as lists, numbers and texts, whose representation is always the same."""
    if dataclasses.is_dataclass(value):
        return [type(value).__name__, *(_plain(getattr(value, field.name))
                                        for field in dataclasses.fields(value))]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(map(_plain, value)) if isinstance(value, (list, tuple)) else value
