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

"""Run the notebooks of docs/ and store their outputs, as a notebook server would."""

from __future__ import annotations

from pathlib import Path
import sys
import tempfile
from typing import List

from nbclient import NotebookClient
import nbformat

DOCS = Path(__file__).resolve().parent.parent / 'docs'
NOTEBOOKS = (DOCS / 'tutorial.ipynb', DOCS / 'course' / 'exercises.ipynb')


def executed(notebook: Path, folder: Path) -> nbformat.NotebookNode:
    """Return a notebook with its outputs after a run in a folder; may raise CellExecutionError."""
    node = nbformat.read(notebook, as_version=4)
    # Times of day would differ in every run.
    NotebookClient(node, timeout=None, record_timing=False,
                   resources={'metadata': {'path': str(folder)}}).execute()
    for cell in node.cells:
        if cell.cell_type == 'code':
            cell.outputs = joined(cell.outputs)
    return node


def joined(outputs: List[nbformat.NotebookNode]) -> List[nbformat.NotebookNode]:
    """Return the outputs of a cell without stderr, with stdout in one piece."""
    kept: List[nbformat.NotebookNode] = []
    for output in outputs:
        name = output.get('name')
        # Progress goes to stderr; how stdout is split depends on timing.
        if name == 'stdout' and kept and kept[-1].get('name') == name:
            kept[-1].text += output.text
        elif name != 'stderr':
            kept.append(output)
    return kept


def main() -> int:
    """Write the notebooks."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            node = executed(path, Path(folder))
        node.metadata.language_info = {'name': 'python'}
        nbformat.write(node, path)
    return 0


if __name__ == '__main__':
    sys.exit(main())
