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

"""Catalogue of the registered algorithms with their aliases and load errors."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Dict, List, Optional, Tuple, Type

from bug_nav.navigation.algorithms.base import Algorithm, Metadata, Step
from bug_nav.navigation.algorithms.registry import BrokenAlgorithm, find, registered

PACKAGE_PREFIX = 'bug_nav.navigation.algorithms.'
"""Prefix of the entry points of this package; others belong to plug-ins."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One registered algorithm."""

    name: str
    aliases: Tuple[str, ...]
    """Other names of the same entry point."""
    value: str
    """Entry point as module:class."""
    algorithm: Optional[Type[Algorithm]]
    """None if it cannot be loaded."""
    error: str = ''

    @property
    def is_shipped(self) -> bool:
        """Whether the algorithm is part of this package."""
        return self.value.startswith(PACKAGE_PREFIX)

    @property
    def metadata(self) -> Metadata:
        """Metadata of the algorithm; only if it is loaded."""
        assert self.algorithm is not None
        return self.algorithm.metadata

    @property
    def steps(self) -> Tuple[Step, ...]:
        """Pseudo-code of the algorithm; only if it is loaded."""
        assert self.algorithm is not None
        return self.algorithm.steps

    @property
    def idea(self) -> str:
        """First paragraph of the docstring; only if the algorithm is loaded."""
        assert self.algorithm is not None
        first, _, _ = inspect.cleandoc(self.algorithm.__doc__ or '').partition('\n\n')
        return ' '.join(first.split())

    @property
    def parameters(self) -> Tuple[dataclasses.Field, ...]:
        """Fields of the algorithm's parameters; only if it is loaded."""
        assert self.algorithm is not None
        return dataclasses.fields(self.algorithm.Parameters)  # type: ignore[arg-type]


def catalogue() -> List[Entry]:
    """Return the algorithms by name; those that cannot be loaded have an error."""
    names: Dict[str, List[str]] = {}
    for name, entry in registered().items():
        names.setdefault(entry.value, []).append(name)
    found = []
    for value, same in names.items():
        # An algorithm has the name of its file.
        module = value.partition(':')[0].rpartition('.')[2]
        name = module if module in same else same[0]
        algorithm, error = _load(name)
        found.append(Entry(name, tuple(other for other in same if other != name), value,
                           algorithm, error))
    return sorted(found, key=lambda entry: entry.name)


def _load(name: str) -> Tuple[Optional[Type[Algorithm]], str]:
    """Return the algorithm and '', or None and the reason why it cannot be loaded."""
    try:
        return find(name), ''
    except BrokenAlgorithm as error:
        return None, error.reason
