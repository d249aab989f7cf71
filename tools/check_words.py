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
Find wording that is hard to read in docstrings, comments and documentation pages.

Run `python tools/check_words.py [PATH ...]`; without a path, it checks the project. It prints
file:line for each finding, and exits with code 1 if there is any.
"""

from __future__ import annotations

import ast
import io
from pathlib import Path
import re
import sys
import tokenize
from typing import Iterator, List, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[1]
PATHS = ('bug_nav', 'docs', 'README.md', 'launch', 'params', 'tools')
PHRASES = re.compile(r'\b(so (many|far|long)|whoever|(is|are) told|somebody)\b', re.IGNORECASE)
STATEMENT = re.compile(r'(?:^|(?<=[.!?]\s))Wh(?:at|o)\b(?:[^.!?]|\.(?=\S))*\.(?=\s|$)')
"""A sentence that begins with What or Who and is no question."""
Text = Tuple[int, str]
"""The first line number of a passage, and the passage."""


def passages(path: Path) -> Iterator[Text]:
    """Yield the docstrings and comments of a source file, or the paragraphs of a page."""
    source = path.read_text(encoding='utf-8')
    if path.suffix in ('.md', '.rst'):
        yield from _paragraphs(_without_code(source))
    elif path.suffix == '.py':
        yield from _docstrings(source)
        yield from _comments(source)
    elif path.suffix == '.yaml':
        yield from _paragraphs('\n'.join(
            line.partition('#')[2].strip() if '#' in line else '' for line in source.split('\n')))


def _without_code(page: str) -> str:
    """Return a page with empty lines for blocks of code."""
    return re.sub(r'^( *)(```|~~~).*?^ *\2', lambda block: '\n' * block[0].count('\n'), page,
                  flags=re.MULTILINE | re.DOTALL)


def _paragraphs(text: str, first: int = 1) -> Iterator[Text]:
    for match in re.finditer(r'(?:^[^\n]*\S[^\n]*(?:\n|\Z))+', text, re.MULTILINE):
        yield first + text.count('\n', 0, match.start()), match[0]


def _docstrings(source: str) -> Iterator[Text]:
    """Yield the paragraphs of strings that are statements."""
    for node in ast.walk(ast.parse(source)):
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)):
            yield from _paragraphs(node.value.value, node.lineno)


def _comments(source: str) -> Iterator[Text]:
    """Yield comments, those on consecutive lines together."""
    block: List[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if block and token.start[0] != last + 1:
                yield last - len(block) + 1, '\n'.join(block)
                block = []
            block.append(token.string.lstrip('#!: '))
            last = token.start[0]
    if block:
        yield last - len(block) + 1, '\n'.join(block)


def findings(path: Path) -> Iterator[Tuple[int, str]]:
    """Yield the line number and the wording of each finding in a file."""
    for first, text in passages(path):
        text = '\n'.join(line.strip().strip('*|-').strip() for line in text.split('\n'))
        for pattern in (PHRASES, STATEMENT):
            for match in pattern.finditer(text):
                wording = ' '.join(match[0].split())
                yield first + text.count('\n', 0, match.start()), wording[:60]


def main(arguments: Sequence[str]) -> int:
    """Print the findings in files and folders; return the exit code."""
    count = 0
    for given in arguments or [str(ROOT / name) for name in PATHS]:
        path = Path(given)
        files = sorted(path.rglob('*')) if path.is_dir() else [path]
        for file in files:
            if '_build' in file.parts:
                continue  # the site, which `make docs` makes of the same files
            if file.suffix in ('.md', '.rst', '.py', '.yaml') and file.is_file():
                for line, wording in sorted(findings(file)):
                    print(f'{file}:{line}: {wording!r}: rewrite in plain words')
                    count += 1
    return 1 if count else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
