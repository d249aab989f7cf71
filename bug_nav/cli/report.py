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

"""``bug_nav report``: write the rows of a campaign as HTML report, figures or tables."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Optional, Tuple

from bug_nav.cli import make_folder
from bug_nav.cli.campaign import SPEC
from bug_nav.files import BadInput
from bug_nav.files.paths import check_folder
from bug_nav.lab.report.page import write_report
from bug_nav.lab.report.tables import ENDINGS, write_tables
from bug_nav.lab.spec import load_spec
from bug_nav.lab.spec_values import SpecError
from bug_nav.lab.table import read_table, TableError

PAGE_ENDING = '.html'


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    source = Path(arguments.rows)
    page = _page(arguments, source)
    if page:
        _check_file('the report', page, (PAGE_ENDING,), '; --figures DIR writes figures')
    if arguments.table:
        _check_file('the table', Path(arguments.table), ENDINGS)
    if arguments.figures:
        _make_folder(Path(arguments.figures))
    try:
        rows = list(read_table(source))
        if page:
            title, spec = _campaign(source)
            write_report(rows, arguments.title or title, page, by=arguments.by, spec=spec)
            print(page)
        if arguments.table:
            write_tables(rows, Path(arguments.table), by=arguments.by)
            print(arguments.table)
        if arguments.figures:
            from bug_nav.lab.report.figures import write_figures
            for path in write_figures(rows, Path(arguments.figures), by=arguments.by):
                print(path)
    except TableError as error:
        raise BadInput(str(error)) from error
    except ValueError as error:
        raise BadInput(f'{source}: {error}') from error
    return 0


def _page(arguments: argparse.Namespace, source: Path) -> Optional[Path]:
    """Return the report file; None if only figures or tables are requested."""
    if arguments.out:
        return Path(arguments.out)
    if arguments.figures or arguments.table:
        return None
    folder = source if source.is_dir() else source.parent
    # The campaign command wrote report.html: by algorithm, with the campaign title.
    by = '' if arguments.by == 'algorithm' else f'_by_{arguments.by}'
    page = folder / f'report{by}{PAGE_ENDING}'
    if arguments.title and page.exists():
        raise BadInput(f'{page} already exists, perhaps with another title; give --out FILE, '
                       'which may be the same file')
    return page


def _campaign(source: Path) -> Tuple[str, str]:
    """Return title and specification of the campaign that wrote the rows."""
    folder = source if source.is_dir() else source.parent
    try:
        spec = load_spec(str(folder / SPEC))
        return spec.title or spec.name, (folder / SPEC).read_text(encoding='utf-8')
    except (SpecError, OSError):  # rows from elsewhere, or deleted worlds
        return folder.resolve().name, ''


def _check_file(what: str, path: Path, endings: Tuple[str, ...], hint: str = '') -> None:
    """Raise BadInput if the file cannot be written."""
    if path.is_dir():
        raise BadInput(f'{what} {str(path)!r} is a folder; give a file name that ends in '
                       f'{" or ".join(endings)}')
    if path.suffix.lower() not in endings:
        raise BadInput(f'{what} {str(path)!r} must end in {" or ".join(endings)}{hint}')
    check_folder(what, path)


def _make_folder(folder: Path) -> None:
    make_folder('the folder of the figures', folder, '--figures')
    if not os.access(folder, os.W_OK):
        raise BadInput(f'the folder of the figures {str(folder)!r} is not writable; choose '
                       'another one')
