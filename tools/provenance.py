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

"""Where a result comes from: commit, machine, versions, and the code that it depends on."""

from __future__ import annotations

import ast
import contextlib
import datetime
import functools
import hashlib
import importlib.metadata
import os
from pathlib import Path
import platform
import re
import subprocess
from typing import Any, Dict, Iterator, Sequence

from bug_nav import __version__
from results import ROOT


def _git(*arguments: str) -> str:
    """Return the output of git in this repository; '' without git."""
    done = subprocess.run(['git', *arguments], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip()


@functools.lru_cache(maxsize=None)
def commit() -> str:
    """Return the commit, and whether there are uncommitted changes."""
    changed = _git('status', '--porcelain', '--', 'bug_nav', 'campaigns', 'worlds', 'params',
                   ':(exclude)bug_nav/lab/bench_*.json')  # a result itself
    name = _git('rev-parse', '--short=8', 'HEAD') or 'unknown'
    return f'{name} and changes' if changed else name


def fresh_seed() -> int:
    """Return a seed derived from the commit, for reproducibility; without git, from the date."""
    found = _git('rev-parse', 'HEAD')
    return int(found[:7], 16) if found else datetime.date.today().toordinal()


def machine() -> str:
    """Return processor and interpreter as text."""
    clock = ''
    with contextlib.suppress(OSError):
        rates = re.findall(r'cpu MHz\s*: ([\d.]+)', Path('/proc/cpuinfo').read_text('utf-8'))
        clock = f' of {max(map(float, rates)) / 1000.0:.1f} GHz' if rates else ''
    return (f'{os.cpu_count()} cores{clock}, {platform.machine()}, '
            f'Python {platform.python_version()}')


def versions() -> Dict[str, str]:
    """Return the versions of bug_nav and of the libraries that figures depend on."""
    found = {'bug_nav': __version__}
    for name in ('numpy', 'numba', 'shapely'):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


# ---- the code ----------------------------------------------------------------------------------

def digests(depends: Sequence[str]) -> Dict[str, str]:
    """
    Return a digest of the code in each of some files and folders of this repository.

    Prose in Python files does not count, see `code_of`.
    """
    return {path: digest_of(ROOT / path, ROOT) for path in depends}


@functools.lru_cache(maxsize=None)
def digest_of(path: Path, root: Path) -> str:
    """Return a digest of the code of a file or in a folder of a repository."""
    found = hashlib.sha256()
    for file in _files(path):
        text = file.read_text('utf-8')
        found.update(f'{file.relative_to(root)}\n'.encode())
        found.update((code_of(text) if file.suffix == '.py' else text).encode())
    return found.hexdigest()[:12]


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (file for file in sorted(path.rglob('*'))
                    if file.suffix in ('.py', '.yaml', '.world', '.html', '.js'))
    else:
        yield path


def code_of(text: str) -> str:
    """
    Return the syntax tree of Python source as text, without prose.

    Prose is comments, docstrings, and strings with a space, such as messages: what they say
    changes no figure. The text is the same for all versions of Python that bug_nav runs on.
    """
    return _tree(ast.parse(text))


def _tree(node: Any) -> str:
    if isinstance(node, ast.AST):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        if any(isinstance(part, ast.Constant) and isinstance(part.value, str)
               and ' ' in part.value for part in parts):
            return "''"
        # Empty fields, and those of the newest syntax, differ between versions of Python.
        fields = (f'{name}={_tree(value)}' for name, value in ast.iter_fields(node)
                  if value is not None and value != [] and name not in ('kind', 'type_comment'))
        return f'{type(node).__name__}({", ".join(fields)})'
    if isinstance(node, list):
        return f'[{", ".join(_tree(each) for each in node if not _is_docstring(each))}]'
    return repr(node)


def _is_docstring(node: Any) -> bool:
    return (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str))
