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

"""All kinds of faults by group."""

from __future__ import annotations

from typing import Dict, List

from trials.fault import Fault, Kind
from trials.odom_faults import odom_kinds
from trials.scan_faults import scan_kinds
from trials.system_faults import client_kinds, clock_kinds, process_kinds, silence_kinds


def all_kinds() -> Dict[str, List[Kind]]:
    """Return all kinds by group."""
    # The first kind is the control without a fault.
    return {'none': [Kind('no fault at all', lambda random: Fault(), drivable=True)],
            'silence': silence_kinds(), 'scan': scan_kinds(), 'odom': odom_kinds(),
            'clock': clock_kinds(), 'process': process_kinds(), 'clients': client_kinds()}
