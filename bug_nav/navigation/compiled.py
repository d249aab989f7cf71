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
Kernels: functions that numba compiles.

A kernel uses only the part of Python and numpy that numba supports. It may call kernels and use
constants of other files; compiled code is cached (`bug_nav.navigation.kernel_cache`).

With ``NUMBA_DISABLE_JIT=1`` kernels run as plain Python, for a debugger; numba is not imported.
"""

from __future__ import annotations

import functools
import math
import os
from typing import Any, Callable, List

import numpy as np

IS_PLAIN = os.environ.get('NUMBA_DISABLE_JIT', '0') not in ('', '0')
"""Whether kernels run as plain Python."""
MISSING = ('numba is not installed: run "pip install numba", or "sudo apt install python3-numba" '
           'for a ROS 2 from apt')
BROKEN = ('numba cannot be imported ({}), it may be too old or too new for numpy {}: run "pip '
          'install --upgrade numba", or "pip uninstall numpy" for a numba from apt')
UNMET = '{}: run "pip install --no-deps {}"'
if not IS_PLAIN:
    try:
        import numba
    except Exception as error:  # an old numba fails in many ways with a newer numpy
        is_missing = isinstance(error, ModuleNotFoundError) and error.name == 'numba'
        # A numba before 0.56 imports pkg_resources, which checks what the program requires.
        unmet = getattr(error, 'req', None)
        raise ImportError(MISSING if is_missing else
                          BROKEN.format(error, np.__version__) if unmet is None else
                          UNMET.format(error, unmet), name='numba') from error
    from bug_nav.navigation.kernel_cache import KernelCache
    # numba also reads options from a file.
    IS_PLAIN = bool(getattr(numba.config, 'DISABLE_JIT', False))

KERNELS: List[Any] = []
"""All kernels of this process."""
watchers: List[Callable[[Any], None]] = []
"""Observers of the compiler: the last one is called with each kernel that is compiled."""


def kernel(function: Any) -> Any:
    """
    Compile ``function`` with numba at its first call, or load the compiled code.

    A decorator. The function takes and returns numbers, tuples and numpy arrays; it may call other
    kernels, and use constants, of bug_nav and of the files beside its own. An edit of one of these
    files recompiles it.
    """
    if IS_PLAIN:
        return function
    njit: Any = numba.njit  # its type hints lack the second option
    # Divides as numpy does, and has no wrapper for callers in C, which nothing needs.
    made = njit(error_model='numpy', no_cfunc_wrapper=True)(function)

    def on_miss() -> None:
        if watchers:
            watchers[-1](made)
    made._cache = KernelCache(function, on_miss)
    KERNELS.append(made)
    return made


@functools.lru_cache(maxsize=64)
def fan(first_angle, step, count):
    """Return the cosines and sines of angles that are ``step`` [rad] apart, (count,) each."""
    angles = first_angle + step * np.arange(count)
    return np.cos(angles), np.sin(angles)


# ---- poses: tuples or arrays (x, y, theta) ------------------------------------------------------

@kernel
def wrapped(angle):
    """Return an angle [rad] in [-pi, pi)."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


@kernel
def applied(pose, x, y):
    """Transform a point from the frame of a pose to the frame in which the pose is given."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return pose[0] + cos * x - sin * y, pose[1] + sin * x + cos * y


@kernel
def composed(pose, other):
    """Return a pose, given in the frame of the first one, in the frame of both."""
    x, y = applied(pose, other[0], other[1])
    return x, y, wrapped(pose[2] + other[2])


@kernel
def inverted(pose):
    """Return the inverse of a pose."""
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    return (-cos * pose[0] - sin * pose[1], sin * pose[0] - cos * pose[1], wrapped(-pose[2]))
