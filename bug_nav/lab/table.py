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

"""Files of rows: Parquet if pyarrow is installed, else CSV, which may be compressed."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import io
import itertools
from pathlib import Path
from typing import Any, Callable, Dict, get_type_hints, IO, Iterable, Iterator, List, Union
import zlib

from bug_nav.files.paths import atomic_write, did_you_mean_file
from bug_nav.lab.rows import COLUMN_DEFAULTS, Row

FORMATS = ('parquet', 'csv')
GZIP = '.gz'
"""Suffix of a compressed CSV file."""
BATCH = 10_000
"""Number of rows in memory at once."""


class TableError(ValueError):
    """A file of rows cannot be read or written; the message is one sentence."""


def default_format() -> str:
    """Return `parquet` if pyarrow is installed, else `csv`."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return 'csv'
    return 'parquet'


def check_format(ending: str) -> None:
    """Raise TableError if a format cannot be written."""
    if ending == 'parquet' and default_format() != 'parquet':
        raise TableError('Parquet needs pyarrow; pip install pyarrow, or choose csv')


def write_table(rows: Iterable[Row], path: Path) -> None:
    """Write rows to a file atomically: .parquet, .csv or .csv.gz."""
    with atomic_write(path) as partial:
        (_write_parquet if path.suffix == '.parquet' else _write_csv)(rows, partial)


def read_table(path: Union[str, Path]) -> Iterator[Row]:
    """
    Yield the rows of a file, or of the file in the folder of a campaign.

    :raises TableError: if there is no file, or columns are missing.
    """
    path = Path(path)
    if path.is_dir():
        found = [path / f'rows.{ending}' for ending in FORMATS
                 if (path / f'rows.{ending}').is_file()]
        if not found:
            raise TableError(f'{path} has no rows.parquet and no rows.csv; give the folder of a '
                             'finished campaign')
        path = found[0]
    elif not path.exists():
        raise TableError(f'there is no file or folder {path}{did_you_mean_file(path, True)}')
    readers: Dict[str, Callable[[Path], Iterator[Row]]] = {
        '.parquet': _read_parquet, '.csv': _read_csv, '.csv.gz': _read_csv}
    ending = ''.join(path.suffixes[-2:]) if path.suffix == GZIP else path.suffix
    if ending not in readers:
        raise TableError(f'{path} is not a file of rows; give a .parquet, a .csv, a .csv.gz or '
                         'the folder of a campaign')
    yield from readers[ending](path)


# ---- columns ----------------------------------------------------------------------------------

NAMES = [field.name for field in dataclasses.fields(Row)]
KINDS: Dict[str, type] = {
    name: next(kind for kind in (bool, int, float, str)
               if hint is kind or kind in getattr(hint, '__args__', ()))
    for name, hint in get_type_hints(Row).items()}
"""Type of each column; optional fields of `Row` may also be None."""


def _columns(names: List[str], path: Path) -> List[str]:
    """Return the columns of `Row` in a file; TableError if a required one is missing."""
    missing = [name for name in NAMES if name not in names and name not in COLUMN_DEFAULTS]
    if missing:
        raise TableError(f'{path} has no column {missing[0]}; it is not a file of rows, or is '
                         'from another version of bug_nav')
    return [name for name in NAMES if name in names]


# ---- CSV --------------------------------------------------------------------------------------

def _write_csv(rows: Iterable[Row], path: Path) -> None:
    with _opened(path, 'w') as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        for row in rows:
            writer.writerow(_as_text(getattr(row, name)) for name in NAMES)


def _opened(path: Path, mode: str) -> IO[str]:
    """Open a CSV file; the same rows give the same bytes, compressed too."""
    if path.suffix != GZIP:
        return open(path, mode, encoding='utf-8', newline='')
    return io.TextIOWrapper(gzip.GzipFile(path, f'{mode}b', mtime=0), 'utf-8', newline='')


def _as_text(value: Any) -> str:
    if value is None:
        return ''
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def _read_csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(1 << 30)  # a long path in one field
    with _opened(path, 'r') as file:
        try:
            reader = csv.DictReader(file)
            names = _columns(list(reader.fieldnames or ()), path)
            for number, record in enumerate(reader, 2):
                yield _row(record, names, number, path)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise TableError(f'{path} is not a valid gzip file') from None


def _row(record: Dict[str, str], names: List[str], number: int, path: Path) -> Row:
    try:
        return Row(**{**COLUMN_DEFAULTS,
                      **{name: _from_text(record[name], name) for name in names}})
    except (ValueError, KeyError, TypeError):
        raise TableError(f'{path}: record {number} is not a row of a campaign') from None


_OPTIONAL = {name for name, hint in get_type_hints(Row).items()
             if type(None) in getattr(hint, '__args__', ())}


def _from_text(text: str, name: str) -> Any:
    if text == '' and name in _OPTIONAL:
        return None
    kind = KINDS[name]
    value = {'true': True, 'false': False}[text] if kind is bool else kind(text)
    if kind is int and abs(value) >= 1 << 63:  # as in Parquet
        raise ValueError
    return value


# ---- Parquet ----------------------------------------------------------------------------------

def _write_parquet(rows: Iterable[Row], path: Path) -> None:
    check_format('parquet')
    import pyarrow
    from pyarrow import parquet
    types = {bool: pyarrow.bool_(), int: pyarrow.int64(), float: pyarrow.float64(),
             str: pyarrow.string()}
    schema = pyarrow.schema([
        pyarrow.field(field.name, types[KINDS[field.name]], field.name in _OPTIONAL,
                      {'about': field.metadata['about'], 'unit': field.metadata['unit']})
        for field in dataclasses.fields(Row)])
    rows = iter(rows)
    with parquet.ParquetWriter(path, schema, compression='zstd') as writer:
        while True:
            batch = list(itertools.islice(rows, BATCH))
            if not batch:
                return
            writer.write_table(pyarrow.table(
                {name: [getattr(row, name) for row in batch] for name in NAMES}, schema))


def _read_parquet(path: Path) -> Iterator[Row]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise TableError('Parquet needs pyarrow; pip install pyarrow') from None
    try:
        with parquet.ParquetFile(path) as file:
            names = _columns(file.schema_arrow.names, path)
            for batch in file.iter_batches(BATCH, columns=names):
                for record in batch.to_pylist():
                    yield Row(**{**COLUMN_DEFAULTS, **record})
    # For a damaged file, pyarrow raises an OSError or its own exceptions.
    except (pyarrow.ArrowException, OSError) as error:
        if getattr(error, 'errno', None) is not None:  # from the system, with the file's name
            raise
        raise TableError(f'{path} is not a valid Parquet file: '
                         f'{" ".join(str(error).split())}') from error
