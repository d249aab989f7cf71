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

"""Addresses that open the playground with an episode; the page reads them (`web/address.js`)."""

from __future__ import annotations

import base64
import json
from typing import Any, Dict, Optional, Sequence
import zlib

SERVER = 'http://127.0.0.1:8770/'
"""Default address of `bug_nav play`."""
VERSION = '1'
"""First letter of a fragment, that of the page."""


def playground_link(world: str, start: Optional[Sequence[float]] = None,
                    goal: Optional[Sequence[float]] = None, *, algorithms: Sequence[str],
                    robot: str = 'burger', turn: str = 'left', seed: int = 0,
                    settings: Optional[Dict[str, Any]] = None) -> str:
    """
    Return an address of the playground of this host that shows an episode.

    :param start: x, y [m] and yaw [rad]; None for that of the world, as for ``goal``, x, y [m].
    """
    state = {'w': world, 's': start and list(start), 'g': goal and list(goal), 'b': robot,
             't': turn, 'e': seed, 'A': list(algorithms), 'p': settings or None}
    text = json.dumps({name: value for name, value in state.items() if value is not None})
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(text.encode()) + packer.flush()
    return f'{SERVER}#{VERSION}{base64.urlsafe_b64encode(packed).decode().rstrip("=")}'
