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

"""Jobs of the workers."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple


class Job(NamedTuple):
    """Request to a worker process."""

    kind: str
    """'run', 'world', 'save' or 'picture'."""
    data: Dict[str, Any]
    files: Dict[str, str]
    """Paths of the uploaded files by their ids."""
    algorithm: str = ''
    detail: bool = False
    ending: str = ''
    """File ending of the output of 'save' and 'picture'."""
