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
Show that stored results hold for code that has changed since, by repeating a sample of episodes.

A faster or shorter program drives the same episodes, to the last bit. Some rows of each result are
driven by the commit that measured them and by the code of today, on this machine. If all are the
same, the result is current again, and its manifest says how many were repeated. Otherwise it must
be measured again.
"""

from __future__ import annotations

import datetime
import io
import math
import os
from pathlib import Path
import random
import subprocess
import sys
import tarfile
import tempfile
from typing import Any, Dict, List

from bug_nav.lab.table import read_table
from measurements import DRIVEN, MEASUREMENTS
from provenance import commit, digest_of, digests
import results
from results import ROOT

SHARE, LEAST, MOST = 0.05, 100, 600
"""Share of the rows of a file that are repeated, and minimum and maximum number."""
MAX_LISTED = 5
"""Maximum number of listed episodes that differ."""


def repeated(name: str, base: str, seed: int, workers: int) -> Dict[str, Any]:
    """
    Return the manifest of a result, made current by repeating a sample of its rows.

    :param base: the commit to compare with, in which the code is that of the result.
    :raises ValueError: if episodes differ, or if rows cannot show that the result is the same.
    """
    manifest, depends = results.load(name), MEASUREMENTS[name].depends
    now = digests(depends)
    changed = {path for path in depends if manifest['code'].get(path) != now[path]}
    files = [results.RESULTS / name / f'{label}.csv.gz' for label in manifest['parts']]
    if changed - set(DRIVEN) or not all(map(Path.exists, files)):
        raise ValueError('its rows do not show whether it is the same; measure it again')
    stored = [[row.command for row in read_table(path)] for path in files]
    draw = random.Random(seed)
    sample = [command for commands in stored for command in draw.sample(commands, min(max(
        math.ceil(SHARE * len(commands)), LEAST), MOST, len(commands)))]
    with tempfile.TemporaryDirectory() as folder:
        _extract(base, Path(folder))
        for path in DRIVEN:
            if digest_of(Path(folder) / path, Path(folder)) != manifest['code'][path]:
                raise ValueError(f'{path} of commit {base} is not the code that it measured; give '
                                 '--base COMMIT with one that is')
        before = _digests(sample, Path(folder), workers)
    after = _digests(sample, ROOT, workers)
    differing = [f'{command}: {one}, now {other}'
                 for command, one, other in zip(sample, before, after) if one != other]
    if differing:
        raise ValueError('\n'.join((f'{len(differing)} of {len(sample)} episodes differ:',
                                    *differing[:MAX_LISTED])))
    manifest['code'] = now
    manifest['repeated'] = {
        'commit': commit(), 'base': base, 'date': datetime.date.today().isoformat(),
        'seed': seed, 'rows': len(sample), 'of': sum(map(len, stored))}
    return manifest


def _extract(base: str, folder: Path) -> None:
    """Extract a commit: without package.xml beside it, the package finds no worlds."""
    archive = subprocess.run(['git', 'archive', base], cwd=ROOT, check=True,
                             stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder)


def _digests(commands: List[str], code: Path, workers: int) -> List[str]:
    """Return the digests of episodes that the code in a folder drives."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name('digest_episodes.py')), str(workers)],
        input='\n'.join(commands), text=True, check=True, stdout=subprocess.PIPE,
        env={**os.environ, 'PYTHONPATH': str(code), 'PYTHONDONTWRITEBYTECODE': '1'})
    return done.stdout.splitlines()
