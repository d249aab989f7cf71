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
Modules that have moved: their old names go on for one more release, with a warning.

Imported by nothing in this package; it is the finder that `bug_nav` puts behind all others.
"""

from __future__ import annotations

import importlib
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
import sys
from types import ModuleType
from typing import Optional
import warnings

MOVED = {
    'bug_nav.geometry': 'bug_nav.core.geometry',
    'bug_nav.interface': 'bug_nav.core.interface',
    'bug_nav.parameters': 'bug_nav.core.parameters'}
"""Those that README and docs have shown; `bug_nav.robot` has its old names itself."""


class _Loader(Loader):

    def create_module(self, spec: ModuleSpec) -> None:
        """Have a module made as usual."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill it with what the new one has."""
        new = MOVED[module.__name__]
        warnings.warn(f'{module.__name__} is {new} now; the old name goes with the next release',
                      FutureWarning, stacklevel=2)
        module.__dict__.update((name, value) for name, value
                               in vars(importlib.import_module(new)).items()
                               if not name.startswith('__'))


class Finder(MetaPathFinder):
    """Finds what has moved, once nothing else has."""

    def find_spec(self, name: str, path: object = None, target: object = None
                  ) -> Optional[ModuleSpec]:
        """Return where a module with an old name is."""
        return ModuleSpec(name, _Loader()) if name in MOVED else None


def install() -> None:
    """Find old names from now on, once for each process."""
    if not any(type(finder).__qualname__ == Finder.__qualname__
               and type(finder).__module__ == __name__ for finder in sys.meta_path):
        sys.meta_path.append(Finder())
