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
Plot of a run: the world, the path coloured by state, hit and leave points, the M-line.

For an unreachable goal, the plot shows the certificate: see `navigation.proof.certificate`.

Plots use a new figure without pyplot, and so no global state.
"""

from __future__ import annotations

import copy
import functools
import io
import itertools
import math
from pathlib import Path
import textwrap
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Set, Tuple, Union

from bug_nav.files.paths import atomic_write
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.types import ARRIVED, Outcome
from bug_nav.simulation.world import BLACK, GLASS, PLAIN
from bug_nav.visualization.arrows import draw_head, heads_along, SIZE
from bug_nav.visualization.contour import contour_field
from bug_nav.visualization.labels import place_labels
from bug_nav.visualization.mover_plot import draw_movers
from bug_nav.visualization.record import Mark, RunRecord, Step
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MultipleLocator
import numpy as np

ENDINGS = ('.png', '.svg', '.pdf')
"""Suffixes of the files that `save` writes."""

INK, FAINT_INK, PAPER, FLOOR = '#22272e', '#6a737d', '#ffffff', '#fafaf7'
SOLID, SOLID_EDGE, CONTOUR, GRID = '#d5d9df', '#8d96a3', '#c3bfae', '#ecece6'
FACES = {PLAIN: SOLID, GLASS: '#e3f2fa', BLACK: '#5b6470'}
"""The colours of solids by their surface."""
HIT, LEAVE, GOAL, CERTIFICATE = '#b3261e', '#1e7d4f', '#1e7d4f', '#c2187a'


class Phase(NamedTuple):
    """States that are drawn in the same way."""

    states: Tuple[str, ...]
    label: str
    colour: str


# In order of precedence, because a return to a leave point also follows the boundary.
RETURN = Phase(('return_to_leave_point',), 'return to a leave point', '#243078')
PHASES = (
    RETURN,
    Phase(('motion_to_node', 'transition'), 'motion to a node', '#3c90a8'),
    Phase(('boundary_following', 'circumnavigation'), 'boundary following', '#d86f10'),
    Phase(('motion_along_heading',), 'motion along a heading', '#0c9c84'),
    Phase(('motion_to_goal',), 'motion to goal', '#1f6fb4'),
)
OTHER = Phase((), 'other', '#3c4854')

WRONG = '#b3261e'
VERDICTS = {
    'reached': ('#1e7d4f', 'reached'), 'reached_uncertain': ('#8a5a00', 'reached uncertain'),
    'unreachable': ('#8a5a00', 'unreachable'),
    'loop_detected': ('#8a5a00', 'loop detected'), 'collision': (WRONG, 'collision'),
    'timeout': (WRONG, 'timeout'),
    'odom_contradictory': (WRONG, 'odometry contradictory'),
    'undecided': (WRONG, 'undecided'),
    'world_changed': (WRONG, 'world kept changing'),
}

LONGEST_SIDE = 8.0
"""Longer side of the map [inch]."""
LEFT, RIGHT, BELOW, ABOVE = 0.62, 0.30, 0.98, 0.98
"""Margins around the map [inch]."""
MAX_RUNS = 3
"""Maximum count of numbers, or ranges of numbers, in a shared label."""
MIN_VISIBLE = 12.0
"""Visible length above which the legend names a state [points]."""
MIN_WIDTH, MIN_HEIGHT = 6.6, 2.4
"""Minimum size of the map, for the title and the scale [inch]."""


@functools.lru_cache(maxsize=256)
def phase_of(state: str) -> Phase:
    """Return the phase of a stack of states, joined by '/'."""
    names = set(state.split('/'))
    return next((phase for phase in PHASES if names & set(phase.states)), OTHER)


class Paper(Figure):
    """
    An empty figure of a size [inch] that notebooks display.

    Notebooks display a plain figure only after pyplot has been imported.
    """

    def __init__(self, size: Tuple[float, float], **more: Any):
        """Create the figure; ``more`` goes to matplotlib."""
        super().__init__(figsize=size, facecolor=PAPER, **more)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format='png')
        return file.getvalue()


def draw(record: RunRecord, whole: bool = False) -> Figure:
    """Return the plot of a run as a new figure, of the ``whole`` world or around the run."""
    view = View([record], whole=whole)
    figure = Paper(view.figure_size)
    axes = figure.add_axes(view.axes_box)
    draw_map(axes, record, view)
    draw_scale(axes, view)
    _draw_labels(axes, record, view)
    _draw_titles(figure, record, view)
    _draw_legend(figure, record, view)
    return figure


def draw_map(axes: Axes, record: RunRecord, view: View) -> None:
    """Draw the world and the run, without text."""
    draw_ground(axes, record, view)
    draw_movers(axes, record.world, record.robot_radius, view.weight)
    draw_m_line(axes, record, view)
    _draw_certificate(axes, record, view)
    _draw_path(axes, record, view)
    draw_robot(axes, record)
    draw_goal(axes, record, view)
    _draw_marks(axes, record, view)


def draw_ground(axes: Axes, record: RunRecord, view: View, everywhere: bool = False) -> None:
    """Draw only the static world, with the contour in reach of the run or ``everywhere``."""
    _draw_paper(axes, view)
    _draw_world(axes, record, view, everywhere)


def save(record: RunRecord, path: Union[str, Path], dpi: int = 130) -> None:
    """Plot a run to a file; its suffix, one of ENDINGS, selects the format. May raise OSError."""
    save_figure(draw(record), path, dpi)


def save_figure(figure: Figure, path: Union[str, Path], dpi: int = 130) -> None:
    """Write a figure to a file, like `save`."""
    ending = Path(path).suffix.lower().lstrip('.')
    # Without a date, so that the same run gives the same file.
    date = {'svg': 'Date', 'pdf': 'CreationDate'}.get(ending)
    # In memory first, because compressors report a full disk by other errors.
    drawn = io.BytesIO()
    figure.savefig(drawn, format=ending, dpi=dpi, metadata={date: None} if date else None)
    with atomic_write(path) as partial:
        partial.write_bytes(drawn.getvalue())


class View:
    """The visible part of the world and its scale."""

    def __init__(self, records: Sequence[RunRecord], longest: float = LONGEST_SIDE,
                 weight: float = 1.0, beyond: float = math.inf, whole: bool = False):
        """
        Fit the view to runs in one world.

        ``longest`` is the longer side of the map [inch], ``weight`` a factor for line widths. The
        view ends ``beyond`` the world's extent [m]. It shows the ``whole`` world, or the area
        around the runs.
        """
        record = records[0]
        run = np.array([place for each in records for place in (
            each.start.position, each.goal, *(step.pose.position for step in each.steps))])
        world = np.array(record.world.extent)
        run = np.clip(run, world[:2] - beyond, world[2:] + beyond)
        if whole:
            run = np.vstack((run, world[:2], world[2:]))
        low, high = run.min(axis=0), run.max(axis=0)
        # Around the run, so that a small run in a large world is visible, within the world.
        room = max(1.0, 0.35 * float((high - low).max()))
        edge = 2.0 * record.robot_radius
        around = max(2.0 * edge, 0.07 * float((high - low).max()))
        low = np.minimum(low - around, np.maximum(low - room, world[:2] - edge))
        high = np.maximum(high + around, np.minimum(high + room, world[2:] + edge))
        self.weight = weight
        self.scale = longest / float((high - low).max())
        least = min(longest / LONGEST_SIDE, 1.0)
        shown = np.maximum((high - low) * self.scale, (MIN_WIDTH * least, MIN_HEIGHT * least))
        middle = 0.5 * (low + high)
        self.low, self.high = middle - 0.5 * shown / self.scale, middle + 0.5 * shown / self.scale
        self.width, self.height = float(shown[0]), float(shown[1])
        above = ABOVE + (0.0 if is_reached(record) else 0.23)
        self.figure_size = (LEFT + self.width + RIGHT, BELOW + self.height + above)
        self.axes_box = (LEFT / self.figure_size[0], BELOW / self.figure_size[1],
                         self.width / self.figure_size[0], self.height / self.figure_size[1])

    def widened(self, record: RunRecord) -> View:
        """Return a view of the same size on paper that contains a whole run."""
        path = np.array([step.pose.position for step in record.steps] or [self.low])
        room = self.metres(8.0)
        low = np.minimum(self.low, path.min(axis=0) - room)
        high = np.maximum(self.high, path.max(axis=0) + room)
        factor = float(((high - low) / (self.high - self.low)).max())
        if factor == 1.0:
            return self
        view, half = copy.copy(self), 0.5 * factor * (self.high - self.low)
        view.scale = self.scale / factor
        view.low, view.high = 0.5 * (low + high) - half, 0.5 * (low + high) + half
        return view

    def shows(self, places: Any) -> bool:
        """Return whether the box around some places overlaps this view."""
        outline = np.asarray(places, dtype=float)
        return bool((outline.max(axis=0) >= self.low).all()
                    and (outline.min(axis=0) <= self.high).all())

    def metres(self, points: float) -> float:
        """Convert a length on paper (1/72 inch) to a length in the world [m]."""
        return points / 72.0 / self.scale

    @property
    def tick(self) -> float:
        """Grid spacing, about one inch [m]."""
        exponent = math.floor(math.log10(1.0 / self.scale))
        steps = [factor * 10.0 ** exponent for factor in (1.0, 2.0, 5.0, 10.0)]
        return min(steps, key=lambda step: abs(math.log(step * self.scale)))


def _draw_paper(axes: Axes, view: View) -> None:
    axes.set_facecolor(FLOOR)
    axes.set_xlim(view.low[0], view.high[0])
    axes.set_ylim(view.low[1], view.high[1])
    axes.set_aspect('equal')
    axes.set_axisbelow(True)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MultipleLocator(view.tick))
    axes.grid(True, color=GRID, linewidth=0.8 * view.weight)
    axes.tick_params(length=0, labelbottom=False, labelleft=False)
    for spine in axes.spines.values():
        spine.set_color(GRID)


def draw_scale(axes: Axes, view: View) -> None:
    """Label the axes in metres."""
    axes.tick_params(labelbottom=True, labelleft=True, labelsize=8, labelcolor=FAINT_INK)
    axes.set_xlabel('x [m]', fontsize=8, color=FAINT_INK, labelpad=2)
    axes.set_ylabel('y [m]', fontsize=8, color=FAINT_INK, labelpad=2)


def _draw_world(axes: Axes, record: RunRecord, view: View, everywhere: bool) -> None:
    if not record.world.solids:
        return
    solids = list(record.world.solids)
    # All edges are below all faces, so that overlapping walls look like one.
    axes.add_collection(PolyCollection(solids, facecolors=SOLID_EDGE, edgecolors=SOLID_EDGE,
                                       linewidths=1.8 * view.weight, joinstyle='miter',
                                       zorder=2, gid='edges'))
    faces = [FACES[surface] for surface in record.world.surfaces] or SOLID
    axes.add_collection(PolyCollection(solids, facecolors=faces, edgecolors='none', zorder=2.1,
                                       gid='solids'))
    places = np.array([record.start.position, *(step.pose.position for step in record.steps)])
    level = contour_field(record.world, record.contour_radius, places[:0 if everywhere else None],
                          view.low, view.high)
    axes.contour(*level, levels=[0.0], colors=CONTOUR, linewidths=0.9 * view.weight,
                 zorder=1.5)


def draw_m_line(axes: Axes, record: RunRecord, view: View) -> None:
    """Draw the M-line if the algorithm has one."""
    if not record.has_m_line:
        return
    (x0, y0), (x1, y1) = record.m_line
    axes.plot([x0, x1], [y0, y1], zorder=3, gid='m_line', **m_line_style(view.weight))


def m_line_style(weight: float) -> Dict[str, Any]:
    """Return the style of an M-line; ``weight`` is a factor for its width."""
    return {'color': INK, 'linewidth': weight, 'linestyle': (0, (5, 4)), 'alpha': 0.75}


def _draw_certificate(axes: Axes, record: RunRecord, view: View) -> None:
    """Draw the points of the certificate, and the closed line through them."""
    if record.certificate:
        x, y = np.array([*record.certificate, record.certificate[0]]).T
        axes.plot(x, y, zorder=3.8, gid='certificate', **certificate_style(view.weight))


def certificate_style(weight: float) -> Dict[str, Any]:
    """Return the style of a certificate; ``weight`` is a factor for its width."""
    return {'color': CERTIFICATE, 'linewidth': 1.6 * weight, 'marker': 'o',
            'markersize': 3.4 * weight, 'solid_joinstyle': 'round'}


def phases(steps: Tuple[Step, ...]) -> Iterator[Tuple[Phase, List[Point]]]:
    """Yield the segments of a path by phase; each begins at the end of the last one."""
    end: List[Point] = []
    # The last tick has no state and keeps the previous one.
    state = ''
    named = []
    for step in steps:
        state = step.state or state
        named.append((phase_of(state), step.pose.position))
    for phase, group in itertools.groupby(named, key=lambda pair: pair[0]):
        stretch = end + [place for _, place in group]
        end = stretch[-1:]
        yield phase, stretch


def _draw_path(axes: Axes, record: RunRecord, view: View) -> None:
    for phase, stretch in phases(record.steps):
        # Skip a segment without motion.
        if max(distance(stretch[0], place) for place in stretch) < 1e-3:
            continue
        x, y = np.array(stretch).T
        axes.plot(x, y, color=phase.colour, linewidth=2.4 * view.weight, solid_capstyle='round',
                  solid_joinstyle='round', gid=f'path: {phase.label}', **_over(phase, view))
    _draw_directions(axes, record, view)


def _over(phase: Phase, view: View) -> Dict[str, Any]:
    """Return the style of a segment; a return is dashed, so that the lap below is visible."""
    if phase is RETURN:
        return {'linestyle': line_of(phase), 'zorder': 4.1}
    return {'zorder': 4.0, 'path_effects': [
        withStroke(linewidth=4.0 * view.weight, foreground=FLOOR)]}


def line_of(phase: Phase) -> Any:
    """Return the line style of a phase."""
    return (0, (2.0, 2.0)) if phase is RETURN else '-'


def _draw_directions(axes: Axes, record: RunRecord, view: View) -> None:
    """Draw arrow heads along the path, clear of hit and leave points."""
    room = view.metres(10.0 * view.weight)
    spacing = max(0.9, record.path_length / 30.0, view.metres(35.0 * view.weight))
    for k, heading in heads_along([step.pose.position for step in record.steps], spacing,
                                  view.metres(4.0), [mark.place for mark in record.marks], room):
        draw_head(axes, record.steps[k].pose.position, heading, SIZE * view.weight, zorder=4.5,
                  color=phase_of(record.steps[k].state).colour, markeredgecolor=FLOOR,
                  markeredgewidth=0.7 * view.weight)


def draw_robot(axes: Axes, record: RunRecord, at_the_end: bool = True) -> None:
    """Draw the robot to scale: filled at the start, as a circle at the end."""
    radius = record.robot_radius
    axes.add_patch(Circle(record.start.position, radius, facecolor=INK, edgecolor=INK,
                          linewidth=1.0, zorder=5, gid='robot at the start'))
    nose = record.start.apply((radius, 0.0))
    axes.plot([record.start.x, nose[0]], [record.start.y, nose[1]], color=PAPER, linewidth=1.4,
              zorder=5.1, gid='heading at the start')
    if not at_the_end:
        return
    end = record.steps[-1].pose if record.steps else record.start
    axes.add_patch(Circle(end.position, radius, facecolor=INK, alpha=0.18, linewidth=0,
                          zorder=3.5))
    axes.add_patch(Circle(end.position, radius, facecolor='none', edgecolor=INK, linewidth=1.0,
                          zorder=5, gid='robot at the end'))


def draw_goal(axes: Axes, record: RunRecord, view: View) -> None:
    """Draw the goal and its tolerance."""
    axes.add_patch(Circle(record.goal, record.goal_tolerance, facecolor=GOAL, alpha=0.25,
                          linewidth=0, zorder=5.2, gid='goal tolerance'))
    axes.plot(*record.goal, marker='*', markersize=15 * view.weight, color=GOAL,
              markeredgecolor=PAPER, markeredgewidth=view.weight, linestyle='', zorder=7,
              gid='goal')


def _draw_marks(axes: Axes, record: RunRecord, view: View) -> None:
    for kind, colour, marker in (('hit', HIT, 'o'), ('leave', LEAVE, 's')):
        places = [mark.place for mark in record.marks if mark.kind == kind]
        if places:
            axes.plot(*np.array(places).T, marker=marker, markersize=6.5 * view.weight,
                      linestyle='', color=colour, markeredgecolor=PAPER,
                      markeredgewidth=view.weight, zorder=6, gid=kind)


def _draw_labels(axes: Axes, record: RunRecord, view: View) -> None:
    groups = _together(record.marks, view.metres(9.0))
    texts = [numbered(group) for group in groups] + ['start', 'goal']
    colours = [HIT if group[0].kind == 'hit' else LEAVE for group in groups] + [INK, GOAL]
    anchors = [group[0].place for group in groups] + [record.start.position, record.goal]
    path = [step.pose.position for step in record.steps]
    gap = view.metres(5.5)
    gaps = [gap] * len(groups) + [record.robot_radius + 0.4 * gap, 1.4 * gap]
    discs = [(*place, record.robot_radius) for place in (record.start.position, *path[-1:])]
    labels = place_labels(texts, anchors, gaps, path, discs, record.world,
                          letter=view.metres(6.4), line=view.metres(9.5),
                          within=(view.low, view.high))
    for text, colour, place in zip(texts, colours, labels):
        axes.text(*place, text, color=colour, fontsize=9.5, fontweight='bold', ha='center',
                  va='center', zorder=8, clip_on=True,
                  path_effects=[withStroke(linewidth=2.6, foreground=FLOOR)])


def _together(marks: Sequence[Mark], near: float) -> List[List[Mark]]:
    """Group marks of one kind that are closer than ``near`` [m] to the first of the group."""
    groups: List[List[Mark]] = []
    for mark in marks:
        group = next((group for group in groups if group[0].kind == mark.kind
                      and distance(group[0].place, mark.place) < near), None)
        if group is None:
            groups.append([mark])
        else:
            group.append(mark)
    return groups


def numbered(marks: Sequence[Mark]) -> str:
    """Return one label for marks of one kind, such as H1 or H1,3-5."""
    numbers = sorted({mark.number for mark in marks})
    runs: List[List[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    texts = [f'{run[0]}' if len(run) == 1 else f'{run[0]}-{run[-1]}' for run in runs]
    if len(texts) > MAX_RUNS:
        texts[MAX_RUNS - 1:-1] = ['...']
    return marks[0].kind[0].upper() + ','.join(texts)


# ---- text -------------------------------------------------------------------------------------

def _draw_titles(figure: Figure, record: RunRecord, view: View) -> None:
    x, top = view.axes_box[0], view.figure_size[1]
    colour, verdict = verdict_of(record)
    figure.text(x, 1.0 - 0.36 / top, title(record), fontsize=15, fontweight='bold', color=INK,
                va='center', gid='title')
    figure.text(1.0 - (RIGHT + 0.06) / view.figure_size[0], 1.0 - 0.36 / top, verdict.upper(),
                fontsize=11, fontweight='bold', color=PAPER, ha='right', va='center',
                gid='verdict', bbox={'boxstyle': 'round,pad=0.45', 'facecolor': colour,
                                     'edgecolor': 'none'})
    figure.text(x, 1.0 - 0.72 / top, subtitle(record), fontsize=9.5, color=FAINT_INK,
                va='center', gid='subtitle')
    if not is_reached(record):
        figure.text(x, 1.0 - 0.95 / top, textwrap.shorten(message(record), int(13 * view.width)),
                    fontsize=9.5, color=FAINT_INK, va='center', style='italic', gid='message')


def has_arrived(record: RunRecord) -> bool:
    """Return whether the robot is truly at the goal, not only by its own estimate."""
    return record.outcome in ARRIVED and not record.goal_missed


def is_reached(record: RunRecord) -> bool:
    """Return whether the outcome is reached, and true."""
    return record.outcome == Outcome.REACHED.value and not record.goal_missed


def verdict_of(record: RunRecord) -> Tuple[str, str]:
    """Return the colour and text of the outcome."""
    if record.goal_missed and record.outcome == Outcome.REACHED.value:
        return WRONG, 'reached by its own estimate'
    return VERDICTS.get(record.outcome, (WRONG, record.outcome.replace('_', ' ')))


def message(record: RunRecord) -> str:
    """Return the message of the result, and for a missed goal its true distance."""
    if not record.goal_missed:
        return record.message
    truth = f'the robot truly is {record.goal_error:.2f} m from the goal'
    return (f'the estimated position is off: {truth}' if record.outcome == Outcome.REACHED.value
            else f'{truth}; {record.message}')


def title(record: RunRecord) -> str:
    """Return the headline: algorithm, world and turn direction."""
    turn = f', turning {record.turn}' if record.turn else ''
    return f'{record.algorithm} in {record.world.name}{turn}'


def subtitle(record: RunRecord) -> str:
    """Return the numbers of a run in one line."""
    parts = [f'path {record.path_length:.2f} m']
    if record.shortest_path is not None:
        parts.append(f'shortest path {record.shortest_path:.2f} m')
    parts.append(f'{record.time:.1f} s')
    parts += [_counted(record.count(kind), f'{kind} point') for kind in ('hit', 'leave')]
    return '   ·   '.join(parts)


def _counted(number: int, noun: str) -> str:
    return f'{number} {noun}' + ('' if number == 1 else 's')


def _draw_legend(figure: Figure, record: RunRecord, view: View) -> None:
    handles: List[Any] = [
        Line2D([], [], color=phase.colour, linewidth=2.2, linestyle=line_of(phase),
               label=phase.label)
        for phase in (*reversed(PHASES), OTHER)
        if phase in visible_phases(record, view.metres(MIN_VISIBLE))]
    if any(view.shows(solid) for solid in record.world.solids):
        handles.append(Patch(facecolor=SOLID, edgecolor=SOLID_EDGE, label='obstacle'))
        handles += [Patch(facecolor=FACES[surface], edgecolor=SOLID_EDGE, label=surface)
                    for surface in record.world.special_surfaces]
        handles.append(Line2D([], [], color=CONTOUR, linewidth=1.2, label='contour at '
                              f'{record.contour_radius:.3g} m'))
    if record.has_m_line:
        handles.append(Line2D([], [], label='M-line', **m_line_style(1.0)))
    if record.certificate:
        handles.append(Line2D([], [], label='certificate', **certificate_style(1.0)))
    for kind, colour, marker in (('hit', HIT, 'o'), ('leave', LEAVE, 's')):
        if any(mark.kind == kind and view.shows([mark.place]) for mark in record.marks):
            handles.append(Line2D([], [], color=colour, marker=marker, markersize=6,
                                  linestyle='', label=f'{kind} point'))
    figure.legend(handles=handles, loc='lower left', fontsize=8.5, frameon=False,
                  labelcolor=INK, ncol=_columns(len(handles), view), handlelength=1.8,
                  columnspacing=1.8, bbox_to_anchor=(view.axes_box[0], 0.06 / view.figure_size[1]),
                  borderaxespad=0.0, borderpad=0.0)


def _columns(count: int, view: View) -> int:
    """Return the number of columns of the legend: one row if it fits, else two."""
    return count if count <= 4 or (count <= 6 and view.width > 7.5) else math.ceil(count / 2)


def visible_phases(record: RunRecord, least: float) -> Set[Phase]:
    """Return the phases with a visible length of ``least`` [m], outside the robot at the end."""
    end = record.steps[-1].pose.position if record.steps else record.start.position
    lengths: Dict[Phase, float] = {}
    for phase, stretch in phases(record.steps):
        lengths[phase] = lengths.get(phase, 0.0) + sum(
            distance(here, there) for here, there in zip(stretch, stretch[1:])
            if distance(there, end) > record.robot_radius)
    return {phase for phase, length in lengths.items() if length >= least}
