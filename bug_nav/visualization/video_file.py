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

"""Write an animation as a GIF, or as an MP4 if ffmpeg is installed."""

from __future__ import annotations

import io
from pathlib import Path
import subprocess
from typing import Any, Callable, Iterable, List, Sequence, Union

from bug_nav.files.paths import atomic_write
from bug_nav.visualization.episode_plot import (
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
from bug_nav.visualization.mover_plot import MOVER
from matplotlib.animation import FFMpegWriter
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
import numpy as np
from PIL import Image

RATE = 10
"""Frames per second."""
MAX_SIZE = 2_500_000
"""Maximum size of a GIF at DPI; a longer run has fewer frames and is faster [bytes]."""
SHADES = 5
"""Number of shades of each colour towards that of the floor."""
LAST = 2.0
"""Duration of the last frame [s]."""
DPI = 96
UNDITHERED = getattr(Image, 'Dither', Image).NONE
"""Dithering off; Pillow 9.1 moved it to a class of its own, and Ubuntu 22.04 has 9.0."""
COLOURS = (INK, FAINT_INK, PAPER, SOLID_EDGE, CONTOUR, GRID, GOAL, HIT, MOVER, OTHER.colour,
           *FACES.values(), *(phase.colour for phase in PHASES),
           *sorted({colour for colour, _ in VERDICTS.values()}))
"""Colours of every animation."""


def write_animation(figure: Figure, frames: Callable[[], Iterable[Any]],
                    fewer: Callable[[], bool], path: Union[str, Path],
                    colours: Sequence[str] = ()) -> None:
    """
    Write an animation as .gif or .mp4, by the suffix of ``path``. May raise OSError.

    :param frames: draws the frames on the figure, and yields after each.
    :param fewer: reduces the number of frames; returns False if there are too few.
    :param colours: colours in addition to `COLOURS`.
    """
    if Path(path).suffix.lower() == '.mp4':
        with atomic_write(path) as partial:
            _write_mp4(figure, frames(), partial)
        return
    content = _gif(figure, frames(), colours)
    max_size = MAX_SIZE * figure.dpi / DPI
    while len(content) > max_size and fewer():
        content = _gif(figure, frames(), colours)
    with atomic_write(path) as partial:
        partial.write_bytes(content)


def _gif(figure: Figure, frames: Iterable[Any], colours: Sequence[str]) -> bytes:
    palette, images = _palette((*COLOURS, *colours)), []
    for _ in frames:
        figure.canvas.draw()
        seen = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()  # type: ignore
        images.append(Image.fromarray(seen).quantize(palette=palette, dither=UNDITHERED))
    durations: List[int] = [1000 // RATE] * (len(images) - 1) + [int(1000 * LAST)]
    content = io.BytesIO()
    images[0].save(content, 'GIF', save_all=True, append_images=images[1:], loop=0,
                   duration=durations, optimize=True)
    return content.getvalue()


def _write_mp4(figure: Figure, frames: Iterable[Any], path: Union[str, Path]) -> None:
    writer = FFMpegWriter(fps=RATE)
    try:
        with writer.saving(figure, str(path), figure.dpi):
            for _ in frames:
                writer.grab_frame()
            for _ in range(round(RATE * LAST) - 1):
                writer.grab_frame()
    except subprocess.CalledProcessError as error:
        raise OSError(f'ffmpeg has failed with exit code {error.returncode}') from error


def _palette(colours: Sequence[str]) -> Image.Image:
    """Return an image whose palette has the colours of the drawing and shades of them."""
    floor = np.array(to_rgb(FLOOR))
    shades = max(min(SHADES, 255 // len(colours)), 1)
    mixed = [floor + share * (np.array(to_rgb(colour)) - floor)
             for colour in colours for share in np.linspace(0.2, 1.0, shades)]
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(255.0 * np.array([floor, *mixed])).astype(np.uint8).tobytes())
    return image
