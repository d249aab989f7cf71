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

"""Findings on stamps: do those of scan and odometry belong to one time, and which is late."""

from __future__ import annotations

from typing import List

from bug_nav.checks.evidence import Evidence
from bug_nav.checks.finding import error, Finding, ok, warning
from bug_nav.checks.timing import leads, spread, waits
from bug_nav.sense.sensor_queue import LARGEST_SKEW, NOTABLE_SKEW, PATIENCE, stamped_at_end
import numpy as np

OTHER_CLOCK = 0.5
"""Stamps this far [s] from the time of their arrival are of another clock."""
SIMULATED = 1e8
"""Stamps before 1973 are those of a simulation."""
LATE = 0.5
"""Odometry that comes so long [s] after it was measured steers the robot to where it was."""


def findings(evidence: Evidence) -> List[Finding]:
    """Return the findings on the stamps of two topics on which something came."""
    scan, odom = evidence.scan, evidence.odom
    late = spread(scan.arrivals - scan.stamps).middle
    sweep = float(np.median(evidence.beams.sweeps))
    at_end = stamped_at_end(late, sweep)
    ends = scan.stamps + (0.0 if at_end else evidence.beams.sweeps)
    times = scan.arrivals, ends, odom.arrivals, odom.stamps
    found = [_clock(evidence)]
    ahead = leads(*times)
    if at_end:
        found.append(warning(
            'sweep', f'a scan arrives {late:.3f} s after its stamp though its sweep takes '
            f'{sweep:.3f} s: the stamp is that of its last beam', 'the navigator takes it for '
            'that; a driver that stamps the first beam, as it should, is more precise'))
    if ahead.size:
        found.append(_skew(float(np.median(ahead))))
        found.append(_latency(waits(*times)))
    return found


def _clock(evidence: Evidence) -> Finding:
    """Compare the stamps with the time of arrival: that of this host, or of the recorder's."""
    here = 'this host' if evidence.graph else 'the host that recorded'
    ages = {track.topic: spread(track.arrivals - track.stamps)
            for track in (evidence.scan, evidence.odom)}
    found = '; '.join(f'{topic} arrives {age.middle:.3f} s after its stamp, 95 % within '
                      f'{age.most:.3f} s' for topic, age in ages.items())
    stamps = min(evidence.scan.stamps.max(), evidence.odom.stamps.max())
    if evidence.scan.stamps.max() <= 0.0 or evidence.odom.stamps.max() <= 0.0:
        return error('clock', 'messages have no stamp', 'stamp them where they are measured')
    if stamps < SIMULATED and evidence.scan.arrivals.max() > SIMULATED:
        return warning('clock', 'stamps are in simulated time', 'that is right with a simulation: '
                       'start every node with use_sim_time:=true; on a robot, with false')
    if any(abs(age.middle) > OTHER_CLOCK for age in ages.values()):
        return warning('clock', found, f'the clock of the robot is not that of {here}: '
                       'synchronise both (chrony, NTP), or transforms and goals are taken for '
                       'too old')
    return ok('clock', found)


def _skew(skew: float) -> Finding:
    which = 'ahead of' if skew > 0.0 else 'behind'
    found = (f'the last beam of a scan is stamped {abs(skew):.3f} s {which} odometry of the same '
             'moment')
    if abs(skew) > NOTABLE_SKEW:
        late = 'odometry' if skew > 0.0 else 'the scan'
        remedy = (f'walls shift when the robot turns: either {late} is late, or the clocks of two '
                  'computers differ, or a driver stamps another moment than it measures')
        if abs(skew) > LARGEST_SKEW:
            return error('skew', found, f'no scan is placed at more than {LARGEST_SKEW:g} s: '
                         'synchronise the clocks, or mend the driver')
        return warning('skew', found, remedy)
    return ok('skew', found)


def _latency(waiting: np.ndarray) -> Finding:
    """Tell how long scans wait for the odometry that they are placed with."""
    come = waiting[np.isfinite(waiting)]
    in_time = float(np.mean(waiting <= PATIENCE))
    if not come.size:
        return error('latency', 'to no scan has odometry of its time come',
                     'the stamps of scan and odometry are of two clocks: synchronise them')
    wait = spread(come)
    found = (f'a scan waits {wait.middle:.3f} s for the odometry of its last beam, 95 % at most '
             f'{wait.most:.3f} s; {in_time:.0%} can be placed within {PATIENCE:g} s')
    if in_time < 0.5:
        return error('latency', found, 'odometry is too late or too rare: run what makes it on '
                     'the robot, nearer to the wheels, or faster')
    if in_time < 0.95 or wait.middle > LATE:
        return warning('latency', found, 'the robot drives on what was a while ago: look for what '
                       'delays odometry (network, a busy computer, a large queue)')
    return ok('latency', found)
