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

"""What is compressed may become anything: bounds of memory and of files for a while."""

from __future__ import annotations

import contextlib
import os
from typing import Iterator

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


@contextlib.contextmanager
def bounded(most: int) -> Iterator[None]:
    """
    Let this process take ``most`` [B] more than it has, and write no larger files.

    A limit of the system, since no library that decompresses here has one of its own.
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
