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

"""Readers for values of a campaign's specification; each error is one sentence."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Callable, Mapping, NamedTuple, Optional, Tuple, Type

from bug_nav.navigation.names import shown, unknown

MAX_LIST, MAX_TEXT = 10_000, 1000
"""Maximum length of a list [entries] and of a text [characters]."""
MAX_FILE_NAME = 60
"""Maximum length of a name [characters], of which each has up to 4 of the 255 bytes of a file."""


class SpecError(ValueError):
    """A specification is not valid; the message is one sentence."""


class Reader(NamedTuple):
    """Reader of a value."""

    form: str
    """Allowed values, as text."""
    read: Callable[[Any, str], Any]
    """Takes the value and its key; SpecError if it is not allowed."""


def key(reader: Reader, doc: str, *, default: Any = None, unit: str = '',
        required: bool = False) -> Any:
    """Declare a dataclass field as a key with its reader and description."""
    metadata = {'reader': reader, 'doc': doc, 'unit': unit, 'required': required}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def _refuse(place: str, value: Any, form: str) -> SpecError:
    return SpecError(f'{place} is {shown(value)}; give {form}')


def _text(value: Any, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _refuse(place, value, 'a text')
    if not 0 < len(str(value)) <= MAX_TEXT or not str(value).isprintable():
        raise _refuse(place, value, f'a text of 1 to {MAX_TEXT} characters on one line')
    return str(value)


text = Reader('a text', _text)


def _file_name(value: Any, place: str) -> str:
    # A path would write elsewhere, and a name with a leading dot is hidden or another folder.
    if re.search(r'^\.|[/\\]', _text(value, place)) or len(str(value)) > MAX_FILE_NAME:
        raise _refuse(place, value, file_name.form)
    return str(value)


file_name = Reader('a name for a folder, without / and \\ and without a dot at the beginning, '
                   f'of at most {MAX_FILE_NAME} characters', _file_name)


def _flag(value: Any, place: str) -> bool:
    if not isinstance(value, bool):
        raise _refuse(place, value, 'true or false')
    return value


flag = Reader('true or false', _flag)


def choice(*names: str) -> Reader:
    """Return a reader for one of some words."""
    form = ' or '.join(filter(None, [', '.join(names[:-1]), names[-1]]))

    def read(value: Any, place: str) -> str:
        if not isinstance(value, str) or value not in names:
            raise _refuse(place, value, form)
        return value
    return Reader(form, read)


def whole(low: int, high: int, word: str = '') -> Reader:
    """Return a reader for integers, or for a word that is read as None."""
    form = f'a whole number from {low} to {high}' + (f', or {word}' if word else '')

    def read(value: Any, place: str) -> Optional[int]:
        if word and value == word:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise _refuse(place, value, form)
        return value
    return Reader(form, read)


# YAML 1.1 reads 1e-3, without a point, as text.
_NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?')


def number(low: float, high: float, word: str = '') -> Reader:
    """Return a reader for finite numbers, or for a word that is read as None."""
    form = f'a number from {low:g} to {high:g}' + (f', or {word}' if word else '')

    def read(value: Any, place: str) -> Optional[float]:
        if word and value == word:
            return None
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        if (isinstance(value, bool) or not isinstance(value, (int, float))
                or not low <= value <= high):  # as NaN is not
            raise _refuse(place, value, form)
        return float(value)
    return Reader(form, read)


def list_of(reader: Optional[Reader], least: int = 1) -> Reader:
    """Return a reader for lists; without ``reader``, the entries are read later."""
    form = 'a list' + (f' of: {reader.form}' if reader else '')

    def read(value: Any, place: str) -> Tuple[Any, ...]:
        if not isinstance(value, list) or not least <= len(value) <= MAX_LIST:
            raise _refuse(place, value, f'a list of {least} to {MAX_LIST} entries')
        if reader is None:
            return tuple(value)
        found = tuple(reader.read(each, f'{place}[{k}]') for k, each in enumerate(value))
        for k, each in enumerate(found):
            if each in found[:k]:
                raise SpecError(f'{place}[{k}] is {shown(value[k])} again; give each value once')
        return found
    return Reader(form, read)


def numbers(count: int, low: float, high: float) -> Reader:
    """Return a reader for lists of ``count`` numbers, such as a place."""
    form, each = f'a list of {count} numbers from {low:g} to {high:g}', number(low, high)

    def read(value: Any, place: str) -> Tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise _refuse(place, value, form)
        return tuple(each.read(one, f'{place}[{k}]') for k, one in enumerate(value))
    return Reader(form, read)


def one_or_list(reader: Reader) -> Reader:
    """Return a reader for a value or a list of values."""
    many = list_of(reader)
    return Reader(f'{reader.form}; or a list of them',
                  lambda value, place: many.read(value, place) if isinstance(value, list)
                  else (reader.read(value, place),))


def mapping() -> Reader:
    """Return a reader for a mapping of names to single values."""
    form = 'a mapping of names to numbers, texts, true or false'

    def read(value: Any, place: str) -> dict:
        if not isinstance(value, dict) or not all(
                isinstance(name, str) and isinstance(each, (bool, int, float, str))
                for name, each in value.items()):
            raise _refuse(place, value, form)
        return dict(value)
    return Reader(form, read)


def read_fields(kind: Type, document: Any, place: str, inner: Optional[Mapping[str, Type]] = None
                ) -> Any:
    """
    Return a document as a dataclass, each field read by its reader.

    :param place: place of the document in a larger one, for errors.
    :param inner: keys with a list of entries, and the class of the entries.
    :raises SpecError: for an unknown or missing key, or a value that is not allowed.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if not isinstance(document, dict):
        found = 'empty' if document is None else shown(document)
        raise SpecError(f'{place or "the document"} is {found}; give a mapping with '
                        f'keys such as {", ".join(list(fields)[:3])}')
    prefix = f'{place}.' if place else ''
    values = {}
    for name, value in document.items():
        if name not in fields:
            raise SpecError(f'{place}: ' * bool(place)
                            + unknown('key', str(name), fields, f'keys are {", ".join(fields)}'))
        reader: Reader = fields[name].metadata['reader']
        value = reader.read(value, prefix + name)
        if inner and name in inner:
            value = tuple(read_fields(inner[name], each, f'{prefix}{name}[{k}]')
                          for k, each in enumerate(value))
        values[name] = value
    for name, field in fields.items():
        if field.metadata['required'] and name not in values:
            raise SpecError(f'{prefix}{name} is missing; give '
                            f'{field.metadata["reader"].form}: {field.metadata["doc"]}')
    return kind(**values)
