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
Occupancy maps of map_server (a yaml file and its image) as worlds.

Pixels are interpreted as in Nav2's map_server: the mean of its channels is the shade of a pixel,
`negate` inverts it, `mode` defines how it becomes an occupancy. In every mode, a cell is solid if
its occupancy is above `occupied_thresh`, free below `free_thresh`, and unknown in between.

**Unknown cells are free**, unless `map.yaml?unknown=solid` is given. Maps are usually unknown
outside their walls and inside closed obstacles, where this makes no difference. In an unfinished
map it does: if unknown cells are free, the robot can leave through openings; if they are solid,
the edge of the known area is a wall. Cells beyond the image are free.

Source: nav2_map_server (github.com/ros-planning/navigation2, branch humble), README and map_io.
"""

from __future__ import annotations

import io
import itertools
import math
import os
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union
import warnings

from bug_nav.files.paths import IMAGES, MAX_FILES
from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.navigation.names import nearest
from bug_nav.simulation.map_file import FREE_THRESH, OCCUPIED_THRESH, SHADE_OF_UNKNOWN
from bug_nav.simulation.pgm import header_of, is_pgm, read_pgm
from bug_nav.simulation.polygonize import polygonize
from bug_nav.simulation.world import World, WorldError
import numpy as np
from PIL import Image, UnidentifiedImageError
import yaml

MAX_SIDE = 4096
"""Maximum number of rows and columns of an image."""
MAX_IMAGE_BYTES = 100_000_000
MAX_YAML_BYTES = 100_000
MAX_CORNERS = 1_000_000
"""Maximum number of corners of a world; more indicate noise or a photograph."""
UNKNOWN = ('free', 'solid')
"""Interpretations of unknown cells."""

_YES, _NO = (1, '1', 'true'), (0, '0', 'false')
_MODES = ('trinary', 'scale', 'raw')
_FORMATS = ('PNG', 'BMP', 'PPM', 'JPEG')
_NAMES = 'pgm, ppm, png, bmp or jpg'
_MAX_RESOLUTION = 100.0
_MAX_COORDINATE = 1e5


class _Map(NamedTuple):
    """Content of the yaml file."""

    image: Path
    resolution: float
    origin: Tuple[float, float, float]
    negate: bool
    occupied: float
    free: float
    mode: str


def load_map(path: Union[str, Path], unknown: str = 'free', image: str = '') -> World:
    """
    Read an occupancy map.

    :param path: path of the yaml file.
    :param unknown: interpretation of unknown cells, one of UNKNOWN.
    :param image: name of a file in its folder that replaces the image of the yaml file.
    :return: the world, named after the file, without a start or a goal. Its solids follow the
        cells to a thousandth of their size; solids that touch at a corner are connected.
    :raises WorldError: with the file and the field.
    """
    path = Path(path)
    if unknown not in UNKNOWN:
        raise WorldError(f"{path}: unknown is '{printable(unknown, 60)}'; give free or solid")
    given = _Fields(path).read()
    if image:
        given = given._replace(image=path.parent / Path(image).name)
    if not os.path.exists(given.image):  # False for a name that is too long
        raise WorldError(f'{path}: the image {given.image} does not exist'
                         f'{_other_image(path, given.image)}')
    return _world(path, given, unknown)


def _other_image(path: Path, missing: Path) -> str:
    """Return a clause that suggests an image beside a map's yaml file; '' if there is none."""
    beside = sorted(each.name for each in itertools.islice(path.parent.iterdir(), MAX_FILES)
                    if each.suffix.lower() in IMAGES)
    same = [name for name in beside if name.lower() == missing.name.lower()]
    alike = [*same, *nearest(missing.name, beside), *(
        name for name in beside if Path(name).stem in (missing.stem, path.stem)), *beside[:1]]
    if not alike:
        return ''
    return (f'; {alike[0]} is beside it: give {path.name}?image={alike[0]}, or write it into the '
            "field 'image'")


def load_image(path: Union[str, Path], resolution: str) -> World:
    """
    Read an image without a yaml file, with the defaults of map_saver.

    The lower left corner is the origin. Pixels darker than a third of white are solid.

    :param resolution: side of a pixel [m], as text.
    :raises WorldError: with the file.
    """
    path = Path(path)
    try:
        cell = float(resolution)
    except ValueError:
        cell = math.nan
    if not 0.0 < cell <= _MAX_RESOLUTION:
        raise WorldError(f"{path}: resolution is '{printable(resolution, 60)}'; give metres for a "
                         f'pixel, above 0 and up to {_MAX_RESOLUTION:g}')
    given = _Map(path, cell, (0.0, 0.0, 0.0), False, OCCUPIED_THRESH, FREE_THRESH, 'trinary')
    return _world(path, given, 'free')


def _world(path: Path, given: _Map, unknown: str) -> World:
    solid, notes = _solid(given, unknown == 'solid')
    # The first row of an image is the farthest from the origin.
    polygons = polygonize(solid[::-1])
    corners = sum(map(len, polygons))
    if corners > MAX_CORNERS:
        raise WorldError(f'{given.image}: the solid cells have {corners} corners; up to '
                         f'{MAX_CORNERS} are allowed, so take a map with fewer stray cells')
    world = World(path.stem, tuple(given.resolution * polygon for polygon in polygons),
                  notes=notes)
    return world.transformed(*given.origin)


class _Fields:
    """Reads and checks the fields of the yaml file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = read_bytes(path, MAX_YAML_BYTES, WorldError)
        try:
            content = yaml.safe_load(text)
            keys = _keys(yaml.compose(text, yaml.SafeLoader))
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            line = f':{mark.line + 1}' if mark else ''
            what = getattr(error, 'problem', None) or 'a character that is not allowed'
            raise WorldError(f'{path}{line}: not well-formed YAML ({printable(what)})') from None
        except (ValueError, RecursionError) as error:
            raise WorldError(f'{path}: cannot be read ({printable(str(error))})') from None
        if not isinstance(content, dict):
            raise WorldError(f'{path}: not a map of map_server, which has fields such as '
                             'image: map.pgm')
        for key in keys:
            if keys.count(key) > 1:
                raise WorldError(f"{path}: the field '{printable(key, 60)}' is there twice; keep "
                                 'one of them')
        self.content: Dict[Any, Any] = content

    def read(self) -> _Map:
        """Return the map; unknown fields are ignored, as in map_server."""
        image = self.get('image')
        if not isinstance(image, str) or not image:
            raise self.error('image', image, f'the name of a {_NAMES} file')
        occupied, free = (self.number(field, 0.0, 1.0)
                          for field in ('occupied_thresh', 'free_thresh'))
        if free > occupied:
            raise self.error('free_thresh', free, f'at most occupied_thresh, {occupied:g}')
        negate = self.get('negate')
        if negate not in (*_YES, *_NO):
            raise self.error('negate', negate, '0 or 1')
        mode = self.content.get('mode', 'trinary')
        if mode not in _MODES:
            raise self.error('mode', mode, 'trinary, scale or raw')
        resolution = self.number('resolution', 0.0, _MAX_RESOLUTION)
        if resolution == 0.0:
            raise self.error('resolution', resolution, 'metres for a cell, above 0')
        # An absolute path stays absolute.
        return _Map(self.path.parent / image, resolution, self.origin(),
                    negate in _YES, occupied, free, mode)

    def origin(self) -> Tuple[float, float, float]:
        origin = self.get('origin')
        if isinstance(origin, list) and len(origin) != 3:
            count = f'{len(origin)} value{"" if len(origin) == 1 else "s"}'
            raise WorldError(f'{self.path}: origin has {count}; give x, y and yaw')
        if not isinstance(origin, list):
            raise self.error('origin', origin, 'x, y and yaw')
        x, y, yaw = (self.check('origin', value, -_MAX_COORDINATE, _MAX_COORDINATE)
                     for value in origin)
        return x, y, yaw

    def number(self, field: str, low: float, high: float) -> float:
        return self.check(field, self.get(field), low, high)

    def check(self, field: str, value: Any, low: float, high: float) -> float:
        try:
            # YAML 1.1 reads 5e-2 as a string, map_server as a number.
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not low <= number <= high:
            raise self.error(field, value, f'a number from {low:g} to {high:g}')
        return number

    def get(self, field: str) -> Any:
        if field not in self.content:
            raise WorldError(f"{self.path}: the field '{field}' is missing")
        return self.content[field]

    def error(self, field: str, value: Any, allowed: str) -> WorldError:
        # An untrusted collection may be too long to print.
        shown = ('empty' if value is None else
                 f"'{printable(str(value), 60)}'" if isinstance(value, (str, bool, int, float))
                 else f'a {type(value).__name__}')
        return WorldError(f'{self.path}: {field} is {shown}; give {allowed}')


def _keys(root: Any) -> List[str]:
    """Return the keys of a YAML document, with those that are repeated."""
    if not isinstance(root, yaml.MappingNode):
        return []
    return [key.value for key, _ in root.value if isinstance(key, yaml.ScalarNode)]


def _solid(given: _Map, unknown: bool) -> Tuple[np.ndarray, Tuple[str, ...]]:
    """Return which pixels are solid, and notes; ``unknown``: whether unknown ones are."""
    values, largest, opaque = _pixels(given.image)
    if given.mode == 'trinary' and opaque is not None:
        # As in map_server, the alpha channel counts as one more channel.
        values = np.dstack((values, opaque))
    total = values.sum(axis=2, dtype=np.int32)
    # A table of all possible sums is smaller than the image.
    shades = np.arange(largest * values.shape[2] + 1) / (largest * values.shape[2])
    occupancy = shades if given.negate else 1.0 - shades
    if given.mode == 'raw':
        occupancy = np.round(255.0 * shades) / 100.0
        occupancy[occupancy > 1.0] = np.nan
    # Rounded, so that 0.65 equals 65 of 100.
    occupied = np.round(occupancy - given.occupied, 9) > 0.0
    free = np.round(occupancy - given.free, 9) < 0.0
    notes: Tuple[str, ...] = ()
    if unknown:
        # map_saver writes unknown cells in this shade, but map_server reads it as free with the
        # free_thresh that map_saver writes. A JPEG or another maximum value changes it a little.
        offset = np.abs(255.0 * shades - SHADE_OF_UNKNOWN)
        saved = free & free[offset.argmin()] & (offset < 2.5)
        if saved[total].any():
            notes = (f'free_thresh {given.free:g} makes cells of the shade {SHADE_OF_UNKNOWN} '
                     "free, which is map_saver's for unknown cells, so unknown=solid makes them "
                     'solid',)
        elif not (~free & ~occupied)[total].any():
            notes = ('no cell of the map is unknown, so unknown=solid changes nothing',)
        free &= ~saved
    solid = (~free if unknown else occupied)[total]
    if given.mode == 'scale' and opaque is not None:
        solid[opaque < largest] = unknown
    if not solid.any():
        notes += (f'no cell of the map is solid: none is above occupied_thresh {given.occupied:g} '
                  f'in mode {given.mode}',)
    return solid, notes


def _pixels(path: Path) -> Tuple[np.ndarray, int, Optional[np.ndarray]]:
    """Return the channels (rows, columns, n), the maximum value, and the alpha channel or None."""
    content = read_bytes(path, MAX_IMAGE_BYTES, WorldError)
    try:
        if is_pgm(content):
            _check_size(path, *header_of(content)[:2])
            values, largest = read_pgm(content)
            return values[:, :, None], largest, None
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # of odd images that can still be read
            warnings.simplefilter('error', Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                _check_size(path, *image.size)
                return _channels(image)
    except WorldError:
        raise
    except UnidentifiedImageError:
        raise WorldError(f'{path}: not a {_NAMES} image') from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise WorldError(f'{path}: more than {MAX_SIDE} x {MAX_SIDE} pixels') from None
    except (OSError, ValueError, SyntaxError) as error:
        raise WorldError(f'{path}: damaged image ({printable(str(error))})') from None


def _check_size(path: Path, columns: int, rows: int) -> None:
    if max(columns, rows) > MAX_SIDE:
        raise WorldError(f'{path}: {columns} x {rows} pixels; up to {MAX_SIDE} x {MAX_SIDE} are '
                         'allowed')


def _channels(image: Image.Image) -> Tuple[np.ndarray, int, Optional[np.ndarray]]:
    if image.mode.startswith('I'):
        # 16 bits per pixel, in any byte order.
        return np.asarray(image).astype(np.int64)[:, :, None], 65535, None
    image.load()  # transparency may follow the pixel data
    transparent = 'transparency' in image.info or image.mode in ('LA', 'PA', 'RGBA')
    if transparent:
        pixels = np.asarray(image.convert('RGBA'))
        return pixels[:, :, :3], 255, pixels[:, :, 3]
    if image.mode in ('1', 'L'):
        return np.asarray(image.convert('L'))[:, :, None], 255, None
    return np.asarray(image.convert('RGB')), 255, None
