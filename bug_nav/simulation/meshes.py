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
Read the triangles of mesh files: STL, COLLADA and OBJ, as Gazebo reads them.

trimesh parses STL as text, and pycollada COLLADA. The files are untrusted: limits and checks are
here. The unit of a COLLADA file scales it, and its up axis has no effect, as in Gazebo.

Source: ColladaLoader.cc of gazebosim/gazebo-classic and gazebosim/gz-common.
"""

from __future__ import annotations

import io
import logging
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple
import warnings
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.simulation.obj_file import read_obj
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import tidied
from defusedxml import DefusedXmlException, sax
import numpy as np

MAX_BYTES = 200_000_000
MAX_TRIANGLES = 5_000_000
MAX_NODES = 100_000
"""Maximum number of nodes of a COLLADA scene, instances included."""
MAX_DEPTH = 64

_STL_TRIANGLE = np.dtype([('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('attribute', '<u2')])

# Parts of a COLLADA file.
_LIBRARIES = ('library_controllers', 'library_geometries', 'library_nodes',
              'library_visual_scenes')
_SHAPELESS = ('bind_material', 'extra', 'instance_camera', 'instance_light')

MISSING = ('a mesh needs the Python packages trimesh, pycollada and shapely; run pip install '
           "'bug_nav[mesh]', or pip install trimesh pycollada 'shapely>=2'")

# Without a handler, trimesh's warnings of damaged files are printed with their tracebacks.
logging.getLogger('trimesh').addHandler(logging.NullHandler())


class DamagedMesh(ValueError):
    """A mesh cannot be used; the message says why."""


def load_mesh(path: Path) -> Dict[str, np.ndarray]:
    """
    Read a mesh file.

    :return: the triangles of each part by its name, (n, 3, 3) [m], in the frame of the mesh.
    :raises WorldError: with the file.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise WorldError(f"{path}: a mesh with the ending '{printable(ending, 20)}' cannot be "
                         f'read; convert it to {", ".join(ENDINGS)}')
    content = read_bytes(path, MAX_BYTES, WorldError)
    try:
        # Parsers warn of oddities, and numpy of numbers that are not finite.
        with warnings.catch_warnings(), np.errstate(all='ignore'):
            warnings.simplefilter('ignore')
            pairs = list(_READERS[ending](content))
    except DamagedMesh as error:
        raise WorldError(f'{path}: {error}') from None
    except (DefusedXmlException, RecursionError):
        raise WorldError(f'{path}: damaged mesh (entities, or nested too deeply)') from None
    except MemoryError:
        raise WorldError(f'{path}: the mesh does not fit into memory') from None
    # A parser of others may fail in any way on a damaged file.
    except Exception as error:
        if isinstance(error, ImportError) and error.name in ('trimesh', 'collada'):
            raise WorldError(f'{path}: {MISSING} ({error})') from None
        # Other missing packages are those with which trimesh tries to read what is no mesh.
        why = printable(f'{type(error).__name__}: {error}', 120)
        raise WorldError(f'{path}: damaged mesh ({why})') from None
    return _checked(path, pairs)


def _checked(path: Path, pairs: List[Tuple[str, np.ndarray]]) -> Dict[str, np.ndarray]:
    parts: Dict[str, List[np.ndarray]] = {}
    for name, triangles in pairs:
        if not np.isfinite(triangles).all():
            raise WorldError(f'{path}: damaged mesh (a coordinate is not finite)')
        if len(triangles):
            parts.setdefault(name, []).append(triangles)
    if not parts:
        # Parsers skip what they do not know.
        raise WorldError(f'{path}: the mesh has no triangles')
    return {name: np.concatenate(some) for name, some in parts.items()}


def _stl(content: bytes) -> Iterator[Tuple[str, np.ndarray]]:
    announced = int.from_bytes(content[80:84], 'little')
    there = max(0, len(content) - 84) // _STL_TRIANGLE.itemsize
    # A text that begins like a binary file would announce more than it can contain.
    if announced <= there:
        if announced > MAX_TRIANGLES:
            raise DamagedMesh(f'more than {MAX_TRIANGLES} triangles')
        end = 84 + announced * _STL_TRIANGLE.itemsize
        yield '', np.frombuffer(content[84:end], _STL_TRIANGLE)['corners'].astype(float)
    elif content.lstrip()[:5].lower() == b'solid':
        yield from _stl_text(content)
    else:
        raise DamagedMesh(f'damaged mesh ({announced} triangles are announced, {there} are there)')


def _stl_text(content: bytes) -> Iterator[Tuple[str, np.ndarray]]:
    import trimesh
    loaded: Any = trimesh.load(io.BytesIO(content), file_type='stl_ascii', process=False)
    named = loaded.geometry if hasattr(loaded, 'geometry') else {'': loaded}
    for name, mesh in named.items():
        yield name, _triangles(mesh.vertices, mesh.faces, np.full(len(mesh.faces), 3))


def _obj(content: bytes) -> Iterator[Tuple[str, np.ndarray]]:
    vertices, groups = read_obj(content)
    for name, group in groups.items():
        yield name, _triangles(vertices, group.indices, group.counts)


def _collada(content: bytes) -> Iterator[Tuple[str, np.ndarray]]:
    import collada
    shapes = _Shapes()
    sax.parseString(tidied(content).encode(), shapes, forbid_dtd=True)
    document = collada.Collada(io.BytesIO(shapes.content.getvalue()), ignore=[
        collada.common.DaeUnsupportedError])
    for error in document.errors:
        if 'geometry' in str(error).lower():
            raise DamagedMesh(f'damaged mesh ({printable(str(error), 120)})')
    unit = document.assetInfo.unitmeter or 1.0
    total = 0
    for geometry, matrix, name in _placed_geometries(document):
        for primitive in getattr(geometry, 'primitives', ()):
            triangles = _of_primitive(primitive)
            total += len(triangles)
            if total > MAX_TRIANGLES:
                raise DamagedMesh(f'more than {MAX_TRIANGLES} triangles')
            yield name, unit * (triangles @ matrix[:3, :3].T + matrix[:3, 3])


def _placed_geometries(document: Any) -> Iterator[Tuple[Any, np.ndarray, str]]:
    """Yield the geometries of a scene, each with its 4x4 transform and the name of its node."""
    from collada.scene import Node
    visited = 0
    todo: List[Tuple[Any, np.ndarray, str, int]] = [
        (node, np.eye(4), '', 0) for node in (document.scene.nodes if document.scene else ())]
    while todo:
        node, matrix, name, depth = todo.pop()
        visited += 1
        if visited > MAX_NODES or depth > MAX_DEPTH:
            raise DamagedMesh(f'the scene has more than {MAX_NODES} nodes, or is nested more than '
                              f'{MAX_DEPTH} deep')
        if isinstance(node, Node):
            inner = matrix @ node.matrix
            todo += [(child, inner, _name_of(node) or name, depth + 1) for child in node.children]
        else:
            # A skin is where its geometry is.
            yield getattr(getattr(node, 'controller', node), 'geometry', None), matrix, name


def _of_primitive(primitive: Any) -> np.ndarray:
    """Return the triangles of a primitive of COLLADA; lines have none."""
    from collada.polylist import Polylist
    from collada.triangleset import TriangleSet
    if not isinstance(primitive, (Polylist, TriangleSet)) or primitive.vertex is None:
        return np.empty((0, 3, 3))
    _check_positions(primitive)
    counts = (primitive.vcounts if isinstance(primitive, Polylist)
              else np.full(len(primitive.vertex_index), 3))
    return _triangles(primitive.vertex, primitive.vertex_index, counts)


def _check_positions(primitive: Any) -> None:
    """Reject positions that are not numbers, which pycollada replaces by 0."""
    for _, _, _, _, source in primitive.sources.get('VERTEX', ()):
        if 'nan' in ''.join(source.xmlnode.itertext()).lower():
            raise DamagedMesh('damaged mesh (a coordinate is not finite)')


class _Shapes(XMLGenerator):
    """
    Writes the elements of a COLLADA file that define shapes.

    pycollada loses geometries with the materials that it cannot read, and would expand entities
    and reserve memory for any number of corners of polygons.
    """

    def __init__(self) -> None:
        self.content = io.BytesIO()
        super().__init__(self.content, 'utf-8')
        self.skipped = 0
        """Number of elements around the present place, from one without shapes."""
        self.texts: Optional[List[str]] = None
        self.total = 0

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        local = name.rpartition(':')[2]
        if self.skipped or local in _SHAPELESS or (
                local.startswith('library_') and local not in _LIBRARIES):
            self.skipped += 1
            return
        if local == 'vcount':
            self.texts = []
        attributes = dict(attrs)
        if name == 'COLLADA':
            attributes.setdefault('xmlns', 'http://www.collada.org/2005/11/COLLADASchema')
        super().startElement(name, AttributesImpl(attributes))

    def characters(self, content: str) -> None:
        if self.texts is not None:
            self.texts.append(content)
        if not self.skipped:
            super().characters(content)

    def endElement(self, name: str) -> None:  # noqa: N802
        if self.skipped:
            self.skipped -= 1
            return
        super().endElement(name)
        if self.texts is not None:
            counts, self.texts = ''.join(self.texts).split(), None
            self.count(counts)

    def count(self, counts: List[str]) -> None:
        """Reject more corners of polygons than triangles are allowed."""
        if max(map(len, counts), default=0) < 10:
            self.total += sum(map(int, counts))
            if self.total <= 3 * MAX_TRIANGLES:
                return
        raise DamagedMesh(f'more than {MAX_TRIANGLES} triangles')


def _name_of(node: Any) -> str:
    xml = getattr(node, 'xmlnode', None)
    return (xml.get('name') if xml is not None else None) or getattr(node, 'id', None) or ''


def _triangles(vertices: Any, indices: Any, counts: Any) -> np.ndarray:
    """Return the triangles of polygons with these numbers of corners, (n, 3, 3)."""
    # Its kernels are compiled for meshes only, and not before a robot drives.
    from bug_nav.simulation.triangulation import triangulated
    corners, indices, counts = np.asarray(vertices, float), np.ravel(indices), np.asarray(counts)
    if len(indices) - 2 * len(counts) > MAX_TRIANGLES:
        raise DamagedMesh(f'more than {MAX_TRIANGLES} triangles')
    if not len(indices):
        return np.empty((0, 3, 3))
    if corners.ndim != 2 or corners.shape[1] != 3:
        raise DamagedMesh('damaged mesh (corners need x, y and z)')
    if counts.min() < 0:
        raise DamagedMesh(f'damaged mesh (a polygon has {int(counts.min())} corners)')
    if indices.min() < 0 or indices.max() >= len(corners):
        raise DamagedMesh(f'a polygon has the corner {int(indices.max())} of {len(corners)}')
    return triangulated(corners[indices], counts)


_READERS: Dict[str, Callable[[bytes], Iterator[Tuple[str, np.ndarray]]]] = {
    '.stl': _stl, '.dae': _collada, '.obj': _obj}
ENDINGS = tuple(_READERS)
