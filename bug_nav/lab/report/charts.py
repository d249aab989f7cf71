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

"""Geometry of the charts in pixels, which the template writes as SVG."""

from __future__ import annotations

import dataclasses
import math
from operator import attrgetter
import re
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.lab.report.scores import MIN_LENGTH, path_ratio, Results, Score
from bug_nav.lab.report.statistics import Interval
from bug_nav.lab.rows import arrived, length_to_goal, Row
import numpy as np

COLOURS, DASHES = 7, 4
"""Number of colours, and of line and mark styles for more names."""
MAX_LINES = 8
"""Maximum number of lines in one chart; with more, each gets its own chart."""
MAX_DOTS = 400
"""Maximum number of dots of one kind in a chart."""
# Ticks of a logarithmic axis, by priority.
_TICKS = tuple(digit * 10.0 ** power for digits in ((1,), (2, 5), (1.5, 3, 7), (1.2,))
               for power in range(-3, 7) for digit in digits)
_LINE_HEIGHT = 14.0


class Style(NamedTuple):
    """Style of a name in all charts."""

    name: str
    number: int

    @property
    def colour(self) -> int:
        """Return the index of the colour."""
        return self.number % COLOURS

    @property
    def dash(self) -> int:
        """Return the index of the line and mark style."""
        return self.number // COLOURS % DASHES


class Axis:
    """An axis: maps values to pixels."""

    def __init__(self, low: float, high: float, start: float, end: float, *, log: bool = False,
                 unit: str = '', gap: float = 38.0, ticks: Sequence[float] = ()):
        """
        Map ``low`` and ``high`` to ``start`` and ``end`` [px].

        :param unit: suffix of every tick label.
        :param gap: minimum distance between ticks [px].
        :param ticks: values of the ticks; default: round numbers.
        """
        self._map: Callable[[float], float] = math.log if log else float
        self.low, self.high = low, max(high, low * 1.01 if log else low + 1e-9)
        self.start, self.end = start, end
        places = ticks or (_TICKS if log else
                           _round_steps(low, self.high, abs(end - start) / gap))
        self.ticks: List[Tuple[float, str]] = []
        for value in places:
            if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9) and all(
                    abs(self(value) - other) >= 0.9 * gap for other, _ in self.ticks):
                text = f'{100 * value:.0f}\u202f%' if unit == '%' else f'{value:g}{unit}'
                self.ticks.append((self(value), text))

    def __call__(self, value: float) -> float:
        """Return the position of a value, clipped to the axis [px]."""
        value = min(max(value, self.low), self.high)
        low, high = self._map(self.low), self._map(self.high)
        share = (self._map(value) - low) / (high - low)
        return round(self.start + share * (self.end - self.start), 1)


class Frame(NamedTuple):
    """Ranges and labels of the axes of a chart."""

    xs: Tuple[float, float]
    ys: Tuple[float, float]
    x_label: str
    about: str
    log: bool = False
    x_unit: str = ''
    y_unit: str = ''
    ticks: Sequence[float] = ()

    def panel(self, width: float, height: float, right: float, style: Optional[Style] = None
              ) -> Panel:
        """Return an empty chart, of one algorithm if its style is given."""
        x = Axis(*self.xs, 46, width - right, log=self.log, unit=self.x_unit, ticks=self.ticks,
                 gap=26.0 if self.ticks else 38.0)
        y = Axis(*self.ys, height - 38, 26 if style else 12, unit=self.y_unit, gap=30.0)
        return Panel(f'{self.about}: {style.name}' if style else self.about, width, height, x, y,
                     self.x_label, style=style)


class Line(NamedTuple):
    """A line of a chart, optionally with intervals at its points."""

    style: Style
    places: List[Tuple[float, float]]
    few: bool
    """Whether the points have marks."""
    whiskers: List[Tuple[float, float, float]]
    """x, y_low, y_high of each interval [px]."""
    label: Tuple[float, float]

    @property
    def data(self) -> str:
        """Return the line as SVG path data."""
        return 'M' + ' '.join(f'{x:g} {y:g}' for x, y in self.places) if self.places else ''


@dataclasses.dataclass
class Panel:
    """A chart with two axes."""

    about: str
    """Text alternative for screen readers."""
    width: float
    height: float
    x: Axis
    y: Axis
    x_label: str
    lines: List[Line] = dataclasses.field(default_factory=list)
    guides: List[Tuple[float, float, float, float, str]] = dataclasses.field(default_factory=list)
    others: str = ''
    """Grey lines of the other names, as one path; shared by charts with the same id."""
    others_id: str = ''
    dots: str = ''
    crosses: str = ''
    style: Optional[Style] = None
    """Style of the only coloured line; None if there are several."""


class Strip(NamedTuple):
    """The distribution of one algorithm's path ratios: box, whiskers and dots."""

    style: Style
    y: float
    p5: float
    q1: float
    median: float
    q3: float
    p95: float
    dots: str


class Strips(NamedTuple):
    """The distributions of all names, one below the other."""

    width: float
    height: float
    x: Axis
    rows: List[Strip]


class Curve(NamedTuple):
    """A line in values: x, y and the interval of y."""

    style: Style
    points: List[Tuple[float, float, Optional[Interval]]]


METRICS: Dict[str, Callable[[Score], tuple]] = {
    'goals reached': lambda score: (score.success.value, score.success.interval),
    'right verdicts': lambda score: (score.verdicts.value, score.verdicts.interval),
    'mean path ÷ shortest path': lambda score: (
        (score.ratio.mean, score.ratio.interval) if score.ratio else (None, None))}
"""Metrics drawn against noise: a value and its interval."""
SHARES = ('goals reached', 'right verdicts')


def styles_of(names: Sequence[str]) -> Dict[str, Style]:
    """Return a style for each name."""
    return {name: Style(name, k) for k, name in enumerate(names)}


# ---- lines ------------------------------------------------------------------------------------

def profile(campaign: Results, styles: Dict[str, Style]) -> List[Panel]:
    """
    Return the performance profile: share of goals reached against path / shortest path.

    First one chart of all, with at most `MAX_LINES` in colour; then, if there are more, one each.

    Source: E. D. Dolan and J. J. More, Benchmarking optimization software with performance
    profiles, Mathematical Programming 91, 2002; here with the shortest path instead of the best.
    """
    curves = profile_curves(campaign, styles)
    if not curves:
        return []
    frame = Frame((1.0, curves[0].points[-1][0]), (0.0, 1.0), 'path ÷ shortest path, at most',
                  'goals reached by path length', True, '×', '%')
    best = best_profiles(curves)
    together = _together([curve for curve in curves if curve in best], frame, (560, 400),
                         [curve for curve in curves if curve not in best])
    return [together, *(_one_by_one(curves, frame) if len(curves) > MAX_LINES else [])]


def best_profiles(curves: Sequence[Curve]) -> List[Curve]:
    """Return the `MAX_LINES` curves with the largest area below."""
    return sorted(curves, key=lambda curve: -sum(y for _, y, _ in curve.points))[:MAX_LINES]


def profile_curves(campaign: Results, styles: Dict[str, Style]) -> List[Curve]:
    """Return the curves of the profile, up to the largest path ratio."""
    scores = [score for score in campaign.scores if score.success.total]
    most = max((score.ratio.most for score in scores if score.ratio), default=2.0)
    axis = np.geomspace(1.0, max(most, 2.0), 120)
    curves = []
    for score in scores:
        # Goals that were not reached count as infinite.
        ratios = np.sort([path_ratio(row) or math.inf for row in campaign.by_name[score.name]
                          if row.reachable])
        shares = np.searchsorted(ratios, axis * (1 + 1e-9), 'right') / len(ratios)
        curves.append(Curve(styles[score.name], [
            (float(x), float(y), None) for x, y in zip(axis, shares)]))
    return curves


def against(campaign: Results, styles: Dict[str, Style], column: str, odometry: str,
            rows: Sequence[Row]) -> List[Tuple[str, List[Panel]]]:
    """Return charts of `METRICS` in some rows against a noise (a column)."""
    levels = sorted({getattr(row, column) for row in rows})
    label = noise_label(odometry)
    # Room for the shifted intervals at the first and the last level.
    edge = 0.06 * (levels[-1] - levels[0])
    found = []
    for title, curves in noise_curves(campaign, styles, column, rows):
        points = [point for curve in curves for point in curve.points]
        if points:
            share = title in SHARES
            values = [value for _, value, _ in points]
            highest = max(interval.high if interval else value for _, value, interval in points)
            # The interval of a few outliers must not flatten all other curves.
            ys = (0.0, 1.0) if share else (min(1.0, *values), min(highest, 1.5 * max(values)))
            frame = Frame((levels[0] - edge, levels[-1] + edge), ys, label,
                          f'{title} against {label}', y_unit='%' if share else '', ticks=levels)
            found.append((title, _panels(curves, frame, (430, 270))))
    return found


def noise_label(odometry: str) -> str:
    """Return the axis label of a noise; range noise if ``odometry`` is empty."""
    return f'odometry noise ({odometry})' if odometry else 'range noise [m]'


def noise_curves(campaign: Results, styles: Dict[str, Style], column: str, rows: Sequence[Row]
                 ) -> Iterator[Tuple[str, List[Curve]]]:
    """Yield each of `METRICS` in some rows against a noise (a column)."""
    by_level = campaign.scores_at(attrgetter(column), rows)
    for title, metric in METRICS.items():
        curves = [Curve(styles[score.name], [
            (float(level), *metric(by_level[level][score.name])) for level in by_level
            if score.name in by_level[level]]) for score in campaign.scores]
        yield title, [curve._replace(points=[
            point for point in curve.points if point[1] is not None]) for curve in curves]


def _panels(curves: List[Curve], frame: Frame, size: Tuple[float, float]) -> List[Panel]:
    """Return all curves in one chart, or one chart each if there are many."""
    if len(curves) > MAX_LINES:
        return _one_by_one(curves, frame)
    return [_together(curves, frame, size)]


def _together(curves: List[Curve], frame: Frame, size: Tuple[float, float],
              others: Sequence[Curve] = ()) -> Panel:
    panel = frame.panel(*size, 118)
    panel.lines = _apart([_line(curve, panel, k, len(curves)) for k, curve in enumerate(curves)],
                         panel)
    panel.others = ''.join(_line(curve, panel).data for curve in others)
    return panel


def _one_by_one(curves: List[Curve], frame: Frame) -> List[Panel]:
    panels = []
    for curve in curves:
        panel = frame.panel(250, 180, 10, curve.style)
        panel.lines = [_line(curve, panel)]
        panel.others = ''.join(_line(other, panel).data for other in curves)
        panel.others_id = re.sub(r'\W+', '-', frame.about)
        panels.append(panel)
    return panels


def _line(curve: Curve, panel: Panel, k: int = 0, count: int = 1) -> Line:
    """Return a curve in pixels, shifted slightly so that intervals do not overlap."""
    few = len(curve.points) <= 20
    shift = (k - 0.5 * (count - 1)) * 3.0 if few and len(curve.points) > 1 else 0.0
    places = [(round(panel.x(x) + shift, 1), panel.y(y)) for x, y, _ in curve.points]
    whiskers = [(x, panel.y(interval.low), panel.y(interval.high))
                for (x, _), (_, _, interval) in zip(places, curve.points) if interval]
    end = places[-1] if places else (panel.x.end, panel.y.start)
    return Line(curve.style, places, few, whiskers, (panel.x.end + 14, end[1]))


def _apart(lines: List[Line], panel: Panel) -> List[Line]:
    """Return the lines with labels that do not overlap, as near to the line ends as possible."""
    order = sorted(range(len(lines)), key=lambda k: (lines[k].label[1], k))
    lowest = panel.y.start - _LINE_HEIGHT * (len(lines) - 1)
    y, moved = -math.inf, list(lines)
    for rank, k in enumerate(order):
        y = max(y + _LINE_HEIGHT, min(lines[k].label[1], lowest + _LINE_HEIGHT * rank))
        moved[k] = lines[k]._replace(label=(lines[k].label[0], round(y, 1)))
    return moved


# ---- dots -------------------------------------------------------------------------------------

def strips(campaign: Results, styles: Dict[str, Style]) -> Optional[Strips]:
    """Return the distributions of path / shortest path, the smallest median on top."""
    scores = [score for score in campaign.scores if score.ratio]
    if not scores:
        return None
    scores.sort(key=lambda score: (score.ratio.median, score.name) if score.ratio else (0.0, ''))
    width, row_height = 760.0, 30.0
    most = max(score.ratio.most for score in scores if score.ratio)
    axis = Axis(1.0, max(most * 1.05, 2.0), 120, width - 16, log=True, unit='×')
    rows = []
    for k, score in enumerate(scores):
        assert score.ratio is not None
        y = 14.0 + row_height * (k + 0.5)
        ratios = sorted(filter(None, map(path_ratio, campaign.by_name[score.name])))
        ratio = score.ratio
        rows.append(Strip(
            styles[score.name], y, axis(ratio.p5), axis(ratio.q1), axis(ratio.median),
            axis(ratio.q3), axis(ratio.p95),
            _dots((axis(value), y + _jitter(n)) for n, value in enumerate(_thinned(ratios)))))
    return Strips(width, 14.0 + row_height * len(rows) + 38.0, axis, rows)


def scatter(campaign: Results, styles: Dict[str, Style]) -> List[Panel]:
    """Return one chart per name: path length against shortest path, failures along the top."""
    known = [row for row in campaign.rows if _in_scatter(row)]
    if not known:
        return []
    short = [row.shortest_path or 0.0 for row in known]
    long = [length_to_goal(row) for row in known if arrived(row)]
    xs = (0.9 * min(short), 1.1 * max(short))
    ys = (0.9 * min(short), 1.1 * max(short + long))
    panels = []
    for score in campaign.scores:
        panel = Panel(f'path length against shortest path: {score.name}', 250, 230,
                      Axis(*xs, 40, 240, log=True, gap=30.0),
                      Axis(*ys, 192, 44, log=True, gap=24.0), 'shortest path [m]',
                      style=styles[score.name])
        rows = _thinned([row for row in campaign.by_name[score.name] if _in_scatter(row)])
        panel.dots = _dots((panel.x(row.shortest_path or 0.0), panel.y(length_to_goal(row)))
                           for row in rows if arrived(row))
        panel.crosses = _crosses([(panel.x(row.shortest_path or 0.0), 32.0)
                                  for row in rows if not arrived(row)])
        for factor in (1, 2, 4, 8):
            start, end = max(xs[0], ys[0] / factor), min(xs[1], ys[1] / factor)
            if start < end:
                panel.guides.append((panel.x(start), panel.y(factor * start), panel.x(end),
                                     panel.y(factor * end), f'{factor}×'))
        panels.append(panel)
    return panels


def _in_scatter(row: Row) -> bool:
    return (bool(row.reachable) and row.shortest_path is not None
            and row.shortest_path >= MIN_LENGTH)


def _dots(places: Iterable[Tuple[float, float]]) -> str:
    """Return dots as one path: lines of zero length with round caps."""
    return ''.join(f'M{x:g} {y:g}h0' for x, y in places)


def _crosses(places: Sequence[Tuple[float, float]]) -> str:
    return ''.join(f'M{x - 3:g} {y - 3:g}l6 6m0-6l-6 6' for x, y in places)


def _thinned(values: Sequence) -> Sequence:
    """Return at most `MAX_DOTS` of the values, evenly, with the last."""
    stride = max(1, math.ceil(len(values) / MAX_DOTS))
    return values[::-1][::stride][::-1]


def _jitter(n: int) -> float:
    """Return an offset across a strip [px]; the golden ratio avoids patterns."""
    return round(14.0 * (n * 0.6180339887498949 % 1.0) - 7.0, 1)


def _round_steps(low: float, high: float, count: float) -> List[float]:
    """Return about ``count`` round values from low to high."""
    raw = (high - low) / max(count, 1.0)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round((first + k) * step, 12) for k in range(int((high - low) / step + 1e-9) + 2)]
