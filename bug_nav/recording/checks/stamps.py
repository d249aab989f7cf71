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

"""Findings on stamps of scans and odometry: clocks, skew and latency."""

from __future__ import annotations

from typing import List, Optional

from bug_nav.messages.sensor_messages import MAX_SWEEP
from bug_nav.navigation.perception.sensor_queue import (
    MAX_SKEW,
    MAX_WAIT,
    REPORTED_SKEW,
    stamped_at_end,
)
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.finding import error, Finding, ok, warning
from bug_nav.recording.checks.topic_statistics import leads, spread, waits
import numpy as np

OTHER_CLOCK = 0.5
"""Minimum difference of stamp and time of arrival that indicates another clock [s]."""
SIMULATED = 1e8
"""Maximum stamp (in 1973) that counts as simulated time [s]."""
CLOCK = '/clock'
"""Topic of simulated time."""
WARNING_LATENCY = 0.5
"""Minimum latency of odometry for a warning [s]."""


def findings(evidence: Evidence) -> List[Finding]:
    """Return the findings on stamps."""
    scan, odom = evidence.scan, evidence.odom
    late = spread(scan.arrivals - scan.stamps).middle
    sweep = float(np.median(evidence.beams.sweeps))
    at_end = has_end_stamps(evidence)
    ends = scan.stamps + (0.0 if at_end else evidence.beams.sweeps)
    times = scan.arrivals, ends, odom.arrivals, odom.stamps
    found = [_clock(evidence)]
    ahead = leads(*times)
    if at_end:
        found.append(warning(
            'sweep', f'scans arrive {late:.3f} s after their stamp, but a sweep takes '
            f'{sweep:.3f} s: the stamp is that of the last beam', 'the navigator corrects for '
            'it; a driver that stamps the first beam, as specified, is more precise'))
    if evidence.beams.impossible_sweep:
        found.append(warning(
            'sweep', f'by time_increment, a sweep takes {evidence.beams.impossible_sweep:.3g} s; '
            f'it must take from 0 to {MAX_SWEEP:g} s', 'correct the driver; until then, all beams '
            'of a scan count as taken at its stamp'))
    if ahead.size:
        found.append(_skew(float(np.median(ahead))))
        found.append(_latency(waits(*times)))
    return found


def has_end_stamps(evidence: Evidence) -> bool:
    """Return whether scans have the stamp of their last beam, which the navigator corrects."""
    scan = evidence.scan
    return stamped_at_end(spread(scan.arrivals - scan.stamps).middle,
                          float(np.median(evidence.beams.sweeps)))


def _clock(evidence: Evidence) -> Finding:
    """Compare the stamps with the times of arrival, of this host or of the recorder."""
    here = 'this host' if evidence.graph else 'the host that recorded'
    ages = {track.topic: spread(track.arrivals - track.stamps)
            for track in (evidence.scan, evidence.odom)}
    found = '; '.join(f'{topic} arrives {age.middle:.3f} s after its stamp, 95 % within '
                      f'{age.most:.3f} s' for topic, age in ages.items())
    stamps = min(evidence.scan.stamps.max(), evidence.odom.stamps.max())
    if evidence.scan.stamps.max() <= 0.0 or evidence.odom.stamps.max() <= 0.0:
        return error('clock', 'messages have no stamp', 'stamp them where they are measured')
    if stamps < SIMULATED and evidence.scan.arrivals.max() > SIMULATED:
        return warning('clock', 'stamps are in simulated time', 'correct for a simulation: '
                       'start every node with use_sim_time:=true; on a robot, with false')
    if any(abs(age.middle) > OTHER_CLOCK for age in ages.values()):
        return warning('clock', found, f'the clocks of the robot and of {here} differ: '
                       'synchronize them (chrony, NTP), or transforms and goals count as too old')
    return ok('clock', found)


def simulated_time(evidence: Evidence, use_sim_time: Optional[bool]) -> List[Finding]:
    """
    Return the finding on a node whose time does not run, or is another than the robot's.

    ``use_sim_time`` is that of the node, None if unknown.
    """
    if evidence.graph is None and not len(evidence.scan):
        return []
    if use_sim_time and not is_simulated(evidence):
        why = (f'nothing publishes {CLOCK}: the time of the node stands still' if evidence.graph
               else 'stamps are not in simulated time')
        return [error('sim_time', f'use_sim_time is true, and {why}',
                      'set use_sim_time to false on a real robot')]
    if use_sim_time is False and is_simulated(evidence) and _has_simulated_stamps(evidence):
        return [error('sim_time', 'use_sim_time is false, and stamps are in simulated time',
                      'set use_sim_time to true')]
    return []


def is_simulated(evidence: Evidence) -> bool:
    """Return whether time is simulated; a recording shows that by its stamps, without a clock."""
    return CLOCK in evidence.topics if evidence.graph else _has_simulated_stamps(evidence)


def _has_simulated_stamps(evidence: Evidence) -> bool:
    return bool(len(evidence.scan) and 0.0 < evidence.scan.stamps.max() < SIMULATED)


def _skew(skew: float) -> Finding:
    which = 'ahead of' if skew > 0.0 else 'behind'
    found = f'the last beam of a scan is stamped {abs(skew):.3f} s {which} simultaneous odometry'
    if abs(skew) > REPORTED_SKEW:
        late = 'odometry' if skew > 0.0 else 'the scan'
        remedy = (f'walls shift when the robot turns: {late} is late, or the clocks of two '
                  'computers differ, or a driver does not stamp the time of measurement')
        if abs(skew) > MAX_SKEW:
            return error('skew', found, f'scans with more than {MAX_SKEW:g} s are not placed: '
                         'synchronize the clocks, or fix the driver')
        return warning('skew', found, remedy)
    return ok('skew', found)


def _latency(waiting: np.ndarray) -> Finding:
    """Return the finding on the time that scans wait for odometry."""
    come = waiting[np.isfinite(waiting)]
    in_time = float(np.mean(waiting <= MAX_WAIT))
    if not come.size:
        return error('latency', 'no scan is covered by odometry',
                     'the stamps of scan and odometry are from two clocks: synchronize them')
    wait = spread(come)
    found = (f'a scan waits {wait.middle:.3f} s for the odometry of its last beam, 95 % at most '
             f'{wait.most:.3f} s; {in_time:.0%} can be placed within {MAX_WAIT:g} s')
    if in_time < 0.5:
        return error('latency', found, 'odometry is too late or too rare: run its node on the '
                     'robot, closer to the wheel driver, or at a higher rate')
    if in_time < 0.95 or wait.middle > WARNING_LATENCY:
        return warning('latency', found, 'the robot drives on old data: find the delay of '
                       'odometry (network, a busy computer, a large queue)')
    return ok('latency', found)
