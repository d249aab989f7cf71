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

"""Rows survive a round trip through files, and invalid files are rejected."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from bug_nav.lab import table
from bug_nav.lab.journal import Journal, JournalError
from bug_nav.lab.rows import COLUMN_DEFAULTS, Row
from bug_nav.lab.spec import make_spec
from bug_nav.lab.table import KINDS, NAMES, read_table, TableError, write_table
from campaign_helpers import rows_of
import pytest


@pytest.fixture(scope='module')
def rows() -> list:
    (row,) = rows_of(make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1}))
    return [row, dataclasses.replace(
        row, reachable=None, shortest_path=None, bound=None, min_clearance=None, certified=True,
        mean_clearance=None, success=False, message='two\nlines, a "quote" and an \u00fc',
        path_length=0.1 + 0.2, seed=2 ** 31 - 1)]


@pytest.mark.parametrize('name', ['rows.csv', 'rows.parquet'])
def test_rows_survive_a_round_trip(rows, name, tmp_path):
    if name.endswith('parquet'):
        pytest.importorskip('pyarrow')
    write_table(iter(rows), tmp_path / name)
    assert list(read_table(tmp_path / name)) == rows
    assert list(read_table(tmp_path)) == rows
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_compressed_rows_survive_a_round_trip_and_are_the_same_bytes(rows, tmp_path):
    path = tmp_path / 'rows.csv.gz'
    write_table(iter(rows), path)
    before = path.read_bytes()
    read = list(read_table(path))
    write_table(read, path)
    assert read == rows and path.read_bytes() == before


@pytest.mark.parametrize('cut', [lambda data: data[:-20], lambda data: b'no gzip file'])
def test_damaged_compressed_rows_are_rejected(rows, tmp_path, cut):
    path = tmp_path / 'rows.csv.gz'
    write_table(iter(rows), path)
    path.write_bytes(cut(path.read_bytes()))
    with pytest.raises(TableError, match='rows.csv.gz is not a valid gzip file'):
        list(read_table(path))


@pytest.mark.parametrize('name', ['rows.csv', 'rows.parquet'])
def test_rows_that_predate_a_column_can_be_read(rows, name, tmp_path, monkeypatch):
    if name.endswith('parquet'):
        pytest.importorskip('pyarrow')
    old = [dataclasses.replace(row, **COLUMN_DEFAULTS) for row in rows]
    fields = [field for field in dataclasses.fields(Row) if field.name not in COLUMN_DEFAULTS]
    with monkeypatch.context() as earlier:
        earlier.setattr(table, 'NAMES', [field.name for field in fields])
        earlier.setattr(dataclasses, 'fields', lambda kind: fields)
        write_table(rows, tmp_path / name)
    assert list(read_table(tmp_path / name)) == old != rows


def test_journal_that_predates_a_column_can_be_read(rows, tmp_path):
    told = {name: value for name, value in rows[0].as_dict().items()
            if name not in COLUMN_DEFAULTS}
    journal = Journal(str(journal_of(tmp_path / 'journal', k1=told)), resume=True)
    assert journal.row(1) == dataclasses.replace(rows[0], **COLUMN_DEFAULTS)
    journal.close()


def test_parquet_has_descriptions_of_its_columns(rows, tmp_path):
    parquet = pytest.importorskip('pyarrow.parquet')
    write_table(rows, tmp_path / 'rows.parquet')
    schema = parquet.read_schema(tmp_path / 'rows.parquet')
    assert schema.names == NAMES
    field = schema.field('path_length')
    assert (str(field.type), field.nullable) == ('double', False)
    assert field.metadata == {b'about': b'length of the true path', b'unit': b'm'}
    assert schema.field('reachable').nullable


def test_types_of_the_columns_match_those_of_a_row(rows):
    for row in rows:
        for name, kind in KINDS.items():
            value = getattr(row, name)
            assert value is None or type(value) is kind, name


def test_failed_write_keeps_the_old_table(rows, tmp_path):
    path = tmp_path / 'rows.csv'
    write_table(rows[:1], path)

    def broken():
        yield rows[1]
        raise OSError('no space')
    with pytest.raises(OSError):
        write_table(broken(), path)
    assert list(read_table(path)) == rows[:1]


@pytest.mark.parametrize('name, content, words', [
    ('rows.csv', 'a,b\n1,2\n', 'has no column world'),
    ('rows.csv', '', 'has no column world'),
    ('rows.csv', ','.join(NAMES) + '\nbox,g\n', 'record 2'),
    ('rows.parquet', 'PAR1', 'is not a valid Parquet file'),
    ('rows.txt', '', 'is not a file of rows')])
def test_file_without_rows_is_rejected(name, content, words, tmp_path):
    if name.endswith('parquet'):
        pytest.importorskip('pyarrow')
    (tmp_path / name).write_text(content)
    with pytest.raises(TableError, match=words):
        list(read_table(tmp_path / name))


@pytest.mark.parametrize('place', [0.5, 0.97])
def test_damaged_parquet_file_is_rejected_with_its_name(place, rows, tmp_path):
    pytest.importorskip('pyarrow')
    path = tmp_path / 'rows.parquet'
    write_table(rows, path)
    content = bytearray(path.read_bytes())
    start = int(place * len(content))
    content[start:start + 40] = b'\xff' * 40
    path.write_bytes(content)
    with pytest.raises(TableError, match='rows.parquet is not a valid Parquet file'):
        list(read_table(path))


@pytest.mark.parametrize('name', ['rows.parquet', 'rows.csv', 'folder'])
def test_missing_file_is_not_reported_as_damaged(name, tmp_path):
    with pytest.raises(TableError, match='there is no file or folder .*' + name):
        list(read_table(tmp_path / name))


def test_folder_without_rows_is_rejected(tmp_path):
    with pytest.raises(TableError, match='has no rows.parquet'):
        list(read_table(tmp_path))


# ---- the journal ------------------------------------------------------------------------------

def journal_of(path: Path, **told) -> Path:
    journal = Journal(str(path))
    for key, value in told.items():
        journal.add(int(key[1:]), value)
    journal.close()
    return path


def test_journal_stores_values_and_cuts_off_a_partial_line(rows, tmp_path):
    path = journal_of(tmp_path / 'journal', k1=rows[0].as_dict(), k18446744073709551615=None)
    with open(path, 'ab') as file:
        file.write(b'{"key": "00000000000000')
    journal = Journal(str(path), resume=True)
    assert 1 in journal and 2 ** 64 - 1 in journal and 2 not in journal
    journal.add(2, rows[1].as_dict())
    journal.add(1, 'nothing new')
    assert list(journal.rows([2, 3, 1])) == [rows[1], rows[0]]
    journal.close()
    assert len(path.read_bytes().splitlines()) == 3


def test_journal_is_not_overwritten_unless_empty(tmp_path):
    path = journal_of(tmp_path / 'journal', k1=None)
    with pytest.raises(FileExistsError):
        Journal(str(path))
    empty = tmp_path / 'empty'
    empty.touch()
    Journal(str(empty)).close()


def test_file_that_is_not_a_journal_is_rejected_and_unchanged(tmp_path):
    notes = tmp_path / 'notes'
    notes.write_text('dear diary\n')
    with pytest.raises(JournalError, match='line 1 of'):
        Journal(str(notes), resume=True)
    assert notes.read_text() == 'dear diary\n'


def test_journal_in_use_is_rejected(tmp_path):
    first = Journal(str(tmp_path / 'journal'))
    with pytest.raises(JournalError, match='another campaign is writing'):
        Journal(str(tmp_path / 'journal'), resume=True)
    first.close()


def test_row_of_another_version_and_damaged_line_are_reported(tmp_path):
    path = journal_of(tmp_path / 'journal', k1={'world': 'box'})
    path.write_bytes(path.read_bytes() + b'{"key": "0000000000000002", "value": {{}\n')
    journal = Journal(str(path), resume=True)
    with pytest.raises(JournalError, match='another version'):
        journal.row(1)
    with pytest.raises(JournalError, match='is damaged'):
        journal.row(2)
    journal.close()


def test_every_column_has_a_description():
    assert all(field.metadata['about'] for field in dataclasses.fields(Row))
