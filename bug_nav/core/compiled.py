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
How kernels are compiled: by numba where that is installed.

They are written in the part of numpy that numba compiles. Where numba is not installed (or where
``BUG_NAV_NUMBA=0``) they run as they are; both ways decide alike, which a test shows. Those that
every tick asks are there twice, as a loop to be compiled and as numpy has them (`either`).
"""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path
import sys
from typing import Any, Dict, List

import numpy as np

SWITCHED_OFF = os.environ.get('BUG_NAV_NUMBA') == '0'
WHY_NOT = ''
"""Why nothing is compiled, where that is so."""
try:
    if SWITCHED_OFF:
        raise ModuleNotFoundError
    import numba
except ModuleNotFoundError:
    WHY_NOT = 'numba is not installed'
except Exception as error:  # of the system's numba beside a newer numpy of pip, in many ways
    WHY_NOT = (f'numba cannot be imported ({error}): is it too old for numpy {np.__version__}, '
               'or too new?')
HAVE_NUMBA = not WHY_NOT

_KERNELS: List[Any] = []


@functools.lru_cache(maxsize=None)
def tell_slow():
    """Say on stderr, once, that there is no numba; whoever has switched it off knows."""
    if not (HAVE_NUMBA or SWITCHED_OFF):
        print(f'bug_nav: {WHY_NOT}; this takes up to four times as long without it: '
              'pip install numba', file=sys.stderr)


def will_compile() -> bool:
    """Return whether numba has to compile: its cache has no kernel that is up to date."""
    return HAVE_NUMBA and not any(map(_is_cached, _KERNELS))


def _is_cached(made: Any) -> bool:
    source = Path(made.py_func.__code__.co_filename)
    indices = Path(made.stats.cache_path).glob(f'{source.stem}.{made.py_func.__qualname__}-*.nbi')
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in indices)


@functools.lru_cache(maxsize=None)
def tell_compiling() -> None:
    """Print on stderr, once, that the first run after an installation compiles."""
    if will_compile():
        print('bug_nav: compiling for this machine, once after an installation: this takes half a '
              'minute or more', file=sys.stderr, flush=True)


def kernel(function):
    """
    Compile ``function`` with numba where that is installed.

    numba keeps what it has compiled until the function's file changes: a kernel calls kernels of
    its own file only, and its constants are there too.
    """
    if not HAVE_NUMBA:
        return function
    made = numba.njit(cache=True, error_model='numpy')(function)
    made._cache.save_overload = functools.partial(_keep, made._cache.save_overload)
    _KERNELS.append(made)
    return made


def _keep(save, *compiled):
    """Keep what is compiled; on a disk that is full it is compiled again next time."""
    with contextlib.suppress(OSError):
        save(*compiled)


def ready() -> Dict[str, int]:
    """Return of each kernel for how many kinds of arguments it is compiled, or loaded, by now."""
    return {f'{made.py_func.__module__}.{made.py_func.__name__}': len(made.signatures)
            for made in _KERNELS}


def either(loop, whole):
    """Return ``loop`` compiled where numba is installed, else ``whole``, which does the same."""
    return kernel(loop) if HAVE_NUMBA else whole


@functools.lru_cache(maxsize=64)
def fan(first_angle, step, count):
    """Return the cosines and sines of angles that are ``step`` [rad] apart, (count,) each."""
    angles = first_angle + step * np.arange(count)
    return np.cos(angles), np.sin(angles)
