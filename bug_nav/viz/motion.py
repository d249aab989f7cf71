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

"""Pictures one after the other in a file: a GIF, or an MP4 where there is ffmpeg."""

from __future__ import annotations

import io
from pathlib import Path
import subprocess
from typing import Any, Callable, Iterable, List, Sequence, Union

from bug_nav.core.files import whole
from bug_nav.viz.episode_plot import (
    CONTOUR,
    FACES,
    FAINT_INK,
    FLOOR,
    GOAL,
    GRID,
    HIT,
    INK,
    OTHER,
    PAPER,
    PHASES,
    SOLID_EDGE,
    VERDICTS,
)
from bug_nav.viz.movers import MOVER
from matplotlib.animation import FFMpegWriter
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
import numpy as np
from PIL import Image

RATE = 10
"""Pictures in a second."""
LARGEST = 2_500_000
"""Maximum size of a GIF at DPI [bytes]; a longer run has fewer pictures and is faster."""
SHADES = 5
"""Of each colour, towards that of the floor."""
LAST = 2.0
"""The last picture stays so long [s]."""
DPI = 96
UNDITHERED = getattr(Image, 'Dither', Image).NONE
"""Pillow has it in a class of its own since 9.1; Ubuntu 22.04 has 9.0."""
COLOURS = (INK, FAINT_INK, PAPER, SOLID_EDGE, CONTOUR, GRID, GOAL, HIT, MOVER, OTHER.colour,
           *FACES.values(), *(phase.colour for phase in PHASES),
           *sorted({colour for colour, _ in VERDICTS.values()}))
"""What is drawn with in any film."""


def write_film(figure: Figure, pictures: Callable[[], Iterable[Any]], fewer: Callable[[], bool],
               path: Union[str, Path], colours: Sequence[str] = ()) -> None:
    """
    Write a moving picture; its file's ending, .gif or .mp4, says which kind. May raise OSError.

    :param pictures: draws one picture after the other on the figure, and yields after each.
    :param fewer: has it draw fewer; false where there are not enough.
    :param colours: those that are drawn with beside `COLOURS`.
    """
    if Path(path).suffix.lower() == '.mp4':
        with whole(path) as partial:
            _write_mp4(figure, pictures(), partial)
        return
    told = _gif(figure, pictures(), colours)
    largest = LARGEST * figure.dpi / DPI
    while len(told) > largest and fewer():
        told = _gif(figure, pictures(), colours)
    with whole(path) as partial:
        partial.write_bytes(told)


def _gif(figure: Figure, pictures: Iterable[Any], colours: Sequence[str]) -> bytes:
    few, images = _palette((*COLOURS, *colours)), []
    for _ in pictures:
        figure.canvas.draw()
        seen = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()  # type: ignore
        images.append(Image.fromarray(seen).quantize(palette=few, dither=UNDITHERED))
    durations: List[int] = [1000 // RATE] * (len(images) - 1) + [int(1000 * LAST)]
    told = io.BytesIO()
    images[0].save(told, 'GIF', save_all=True, append_images=images[1:], loop=0,
                   duration=durations, optimize=True)
    return told.getvalue()


def _write_mp4(figure: Figure, pictures: Iterable[Any], path: Union[str, Path]) -> None:
    writer = FFMpegWriter(fps=RATE)
    try:
        with writer.saving(figure, str(path), figure.dpi):
            for _ in pictures:
                writer.grab_frame()
            for _ in range(round(RATE * LAST) - 1):
                writer.grab_frame()
    except subprocess.CalledProcessError as error:
        raise OSError(f'ffmpeg has failed with exit code {error.returncode}') from error


def _palette(colours: Sequence[str]) -> Image.Image:
    """Return an image whose colours are those that are drawn, and what is between them."""
    floor = np.array(to_rgb(FLOOR))
    shades = max(min(SHADES, 255 // len(colours)), 1)
    mixed = [floor + share * (np.array(to_rgb(colour)) - floor)
             for colour in colours for share in np.linspace(0.2, 1.0, shades)]
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(255.0 * np.array([floor, *mixed])).astype(np.uint8).tobytes())
    return image
