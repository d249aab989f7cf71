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
Untrusted XML, read into a plain tree with line numbers, within limits, without entities.

As tolerant as TinyXML, with which Gazebo reads its files: a comment may contain `--`, a prefix
need not be declared, a bare `&` is a character, and the XML declaration may follow blanks and
comments. Text that is neither UTF-8 nor in the encoding that it declares is read as Latin-1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
import re
from typing import Any, Optional
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.simulation.world import WorldError
from defusedxml import DefusedXmlException, sax

MAX_BYTES = 10_000_000
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64

_BYTE_ORDER_MARKS = (
    (b'\xef\xbb\xbf', 'utf-8-sig'), (b'\xff\xfe', 'utf-16'), (b'\xfe\xff', 'utf-16'))
_ENCODING = re.compile(rb'<\?xml[^>]{0,200}?encoding\s*=\s*["\']([\w.-]{1,40})["\']')
_DECLARATION = re.compile(r'\s*<\?xml\s[^>]*>')
_OPENING = re.compile(r'<!--|<!\[CDATA\[')
_BARE_AMPERSAND = re.compile(r'&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)')


@dataclass
class Node:
    """An XML element; its tag is '{namespace}tag' if it has a prefix, declared or not."""

    tag: str
    attributes: dict[str, str]
    line: int
    file: Path
    text: str = ''
    children: list[Node] = field(default_factory=list)

    def find_all(self, tag: str) -> list[Node]:
        """Return the children with this tag, in order."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Optional[Node]:
        """Return the first child with this tag, or None."""
        return next((child for child in self.children if child.tag == tag), None)

    @property
    def name(self) -> str:
        """Return the printable attribute `name`, or '' if there is none."""
        return printable(self.attributes.get('name', ''), 80)


def read_xml(path: Path) -> Node:
    """
    Read a file and return its root element.

    Document type declarations, and so entities of any kind, are rejected.

    :param path: a regular file of at most MAX_BYTES, MAX_ELEMENTS elements, MAX_DEPTH deep.
    :raises WorldError: with the file, and the line if there is one.
    """
    content = read_bytes(path, MAX_BYTES, WorldError)
    try:
        text = tidied(content)
    except ValueError as error:
        raise WorldError(f'{path}: cannot be decoded ({printable(str(error))})') from None
    parser = sax.make_parser()
    builder = _Builder(path, parser)
    parser.forbid_dtd = True
    parser.setContentHandler(builder)
    try:
        parser.feed(text)
        parser.close()
    except WorldError:
        raise
    except DefusedXmlException:
        raise WorldError(
            f'{path}:{builder.line}: a document type declaration or an entity is not allowed '
            'in a world file; take it out') from None
    except SAXParseException as error:
        raise WorldError(f'{path}:{error.getLineNumber()}: not well-formed XML '
                         f'({printable(error.getMessage())}, column {error.getColumnNumber()})'
                         ) from None
    assert builder.root is not None  # a document without a root element is not well-formed
    return builder.root


def _decoded(content: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return content.decode(encoding)
    # Editors save as UTF-8 under any declaration.
    declared = _ENCODING.search(content[:1000])
    for encoding in ('utf-8', declared[1].decode() if declared else ''):
        try:
            return content.decode(encoding)
        except (LookupError, ValueError):
            continue
    return content.decode('latin-1')


def tidied(content: bytes) -> str:
    """
    Return the text of a file without comments and declaration, with bare ampersands escaped.

    Lines stay the same.

    :raises ValueError: if it cannot be decoded.
    """
    text = _decoded(content)
    parts, done = [], 0
    for opening in _OPENING.finditer(text):
        if opening.start() < done:
            continue
        is_comment = opening[0] == '<!--'
        end = text.find('-->' if is_comment else ']]>', opening.end())
        if end < 0:
            break
        parts.append(_BARE_AMPERSAND.sub('&amp;', text[done:opening.start()]))
        done = end + 3
        inside = text[opening.start():done]
        parts.append('\n' * inside.count('\n') if is_comment else inside)
    parts.append(_BARE_AMPERSAND.sub('&amp;', text[done:]))
    tidy = ''.join(parts)
    declaration = _DECLARATION.match(tidy)
    end = declaration.end() if declaration else 0
    return '\n' * tidy.count('\n', 0, end) + tidy[end:]


class _Builder(ContentHandler):
    """Builds the tree, and limits elements while parsing."""

    def __init__(self, path: Path, locator: Any) -> None:
        super().__init__()
        self.path = path
        self.locator = locator
        self.count = 0
        self.root: Optional[Node] = None
        self.stack: list[Node] = []
        self.texts: list[list[str]] = []
        # The prefix of our own elements is never foreign, so that no start or goal gets lost.
        self.prefixes: list[dict[str, str]] = [{'bug_nav': 'urn:bug_nav'}]

    @property
    def line(self) -> int:
        return self.locator.getLineNumber()

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self._reject(f'more than {MAX_ELEMENTS} elements')
        if len(self.stack) >= MAX_DEPTH:
            self._reject(f'elements nested more than {MAX_DEPTH} deep')
        declared = {key[6:]: value for key, value in attrs.items() if key.startswith('xmlns:')}
        prefixes = {**self.prefixes[-1], **declared} if declared else self.prefixes[-1]
        node = Node(_resolved(name, prefixes), {
            _resolved(key, prefixes): value for key, value in attrs.items()
            if key != 'xmlns' and not key.startswith('xmlns:')}, self.line, self.path)
        if node.tag.startswith('{') and 'xacro' in node.tag.partition('}')[0]:
            self._reject(f'<{printable(name, 60)}> is to be expanded first: run `xacro '
                         f'{self.path.name} > expanded{self.path.suffix}`, and open that')
        if self.stack:
            self.stack[-1].children.append(node)
        else:
            self.root = node
        self.stack.append(node)
        self.texts.append([])
        self.prefixes.append(prefixes)

    def characters(self, content: str) -> None:
        self.texts[-1].append(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        self.stack.pop().text = ''.join(self.texts.pop()).strip()
        self.prefixes.pop()

    def _reject(self, why: str) -> None:
        raise WorldError(f'{self.path}:{self.line}: {why}')


def _resolved(name: str, prefixes: dict[str, str]) -> str:
    """Return a name with its namespace; an undeclared prefix stands for itself."""
    prefix, mark, local = name.rpartition(':')
    return f'{{{prefixes.get(prefix, prefix)}}}{local}' if mark else name
