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

"""``bug_nav report``: a campaign's rows as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path

from bug_nav.bench.report import write_report
from bug_nav.bench.table import read_table, TableError
from bug_nav.commands import BadInput, check_folder


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    source = Path(arguments.rows)
    folder = source if source.is_dir() else source.parent
    out = Path(arguments.out) if arguments.out else folder / 'report.html'
    check_folder('the report', out)
    title = arguments.title or folder.resolve().name
    try:
        write_report(read_table(source), title, out, by=arguments.by)
    except TableError as error:
        raise BadInput(str(error)) from error
    except ValueError as error:
        raise BadInput(f'{source}: {error}') from error
    print(out)
    return 0
