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

"""Child processes on Linux: ended with their parent, or adopted when it has ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Callable, Optional

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def end_with_parent(number: int = signal.SIGTERM, parent: Optional[int] = None
                    ) -> Optional[Callable[[], None]]:
    """
    Return a ``preexec_fn`` that asks Linux for a signal when the parent dies; None elsewhere.

    A parent that is killed cannot stop its children. All functions are looked up before the
    fork, because imports and locks are not safe in the child.

    :param parent: process id of the parent; this process if it is not given.
    """
    if not sys.platform.startswith('linux'):
        return None
    prctl = ctypes.CDLL(None).prctl
    expected = os.getpid() if parent is None else parent

    def request_signal() -> None:
        prctl(PR_SET_PDEATHSIG, int(number))
        if os.getppid() != expected:  # the parent died before the request
            os._exit(1)
    return request_signal


def adopt_orphans() -> None:
    """Make this process the parent of orphaned descendants, so that it can end them."""
    if sys.platform.startswith('linux'):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
