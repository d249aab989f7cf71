#!/usr/bin/env python3
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
Store grades of published programs as data in results/rivals, with their provenance.

Usage: tools/store_rivals.py NAME GRADES REPOSITORY REVISION ASSIGNMENT [COMMIT], where GRADES is
the grades.json of ``bug_nav grade``, ASSIGNMENT its YAML file, which is stored, too, and COMMIT
that of the grader (default: the current one). Advice to the authors is left out.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
import shutil
import sys

from provenance import commit, machine, versions
from results import RESULTS

RIVALS = RESULTS / 'rivals'


def main(name: str, grades: str, repository: str, revision: str, assignment: str,
         grader: str = '') -> None:
    """Write results/rivals/NAME.json and NAME.yaml."""
    RIVALS.mkdir(exist_ok=True)
    if Path(assignment).resolve() != (RIVALS / f'{name}.yaml').resolve():
        shutil.copyfile(assignment, RIVALS / f'{name}.yaml')
    found = json.loads(Path(grades).read_text(encoding='utf-8'))
    for submission in found['submissions']:
        for trial in submission['trials']:
            del trial['remarks']
    document = {
        'name': name, 'repository': repository, 'revision': revision,
        'command': f'bug_nav grade {name}.yaml', 'commit': grader or commit(),
        'date': datetime.date.today().isoformat(), 'machine': machine(), 'versions': versions(),
        'grades': found}
    (RIVALS / f'{name}.json').write_text(json.dumps(document, indent=1) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(*sys.argv[1:])
