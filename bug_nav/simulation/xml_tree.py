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

"""Untrusted XML, read into a plain tree with line numbers, within limits, without entities."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from bug_nav.simulation.untrusted_files import printable, read_bytes
from bug_nav.simulation.world import WorldError
from defusedxml import DefusedXmlException
from defusedxml.ElementTree import XMLParser

MAX_BYTES = 10_000_000
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64


@dataclass
class Node:
    """An XML element; its tag is '{namespace}tag' if it has a namespace."""

    tag: str
    attributes: dict[str, str]
    line: int
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
    text = read_bytes(path, MAX_BYTES)
    builder = _Builder(path)
    parser = XMLParser(target=builder, forbid_dtd=True)
    # The expat parser has the line number; defusedxml uses the same attribute.
    builder.expat = parser.parser
    try:
        parser.feed(text)
        return parser.close()
    except WorldError:
        raise
    except DefusedXmlException:
        raise WorldError(
            f'{path}:{builder.line}: a document type declaration or an entity is not allowed '
            'in a world file') from None
    except SyntaxError as error:
        # ParseError of both implementations is a SyntaxError.
        raise WorldError(f'{path}:{builder.line}: not well-formed XML '
                         f'({printable(str(error))})') from None
    except (LookupError, ValueError) as error:
        raise WorldError(f'{path}: cannot be decoded ({printable(str(error))})') from None


class _Builder:
    """Target of the parser: builds the tree, and limits elements while parsing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.expat: Any = None
        self.count = 0
        self.root: Optional[Node] = None
        self.stack: list[Node] = []
        self.texts: list[list[str]] = []

    @property
    def line(self) -> int:
        return self.expat.CurrentLineNumber

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, dict(attributes), self.line)
        self.count += 1
        if self.count > MAX_ELEMENTS:
            self._reject(f'more than {MAX_ELEMENTS} elements')
        if len(self.stack) >= MAX_DEPTH:
            self._reject(f'elements nested more than {MAX_DEPTH} deep')
        if self.stack:
            self.stack[-1].children.append(node)
        else:
            self.root = node
        self.stack.append(node)
        self.texts.append([])

    def data(self, text: str) -> None:
        self.texts[-1].append(text)

    def end(self, tag: str) -> None:
        self.stack.pop().text = ''.join(self.texts.pop()).strip()

    def close(self) -> Optional[Node]:
        return self.root

    def _reject(self, why: str) -> None:
        raise WorldError(f'{self.path}:{self.line}: {why}')
