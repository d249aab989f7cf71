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
Charts of a report as figures for a paper: vector graphics, one column wide, without captions.

They show the same scores and curves as the page.
"""

from __future__ import annotations

import io
import math
from pathlib import Path
import re
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple

from bug_nav.files.paths import atomic_write
from bug_nav.lab.report.charts import (
    best_profiles,
    COLOURS,
    Curve,
    MAX_LINES,
    noise_curves,
    noise_label,
    profile_curves,
    SHARES,
    Style,
    styles_of,
)
from bug_nav.lab.report.conditions import noises
from bug_nav.lab.report.scores import Results, Score
from bug_nav.lab.rows import Row
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, PercentFormatter

FORMATS = ('pdf', 'svg')
WIDTH = 3.5
"""Width of a column of a paper [inch]."""
PALETTE = ('#0067a5', '#cc4e00', '#008a66', '#b0478a', '#b98000', '#3a9bd9', '#5a6470')
"""Colours of the light scheme of the page, in the same order."""
assert len(PALETTE) == COLOURS
GREY, INK = '#c3c9d2', '#1b2027'
LINES: Tuple[Any, ...] = ('-', (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)))
MARKS = 'os^D'
VERDICTS = (('right', '#0067a5', ''), ('wrong', '#cc4e00', '////'), ('none', '#dfe3e8', ''))
"""Verdicts with their colours, and a hatching for greyscale prints."""
_STYLE: Any = {
    'font.family': 'sans-serif', 'font.size': 8.0, 'axes.labelsize': 8.0, 'xtick.labelsize': 7.5,
    'ytick.labelsize': 7.5, 'legend.fontsize': 7.0, 'axes.linewidth': 0.6, 'axes.edgecolor': INK,
    'text.color': INK, 'axes.labelcolor': INK, 'xtick.color': INK, 'ytick.color': INK,
    'xtick.major.width': 0.6, 'ytick.major.width': 0.6, 'grid.color': '#dfe3e8',
    'grid.linewidth': 0.5, 'axes.axisbelow': True, 'axes.spines.top': False,
    'axes.spines.right': False, 'hatch.linewidth': 0.5, 'legend.frameon': False,
    # Embedded, searchable fonts; reproducible bytes.
    'pdf.fonttype': 42, 'svg.fonttype': 'path', 'svg.hashsalt': 'bug_nav'}
# Candidate ticks per decade of a logarithmic axis.
_FACTORS = (1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0)


def write_figures(rows: Iterable[Row], folder: Path, *, by: str = 'algorithm') -> List[Path]:
    """
    Write every chart for which the rows have data, as PDF and SVG; return the files.

    :param by: column whose values are compared, one of `scores.SERIES`.
    :raises ValueError: for a row with impossible numbers, in one sentence.
    :raises OSError: if a file cannot be written.
    """
    campaign = Results([row for row in rows if not row.still], by)
    found = []
    with matplotlib.rc_context(_STYLE):
        for name, figure in figures(campaign):
            for ending in FORMATS:
                path = folder / f'{name}.{ending}'
                # First in memory: compressed writers report a full disk by another error.
                drawn = io.BytesIO()
                figure.savefig(drawn, format=ending, metadata={
                    'CreationDate' if ending == 'pdf' else 'Date': None})
                with atomic_write(path) as partial:
                    partial.write_bytes(drawn.getvalue())
                found.append(path)
    return found


def figures(campaign: Results) -> Iterator[Tuple[str, Figure]]:
    """Yield names of files and figures of a campaign."""
    styles = styles_of(campaign.names)
    scores = campaign.scores
    if any(score.success.total for score in scores):
        yield 'success', _success([score for score in scores if score.success.total], styles)
    if any(score.verdicts.total for score in scores):
        yield 'verdicts', _verdicts([score for score in scores if score.verdicts.total])
    if any(score.ratio for score in scores):
        yield 'paths', _paths([score for score in scores if score.ratio], styles)
    curves = profile_curves(campaign, styles)
    if curves:
        yield 'profile', _profile(curves)
    for noise in noises(campaign):
        for title, lines in noise_curves(campaign, styles, noise.column, noise.rows):
            if any(curve.points for curve in lines):
                name = re.sub(r'\W+', '_', f'{noise.title} {title}'.replace('÷', 'by')).lower()
                yield name, _against(lines, title, noise_label(noise.odometry))


# ---- one row per name -------------------------------------------------------------------------

def _success(scores: Sequence[Score], styles: Dict[str, Style]) -> Figure:
    """Return the shares of goals reached with their intervals, the best on top."""
    figure, axes = _rows([score.name for score in scores])
    for y, score in enumerate(scores):
        value, interval = score.success.value, score.success.interval
        assert value is not None and interval is not None
        style = styles[score.name]
        axes.plot(interval, (y, y), color=_colour(style), lw=1.2, solid_capstyle='butt')
        axes.plot(value, y, MARKS[style.dash], color=_colour(style), ms=4.0, clip_on=False)
    _percents(axes.xaxis)
    axes.set(xlim=(0.0, 1.0), xlabel='goals reached, with 95 % intervals')
    return figure


def _verdicts(scores: Sequence[Score]) -> Figure:
    """Return the shares of right, wrong and missing verdicts."""
    figure, axes = _rows([score.name for score in scores], above=0.25)
    places = range(len(scores))
    # Wrong verdicts in unjudged worlds do not count here.
    parts = [[score.verdicts.hits for score in scores],
             [score.verdicts.total - score.verdicts.hits - score.none for score in scores],
             [score.none for score in scores]]
    left = [0.0] * len(scores)
    for (name, colour, hatch), part in zip(VERDICTS, parts):
        widths = [count / score.verdicts.total for count, score in zip(part, scores)]
        axes.barh(places, widths, 0.66, left, color=colour, hatch=hatch, edgecolor='white',
                  linewidth=0.4, label=name)
        left = [a + b for a, b in zip(left, widths)]
    _percents(axes.xaxis)
    axes.set(xlim=(0.0, 1.0), xlabel='episodes by their verdict')
    axes.legend(loc='lower left', bbox_to_anchor=(0.0, 1.0), ncol=3, borderaxespad=0.2,
                handlelength=1.2, columnspacing=1.2)
    return figure


def _paths(scores: Sequence[Score], styles: Dict[str, Style]) -> Figure:
    """Return the distributions of path / shortest path, the smallest median on top."""
    order = sorted(scores, key=lambda score: (score.ratio.median if score.ratio else 0.0,
                                              score.name))
    figure, axes = _rows([score.name for score in order])
    most = 1.0
    for y, score in enumerate(order):
        ratio, colour = score.ratio, _colour(styles[score.name])
        assert ratio is not None
        axes.plot((ratio.p5, ratio.p95), (y, y), color=colour, lw=0.9)
        axes.barh(y, ratio.q3 - ratio.q1, 0.5, ratio.q1, color=colour, alpha=0.25, lw=0)
        axes.barh(y, ratio.q3 - ratio.q1, 0.5, ratio.q1, fill=False, edgecolor=colour, lw=0.8)
        axes.plot((ratio.median, ratio.median), (y - 0.33, y + 0.33), color=colour, lw=1.6)
        axes.plot(ratio.most, y, '.', color=colour, ms=3.0)
        most = max(most, ratio.most)
    _times(axes, max(1.08 * most, 2.0))
    axes.set_xlabel('path ÷ shortest path')
    return figure


def _rows(names: Sequence[str], above: float = 0.0) -> Tuple[Figure, Any]:
    """Return a chart with one row per name, the first on top, and a margin above it [inch]."""
    height = 0.50 + 0.19 * max(len(names), 2) + above
    # matplotlib reads $ as a formula.
    shown = [name.replace('$', r'\$') for name in names]
    left = min(0.10 + 0.062 * max(map(len, names)), 0.45 * WIDTH)
    figure, axes = _figure(height, left, 0.07 + above)
    axes.set_yticks(range(len(names)))
    axes.set_yticklabels(shown)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis='y', length=0)
    axes.grid(axis='x')
    return figure, axes


# ---- lines ------------------------------------------------------------------------------------

def _profile(curves: Sequence[Curve]) -> Figure:
    """Return the performance profile: share of goals reached against path / shortest path."""
    best = best_profiles(curves)
    figure, axes = _with_legend(len(best), 2.1)
    for curve in curves:
        if curve not in best:
            _draw(axes, curve, color=GREY, lw=0.6, drawstyle='steps-post')
    for curve in curves:
        if curve in best:
            _draw(axes, curve, label=curve.style.name.replace('$', r'\$'),
                  color=_colour(curve.style), ls=LINES[curve.style.dash], lw=1.2,
                  drawstyle='steps-post')
    _times(axes, 1.03 * max(x for curve in curves for x, _, _ in curve.points))
    _percents(axes.yaxis)
    axes.set(ylim=(0.0, 1.03), xlabel='path ÷ shortest path, at most', ylabel='goals reached')
    _legend(figure)
    return figure


def _against(curves: Sequence[Curve], title: str, label: str) -> Figure:
    """Return a metric against a noise, with intervals; beyond `MAX_LINES`, curves are grey."""
    coloured = list(curves)[:MAX_LINES]
    figure, axes = _with_legend(len(coloured), 1.9)
    levels = sorted({x for curve in curves for x, _, _ in curve.points})
    step = (levels[-1] - levels[0]) or 1.0
    for k, curve in enumerate(curves):
        if curve not in coloured:
            _draw(axes, curve, color=GREY, lw=0.6, zorder=1)
            continue
        shift = 0.008 * step * (k - 0.5 * (len(coloured) - 1))
        colour = _colour(curve.style)
        for x, _, interval in curve.points:
            if interval:
                axes.plot((x + shift, x + shift), interval, color=colour, lw=0.8)
        axes.plot([x + shift for x, _, _ in curve.points], [y for _, y, _ in curve.points],
                  marker=MARKS[curve.style.dash], ms=3.0, color=colour, lw=1.1,
                  ls=LINES[curve.style.dash], label=curve.style.name.replace('$', r'\$'))
    axes.set(xlabel=label, ylabel=title)
    axes.set_xticks(levels)
    axes.grid(axis='y')
    if title in SHARES:
        _percents(axes.yaxis)
        axes.set_ylim(0.0, 1.03)
    else:
        # The interval of a few outliers must not flatten all other curves.
        values = [y for curve in curves for _, y, _ in curve.points]
        highest = max(interval.high if interval else y
                      for curve in curves for _, y, interval in curve.points)
        axes.set_ylim(min(1.0, *values), 1.03 * min(highest, 1.5 * max(values)))
    _legend(figure)
    return figure


def _draw(axes: Any, curve: Curve, **style: Any) -> None:
    axes.plot([x for x, _, _ in curve.points], [y for _, y, _ in curve.points], **style)


def _with_legend(names: int, height: float) -> Tuple[Figure, Any]:
    """Return a chart with room above it for a legend of ``names`` names."""
    above = 0.14 * math.ceil(names / _columns(names)) + 0.12
    figure, axes = _figure(height + above, 0.62, above)
    axes.grid()
    return figure, axes


def _columns(names: int) -> int:
    return 2 if names in (2, 4) else 3


def _legend(figure: Figure) -> None:
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc='upper center', ncol=_columns(len(labels)),
                  borderaxespad=0.2, handlelength=2.0, columnspacing=1.0, labelspacing=0.25)


# ---- axes -------------------------------------------------------------------------------------

def _figure(height: float, left: float, above: float) -> Tuple[Figure, Any]:
    """Return a figure one column wide, with axes that leave margins for labels [inch]."""
    figure = Figure(figsize=(WIDTH, height))
    FigureCanvasAgg(figure)
    below, right = 0.38, 0.20
    axes = figure.add_axes((left / WIDTH, below / height, (WIDTH - left - right) / WIDTH,
                            (height - below - above) / height))
    return figure, axes


def _colour(style: Style) -> str:
    return PALETTE[style.colour]


def _percents(axis: Any) -> None:
    axis.set_major_locator(FixedLocator([0.0, 0.25, 0.5, 0.75, 1.0]))
    axis.set_major_formatter(PercentFormatter(1.0, 0, ' %'))


def _times(axes: Any, most: float) -> None:
    """Make the x axis logarithmic, from 1 to ``most``, with a few round ticks."""
    axes.set_xscale('log')
    axes.set_xlim(1.0, most)
    wanted = [factor * 10.0 ** power for power in range(math.ceil(math.log10(most)) + 1)
              for factor in _FACTORS]
    apart, ticks = math.log(most) / 7.0, [1.0]
    for tick in wanted[1:]:
        if tick <= most * (1.0 + 1e-9) and math.log(tick / ticks[-1]) >= apart:
            ticks.append(tick)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f'{value:g}'))
    axes.xaxis.set_minor_locator(FixedLocator([]))
    axes.xaxis.set_minor_formatter(NullFormatter())
