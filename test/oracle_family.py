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

"""All oracles by the names under which bug_nav offers the algorithms."""

from __future__ import annotations

from typing import Callable

from oracle import OracleRun
from oracle_contact import CONTACT
from oracle_course import COURSE
from oracle_heading import HEADING
from oracle_points import POINTS
from oracle_range import RANGE

ORACLES: dict[str, Callable[..., OracleRun]] = {
    **COURSE, **CONTACT, **RANGE, **HEADING, **POINTS}
