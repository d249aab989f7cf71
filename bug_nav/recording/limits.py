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

"""Temporary limits of memory and file size, against decompression bombs."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


@contextlib.contextmanager
def resource_limits(most: int) -> Iterator[None]:
    """
    Limit additional memory and written files to ``most`` [byte] while the context is open.

    The limits are resource limits of the process, because the decompressing libraries have none.
    """
    if resource is None or not os.path.exists('/proc/self/statm'):
        yield
        return
    with open('/proc/self/statm', encoding='ascii') as statm:
        now = int(statm.read().split()[0]) * resource.getpagesize()
    limits = {resource.RLIMIT_AS: now + most, resource.RLIMIT_FSIZE: most}
    before = {which: resource.getrlimit(which) for which in limits}
    try:
        for which, limit in limits.items():
            soft, hard = before[which]
            resource.setrlimit(which, (_least(limit, soft, hard), hard))
        yield
    finally:
        for which, both in before.items():
            resource.setrlimit(which, both)


def _least(*limits: int) -> int:
    return min(limit for limit in limits if limit != resource.RLIM_INFINITY)
