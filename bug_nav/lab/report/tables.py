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

"""Scores of a campaign as LaTeX tables with booktabs, or as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence

from bug_nav.files.paths import atomic_write
from bug_nav.lab.report.charts import styles_of
from bug_nav.lab.report.conditions import Condition, conditions, verdicts
from bug_nav.lab.report.scores import Results, Score, Share
from bug_nav.lab.report.statistics import Interval
from bug_nav.lab.rows import Row

ENDINGS = ('.tex', '.csv')
_ESCAPED = str.maketrans({
    '\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}',
    '–': '--', **{each: f'\\{each}' for each in '&%$#_{}'}})


def write_tables(rows: Iterable[Row], path: Path, *, by: str = 'algorithm') -> None:
    """
    Write the scores of a campaign, overall and by condition; the suffix determines the format.

    :param by: column whose values are compared, one of `scores.SERIES`.
    :raises ValueError: for a row with impossible numbers, in one sentence.
    :raises OSError: if the file cannot be written.
    """
    campaign = Results([row for row in rows if not row.still], by)
    text = {'.tex': latex, '.csv': comma_separated}[path.suffix.lower()](campaign)
    with atomic_write(path) as partial:
        partial.write_text(text, encoding='utf-8')


# ---- CSV --------------------------------------------------------------------------------------

def comma_separated(campaign: Results) -> str:
    """Return one table: a line per overall score, then per score at each level of a condition."""
    styles = styles_of(campaign.names)
    lines = [_numbers(campaign.by, '', '', score) for score in campaign.scores]
    for condition in conditions(campaign, styles):
        lines += [_numbers(campaign.by, condition.title, level, scores[k])
                  for k, level in enumerate(condition.levels)
                  for _, scores in condition.rows if scores[k] is not None]
    text = io.StringIO()
    if lines:
        writer = csv.DictWriter(text, list(lines[0]), lineterminator='\n')
        writer.writeheader()
        writer.writerows(lines)
    return text.getvalue()


def _numbers(by: str, condition: str, level: str, score: Score) -> Dict[str, Any]:
    """Return a score as columns; missing numbers are empty."""
    success, ratio = score.success.interval, score.ratio
    mean = ratio.interval if ratio else None
    columns = {
        'condition': condition, 'level': level, by: score.name, 'episodes': score.episodes,
        'goals': score.success.total, 'goals_reached': score.success.hits,
        'share': score.success.value, **_ends('share', success),
        'unreachable_goals': score.unreachable.total,
        'unreachable_right': score.unreachable.hits,
        'judged': score.verdicts.total, 'right': score.verdicts.hits, 'wrong': score.wrong,
        'no_verdict': score.none, 'with_contact': score.contacts,
        'path_median': ratio.median if ratio else None,
        'path_mean': ratio.mean if ratio else None, **_ends('path_mean', mean),
        'path_p5': ratio.p5 if ratio else None, 'path_p95': ratio.p95 if ratio else None,
        'path_most': ratio.most if ratio else None, 'bound_most': score.bound,
        'clearance_least': score.clearance, 'clearance_mean': score.mean_clearance,
        'time_median': score.time, 'oscillation_mean': score.oscillation}
    return {name: f'{value:.6g}' if isinstance(value, float) else value
            for name, value in columns.items()}


def _ends(name: str, interval: Optional[Interval]) -> Dict[str, Optional[float]]:
    return {f'{name}_low': interval and interval.low, f'{name}_high': interval and interval.high}


# ---- LaTeX ------------------------------------------------------------------------------------

def latex(campaign: Results) -> str:
    """Return a table of the scores, one per condition, and one of the verdicts."""
    styles = styles_of(campaign.names)
    parts = [r'% Needs \usepackage{booktabs}. Intervals are 95 % confidence intervals.',
             _scores(campaign), *(_condition(campaign.by, condition)
                                  for condition in conditions(campaign, styles))]
    counts = verdicts(campaign)
    if counts:
        parts.append(_verdicts(counts))
    return '\n\n'.join(parts) + '\n'


def _scores(campaign: Results) -> str:
    lines = [(_escaped(score.name), f'{score.success.hits}/{score.success.total}',
              _share(score.success), _count(score.unreachable),
              f'{score.verdicts.hits}/{score.verdicts.total}',
              str(score.wrong), str(score.contacts), *_ratio(score))
             for score in campaign.scores]
    return _table('scores', 'Goals reached, verdicts, and path / shortest path of episodes that '
                  'arrived.', 'lrlrrrrrl',
                  [campaign.by, 'reached', r'share [\%]', 'unreachable', 'right', 'wrong',
                   'touched', 'median', 'mean path ratio'], lines)


def _ratio(score: Score) -> Iterator[str]:
    if score.ratio is None:
        yield from ('--', '--')
        return
    yield f'{score.ratio.median:.2f}'
    ends = score.ratio.interval
    yield f'{score.ratio.mean:.2f}' + (f' [{ends.low:.2f}, {ends.high:.2f}]' if ends else '')


def _condition(by: str, condition: Condition) -> str:
    """Return goals reached and mean path ratio; the longer of names and levels is vertical."""
    cells = [[_cell(score, style.name in best)
              for score, best in zip(scores, condition.best)]
             for style, scores in condition.rows]
    names = [style.name for style, _ in condition.rows]
    heads, sides, corner = condition.levels, names, by
    if len(condition.levels) > len(names):
        cells = [list(each) for each in zip(*cells)]
        heads, sides, corner = names, condition.levels, condition.title.lower()
    lines = [[_escaped(side), *row] for side, row in zip(sides, cells)]
    return _table(condition.title.lower().replace(' ', '-'),
                  f'{condition.title}: goals reached [\\%], and the mean path ratio; bold: the '
                  'shortest.', 'l' + 'r' * len(heads),
                  [corner, *map(_escaped, heads)], lines)


def _cell(score: Optional[Score], is_best: bool) -> str:
    if score is None or score.success.value is None:
        return '--'
    ratio = f'{score.ratio.mean:.2f}' if score.ratio else '--'
    return f'{100.0 * score.success.value:.1f}, ' + (f'\\textbf{{{ratio}}}' if is_best else ratio)


def _verdicts(counts: Sequence[tuple]) -> str:
    heads = ['variant', 'correction', 'episodes', r'right [\%]', 'false unreachable',
             'false reached', 'no verdict', 'contacts']
    estimated = any(each.estimates.episodes for _, _, each, _ in counts)
    lines = [(_escaped(variant), _escaped(correction), str(each.episodes), _share(share),
              str(each.false_unreachable), str(each.false_reached),
              str(sum(each.no_verdict.values())), str(each.contacts),
              *(map(_escaped, each.estimate_cells) if estimated else ()))
             for variant, correction, each, share in counts]
    if estimated:
        heads += ['NEES', r'within 2 $\sigma$', 'max error']
    return _table('verdicts', 'Verdicts by variant and correction of drift.',
                  'llrlrrrr' + 'rrr' * estimated, heads, lines)


def _share(share: Share) -> str:
    if share.value is None or share.interval is None:
        return '--'
    low, high = share.interval
    return f'{100.0 * share.value:.1f} [{100.0 * low:.1f}, {100.0 * high:.1f}]'


def _count(share: Share) -> str:
    return f'{share.hits}/{share.total}' if share.total else '--'


def _table(label: str, caption: str, columns: str, heads: Sequence[str],
           lines: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return ' & '.join(cells) + r' \\'
    rows: List[str] = [line(each) for each in lines]
    return '\n'.join([
        r'\begin{table}', r'  \centering\small', f'  \\caption{{{caption}}}',
        f'  \\label{{tab:{label}}}', f'  \\begin{{tabular}}{{{columns}}}', r'    \toprule',
        f'    {line(heads)}', r'    \midrule', *(f'    {row}' for row in rows),
        r'    \bottomrule', r'  \end{tabular}', r'\end{table}'])


def _escaped(text: str) -> str:
    """Return a text escaped for LaTeX."""
    return text.translate(_ESCAPED).replace('\u202f', r'\,')
