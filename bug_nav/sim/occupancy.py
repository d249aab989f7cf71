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

What a pixel means is what Nav2's map_server makes of it: the mean of its channels is its shade,
`negate` turns that round, `mode` says how it becomes an occupancy. A cell is solid where its
occupancy is above `occupied_thresh`, free below `free_thresh`, and unknown between, in every mode.

**Unknown cells are free**, unless one asks for `map.yaml?unknown=solid`: nobody has seen them, so
no lidar has found anything there. Maps are unknown outside their walls and inside closed
obstacles, where it makes no difference. It makes one where a map is not finished: free, the robot
can leave through what is open; solid, the edge of what is known is a wall. What is beyond the
image is free.

Source: nav2_map_server (github.com/ros-planning/navigation2, branch humble), README and map_io.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union
import warnings

from bug_nav.sim.bounded_files import plain, read_bytes
from bug_nav.sim.map_file import FREE_THRESH, OCCUPIED_THRESH
from bug_nav.sim.outlines import outlines
from bug_nav.sim.pgm import header_of, is_pgm, read_pgm
from bug_nav.sim.world import World, WorldError
import numpy as np
from PIL import Image, UnidentifiedImageError
import yaml

MAX_SIDE = 4096
"""An image may have so many rows and columns."""
MAX_IMAGE_BYTES = 100_000_000
MAX_YAML_BYTES = 100_000
MAX_CORNERS = 1_000_000
"""A world may have so many corners; more is noise, or a photograph."""
UNKNOWN = ('free', 'solid')
"""What unknown cells may be taken for."""

_MODES = ('trinary', 'scale', 'raw')
_FORMATS = ('PNG', 'BMP')
_LARGEST_RESOLUTION = 100.0
_FARTHEST = 1e5


class _Map(NamedTuple):
    """What the yaml file says."""

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

    :param path: of the yaml file.
    :param unknown: one of UNKNOWN, what unknown cells are taken for.
    :param image: the name of a file beside it, in the place of the image that it names.
    :return: the world, named after the file, without a start or a goal. Its solids follow the
        cells to a thousandth of their size; where two touch at a corner, they are connected.
    :raises WorldError: one sentence that names the file and the field.
    """
    path = Path(path)
    if unknown not in UNKNOWN:
        raise WorldError(f"{path}: unknown is '{plain(unknown, 60)}'; give free or solid")
    given = _Fields(path).read()
    if image:
        given = given._replace(image=path.parent / Path(image).name)
    return _world(path, given, unknown)


def load_image(path: Union[str, Path], resolution: str) -> World:
    """
    Read an image alone, as `load_map` does with the defaults of map_saver.

    Its lower left corner is the origin, and what is darker than a third of white is solid.

    :param resolution: the side of a pixel [m], as it was typed.
    :raises WorldError: one sentence that names the file.
    """
    path = Path(path)
    try:
        cell = float(resolution)
    except ValueError:
        cell = math.nan
    if not 0.0 < cell <= _LARGEST_RESOLUTION:
        raise WorldError(f"{path}: resolution is '{plain(resolution, 60)}'; give metres for a "
                         f'pixel, above 0 and up to {_LARGEST_RESOLUTION:g}')
    given = _Map(path, cell, (0.0, 0.0, 0.0), False, OCCUPIED_THRESH, FREE_THRESH, 'trinary')
    return _world(path, given, 'free')


def _world(path: Path, given: _Map, unknown: str) -> World:
    solid = _solid(given, unknown == 'solid')
    # The first row of an image is the farthest from the origin.
    polygons = outlines(solid[::-1])
    corners = sum(map(len, polygons))
    if corners > MAX_CORNERS:
        raise WorldError(f'{given.image}: the solid cells have {corners} corners; up to '
                         f'{MAX_CORNERS} are allowed, so take a map with fewer stray cells')
    world = World(path.stem, tuple(given.resolution * polygon for polygon in polygons))
    return world.transformed(*given.origin)


class _Fields:
    """The fields of the yaml file; each is checked, and named where it is wrong."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = read_bytes(path, MAX_YAML_BYTES)
        try:
            content = yaml.safe_load(text)
        except yaml.YAMLError as error:
            mark = getattr(error, 'problem_mark', None)
            line = f':{mark.line + 1}' if mark else ''
            what = getattr(error, 'problem', None) or 'a character that is not allowed'
            raise WorldError(f'{path}{line}: not well-formed YAML ({plain(what)})') from None
        except (ValueError, RecursionError) as error:
            raise WorldError(f'{path}: cannot be read ({plain(str(error))})') from None
        if not isinstance(content, dict):
            raise WorldError(f'{path}: not a map of map_server, which has fields such as '
                             'image: map.pgm')
        self.content: Dict[Any, Any] = content

    def read(self) -> _Map:
        """Return the map; what map_server does not know is skipped, as it does."""
        image = self.get('image')
        if not isinstance(image, str) or not image:
            raise self.error('image', image, 'the name of a .pgm, .png or .bmp file')
        occupied, free = (self.number(field, 0.0, 1.0)
                          for field in ('occupied_thresh', 'free_thresh'))
        if free > occupied:
            raise self.error('free_thresh', free, f'at most occupied_thresh, {occupied:g}')
        negate = self.get('negate')
        if negate not in (0, 1):
            raise self.error('negate', negate, '0 or 1')
        mode = self.content.get('mode', 'trinary')
        if mode not in _MODES:
            raise self.error('mode', mode, 'trinary, scale or raw')
        resolution = self.number('resolution', 0.0, _LARGEST_RESOLUTION)
        if resolution == 0.0:
            raise self.error('resolution', resolution, 'metres for a cell, above 0')
        # An absolute name stays what it is.
        return _Map(self.path.parent / image, resolution, self.origin(),
                    bool(negate), occupied, free, mode)

    def origin(self) -> Tuple[float, float, float]:
        origin = self.get('origin')
        if not isinstance(origin, list) or len(origin) != 3:
            raise self.error('origin', origin, 'x, y and yaw')
        x, y, yaw = (self.check('origin', value, -_FARTHEST, _FARTHEST) for value in origin)
        return x, y, yaw

    def number(self, field: str, low: float, high: float) -> float:
        return self.check(field, self.get(field), low, high)

    def check(self, field: str, value: Any, low: float, high: float) -> float:
        try:
            # YAML 1.1 takes 5e-2 for a text, map_server for a number.
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
        # A collection from a stranger may be too long to be printed.
        shown = (f"'{plain(str(value), 60)}'" if isinstance(value, (str, bool, int, float))
                 else f'a {type(value).__name__}')
        return WorldError(f'{self.path}: {field} is {shown}; give {allowed}')


def _solid(given: _Map, unknown: bool) -> np.ndarray:
    """Return which pixels are solid; those that nobody knows about are if ``unknown``."""
    values, largest, opaque = _pixels(given.image)
    if given.mode == 'trinary' and opaque is not None:
        # As map_server does: how opaque a pixel is counts as a channel of its own.
        values = np.dstack((values, opaque))
    total = values.sum(axis=2, dtype=np.int32)
    # There are fewer sums than pixels.
    shades = np.arange(largest * values.shape[2] + 1) / (largest * values.shape[2])
    occupancy = shades if given.negate else 1.0 - shades
    if given.mode == 'raw':
        occupancy = np.round(255.0 * shades) / 100.0
        occupancy[occupancy > 1.0] = np.nan
    # Rounded, or 0.65 would not be 65 of 100.
    occupied = np.round(occupancy - given.occupied, 9) > 0.0
    free = np.round(occupancy - given.free, 9) < 0.0
    solid = (~free if unknown else occupied)[total]
    if given.mode == 'scale' and opaque is not None:
        solid[opaque < largest] = unknown
    return solid


def _pixels(path: Path) -> Tuple[np.ndarray, int, Optional[np.ndarray]]:
    """Return the channels (rows, columns, n), the largest value, and the opacity or None."""
    content = read_bytes(path, MAX_IMAGE_BYTES)
    try:
        if is_pgm(content):
            _check_size(path, *header_of(content)[:2])
            values, largest = read_pgm(content)
            return values[:, :, None], largest, None
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')  # of an image that is odd, and is read all the same
            warnings.simplefilter('error', Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=_FORMATS) as image:
                _check_size(path, *image.size)
                return _channels(image)
    except WorldError:
        raise
    except UnidentifiedImageError:
        raise WorldError(f'{path}: not a pgm, png or bmp image') from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise WorldError(f'{path}: more than {MAX_SIDE} x {MAX_SIDE} pixels') from None
    except (OSError, ValueError, SyntaxError) as error:
        raise WorldError(f'{path}: damaged image ({plain(str(error))})') from None


def _check_size(path: Path, columns: int, rows: int) -> None:
    if max(columns, rows) > MAX_SIDE:
        raise WorldError(f'{path}: {columns} x {rows} pixels; up to {MAX_SIDE} x {MAX_SIDE} are '
                         'allowed')


def _channels(image: Image.Image) -> Tuple[np.ndarray, int, Optional[np.ndarray]]:
    if image.mode.startswith('I'):
        # 16 bits a pixel, in whatever order of bytes.
        return np.asarray(image).astype(np.int64)[:, :, None], 65535, None
    image.load()  # what is transparent may stand behind the pixels
    transparent = 'transparency' in image.info or image.mode in ('LA', 'PA', 'RGBA')
    if transparent:
        pixels = np.asarray(image.convert('RGBA'))
        return pixels[:, :, :3], 255, pixels[:, :, 3]
    if image.mode in ('1', 'L'):
        return np.asarray(image.convert('L'))[:, :, None], 255, None
    return np.asarray(image.convert('RGB')), 255, None
