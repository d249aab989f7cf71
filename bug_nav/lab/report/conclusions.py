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

"""Conclusions of a campaign as sentences: which was best, by how much, how significant."""

from __future__ import annotations

from operator import attrgetter
from typing import Dict, List, NamedTuple, Optional, Sequence

from bug_nav.lab.report.episode_selection import alarm
from bug_nav.lab.report.scores import (
    BOUND_MARGIN,
    bound_ratio,
    RELIABLE,
    reliable,
    Results,
    Score,
    Share,
    shortest_reliable,
)
from bug_nav.lab.report.statistics import Interval
from bug_nav.lab.rows import is_wrong, PERFECT, Row
from bug_nav.navigation.names import listed

SIGNIFICANT = 0.05
NOISES = (('range_noise', 'range noise', ' m'), ('odometry_noise', 'odometry noise', ''))
"""Columns of noise levels, their names and units."""
MISSING = '–'


class Sentence(NamedTuple):
    """A conclusion: its topic, its text, and the names that the text begins with."""

    about: str
    text: str
    names: str = ''


def conclusions(campaign: Results) -> List[Sentence]:
    """Return the conclusions, the most important first."""
    found = [_reached(campaign), _shortest(campaign), _repetitions(campaign),
             *_under_noise(campaign), _verdicts(campaign), _under_drift(campaign),
             _safety(campaign)]
    return [sentence for sentence in found if sentence]


# ---- goals reached ----------------------------------------------------------------------------

def _reached(campaign: Results) -> Optional[Sentence]:
    scores = [score for score in campaign.scores if score.success.total]
    if not scores:
        return Sentence('Goals', 'No goal of this campaign is reachable.')
    if scores[0].success.hits == 0:
        return Sentence('Goals', f'None of the {_goals(scores[0].success.total)} was reached.')
    top = [score for score in scores if score.success.value == scores[0].success.value]
    rest = scores[len(top):]
    names, share = listed(score.name for score in top), share_text(scores[0].success)
    if not rest:
        return Sentence('Goals', f'reached {share}{" each, a tie" if len(top) > 1 else ""}.',
                        names)
    text = f'reached the most goals: {share}{" each, a tie" if len(top) > 1 else ""}. '
    if len(top) == 1:
        text += _lead(campaign, top[0], rest[0])
    if rest[-1] is not rest[0] or len(top) > 1:
        text += f'{rest[-1].name} reached the fewest: {share_text(rest[-1].success)}.'
    return Sentence('Goals', text, names)


def _lead(campaign: Results, best: Score, second: Score) -> str:
    wins, losses, p = campaign.reached_more(best.name, second.name)
    text = f'{second.name} comes next with {percent(second.success.value)}'
    if wins + losses:
        sure = '' if p < SIGNIFICANT else ', not significant: consider it a tie'
        how = ('one of the two reached in more of its runs, {} is ahead in {}'
               if campaign.has_repetitions else 'only one of the two reached, {} reached {}')
        text += (f': of the {count_text(wins + losses)} goal{"" if wins + losses == 1 else "s"} '
                 f'that {how.format(best.name, count_text(wins))} ({p_text(p)}{sure})')
    return text + '. '


def _under_noise(campaign: Results) -> List[Sentence]:
    """Return how the share of goals falls from the lowest to the highest level of each noise."""
    found = []
    for column, called, unit in NOISES:
        levels = campaign.levels(column)
        if len(levels) < 2 or column not in campaign.noises:
            continue
        ends = campaign.scores_at(attrgetter(column), (
            row for row in campaign.rows if getattr(row, column) in (levels[0], levels[-1])))
        low, high = ({name: score.success for name, score in scores.items()
                      if score.success.total} for scores in ends.values())
        both = sorted(set(low) & set(high))
        if not both:
            continue
        ends_text = f'{called} {levels[0]:g}{unit}', f'{called} {levels[-1]:g}{unit}'
        found.append(_change({name: low[name].value or 0.0 for name in both},
                             {name: high[name].value or 0.0 for name in both}, *ends_text))
    return found


def _change(low: Dict[str, float], high: Dict[str, float], start: str, end: str) -> Sentence:
    """
    Return how shares of goals change between two levels of noise.

    :param low, high: the share of each name at both levels.
    :param start, end: the levels, as text.
    """
    most = max(high.values())
    top = [name for name in high if high[name] == most]
    worst = max(high, key=lambda name: low[name] - high[name])
    loss = '' if low[worst] <= high[worst] else (
        f' {worst} loses the most: from {percent(low[worst])} to {percent(high[worst])}.')
    if len(high) == 1:
        return Sentence('Noise', f'reaches {percent(most)} of the goals at {end}, after '
                        f'{percent(low[top[0]])} at {start}.', top[0])
    everyone = 'Both' if len(high) == 2 else f'All {len(high)}'
    if low == high and len(top) == len(high):
        return Sentence('Noise', f'{everyone} keep {percent(most)} of the goals up to {end}.')
    if len(top) == len(high):
        return Sentence('Noise', f'{everyone} reach {percent(most)} of the goals at {end}, a tie.'
                        f'{loss}')
    if len(top) > 1:
        return Sentence('Noise', f'reach the most goals at {end}: {percent(most)} each, a tie.'
                        f'{loss}', listed(top))
    return Sentence('Noise', f'reaches the most goals at {end}: {percent(most)}, after '
                    f'{percent(low[top[0]])} at {start}.{"" if worst == top[0] else loss}', top[0])


def share_text(share: Share) -> str:
    """Return a share with its interval, as in `95 of 96 (99.0 %, interval 94.3 to 99.8 %)`."""
    if share.value is None:
        return 'nothing'
    return (f'{count_text(share.hits)} of {_goals(share.total)} ({percent(share.value)}, interval '
            f'{percents(share.interval)})')


def _goals(count: int) -> str:
    return f'{count_text(count)} reachable goal{"" if count == 1 else "s"}'


# ---- path lengths -----------------------------------------------------------------------------

def _shortest(campaign: Results) -> Optional[Sentence]:
    scores = reliable(campaign.scores)
    if not scores:
        return None
    names, by_name = [score.name for score in scores], {score.name: score for score in scores}
    if len(names) == 1:
        alone = '' if len(campaign.names) == 1 else ' No other reached nearly as many goals.'
        return Sentence('Paths', f'drove {_ratio_text(scores[0])}.{alone}', names[0])
    order, cases = campaign.ranking(names)
    if not cases:
        return Sentence('Paths', f'There is no goal that all of {listed(names)} reached.')
    all_of_them = 'both' if len(names) == 2 else f'all {len(names)}'
    among = '' if len(names) == len(campaign.names) else (
        f' that reached at least {100 * RELIABLE:.0f}\u202f% of the goals of the best')
    equal = campaign.equals(order)
    how = 'the shortest paths' if len(equal) == 1 else 'paths of the same length, a tie,'
    where = f'in the {count_text(cases)} case{"" if cases == 1 else "s"} solved by {all_of_them}'
    next_one = _difference(campaign, order[0], order[len(equal)]) if order[len(equal):] else ''
    text = (f'drove {how} {where}{among}. {next_one}{" " if next_one else ""}Over all the goals '
            f'that {order[0]} reached, it drove {_ratio_text(by_name[order[0]])}.')
    return Sentence('Paths', text + _by_group(campaign), listed(equal))


def _by_group(campaign: Results) -> str:
    """Return which have the shortest paths in each group, if that differs between groups."""
    groups: Dict[str, List[str]] = {}
    for group, scores in campaign.scores_at(attrgetter('group'), campaign.rows).items():
        names = shortest_reliable(scores.values())
        if names:
            groups.setdefault(listed(names), []).append(group)
    if len(groups) < 2:
        return ''
    parts = '; '.join(f'{name} in {listed(found)}' for name, found in groups.items())
    return f' By world, the shortest on average: {parts}.'


def _ratio_text(score: Score) -> str:
    ratio = score.ratio
    assert ratio is not None
    between = f' (interval {_between(ratio.interval, 2)})' if ratio.interval else ''
    return (f'{ratio.median:.2f} times the shortest path at the median, {ratio.mean:.2f} times on '
            f'average{between}')


def _difference(campaign: Results, best: str, second: str) -> str:
    pair = campaign.pairs[second, best]
    if pair.interval is None and pair.worlds == 1:
        return f'{second} comes next.{_overlap(campaign, best, second)}'
    if pair.interval is None:
        return (f'{second} comes next, with paths {100.0 * (pair.ratio - 1.0):.1f}\u202f% longer; '
                f'{pair.worlds} pairs of start and goal are too few for an interval.')
    by = [f'{100.0 * (value - 1.0):.1f}'.replace('-', '\u2212')
          for value in (pair.ratio, *pair.interval)]
    sure = '' if pair.differ else ', which is not significant: consider it a tie'
    return (f'{second} comes next, with paths {by[0]}\u202f% longer (interval {by[1]} to '
            f'{by[2]}\u202f%){sure}.')


def _overlap(campaign: Results, best: str, second: str) -> str:
    """Return the ranges of path lengths of two in a single world."""
    mine, theirs = campaign.lengths(best), campaign.lengths(second)
    if min(len(mine), len(theirs)) < 2:
        return ' Each was driven once in one world: another seed may reverse that.'
    text = (f' There {best} drove {min(mine):.1f} to {max(mine):.1f}\u202fm, {second} '
            f'{min(theirs):.1f} to {max(theirs):.1f}\u202fm')
    return text + (': consider it a tie.' if max(mine) >= min(theirs) else '.')


def _repetitions(campaign: Results) -> Optional[Sentence]:
    """Return the largest ratio of path lengths that differ only by seed."""
    spreads = campaign.spreads
    if not spreads:
        return None
    name = max(sorted(spreads), key=lambda each: spreads[each][0])
    most, lengths, world = spreads[name]
    return Sentence('Noise alone', 'has the largest difference between repetitions of one start '
                    f'and goal: in {world}, the longest path ({lengths[1]:.1f}\u202fm) is '
                    f'{most:.2f} times as long as the shortest ({lengths[0]:.1f}\u202fm).', name)


# ---- verdicts, drift, safety ------------------------------------------------------------------

def _verdicts(campaign: Results) -> Sentence:
    verdicts = [row for row in campaign.rows
                if row.verdict in ('right', 'wrong') or is_wrong(row)]
    wrong = [row for row in verdicts if is_wrong(row)]
    none = [row for row in campaign.rows if row.verdict == 'none']
    if not verdicts:
        text = 'No verdict was given that can be judged.'
    elif wrong:
        text = (f'{count_text(len(wrong))} of {count_text(len(verdicts))} were wrong '
                f'({percent(len(wrong) / len(verdicts))}){_only_under_noise(campaign, wrong)}: '
                f'{_by_name(campaign, wrong)}.')
    else:
        high = Share(0, len(verdicts)).interval
        assert high is not None
        text = (f'All {count_text(len(verdicts))} were right (at most {percent(high.high)} wrong, '
                'by the interval).')
    shut = [row.certified for row in campaign.rows if row.certified is not None]
    if shut:
        text += (f' {count_text(sum(shut))} of {count_text(len(shut))} outcomes UNREACHABLE have '
                 'a valid certificate.')
    if none:
        text += (f' {_episodes(len(none))} ended without one: '
                 f'{_by_name(campaign, none)}.')
    return Sentence('Verdicts', text)


def _under_drift(campaign: Results) -> Optional[Sentence]:
    """Return the share of right verdicts under drift with each correction, if several."""
    shares = []
    for correction in campaign.levels('correction'):
        rows = [row for row in campaign.rows if row.correction == correction
                and row.odometry != PERFECT and row.reachable is not None]
        share = Share(sum(row.verdict == 'right' for row in rows), len(rows))
        if share.total:
            shares.append(f'with {correction} {percent(share.value)} of '
                          f'{count_text(share.total)} episodes have the right verdict (interval '
                          f'{percents(share.interval)})')
    return Sentence('Drift', f'Where odometry drifts, {listed(shares)}.') if shares[1:] else None


def _only_under_noise(campaign: Results, rows: Sequence[Row]) -> str:
    """Return the lowest noise level of some rows, if the campaign has lower levels."""
    text = ''
    for column, called, unit in NOISES:
        least = min(getattr(row, column) for row in rows)
        if column in campaign.noises and least > campaign.levels(column)[0]:
            text += f', all at {called} {least:g}{unit}'
            text += ' or more' if least < campaign.levels(column)[-1] else ''
    return text


def _safety(campaign: Results) -> Sentence:
    touched = [row for row in campaign.rows if row.contacts]
    nearest = min((row.min_clearance for row in campaign.rows if row.min_clearance is not None),
                  default=None)
    if touched:
        text = (f'{_episodes(len(touched))} ended in a contact: '
                f'{_by_name(campaign, touched)}.')
    else:
        text = 'There was no contact' + (
            f'; the smallest clearance of the body was {100.0 * nearest:.1f}\u202fcm.'
            if nearest is not None else '.')
    ratios = [ratio for ratio in map(bound_ratio, campaign.rows) if ratio is not None]
    if ratios:
        text += ' ' + _bounds(ratios)
    return Sentence('Safety', text)


def _bounds(ratios: Sequence[float]) -> str:
    """Return how path lengths compare with their published bounds."""
    most, count = max(ratios), count_text(len(ratios))
    over = count_text(sum(ratio > 1.0 for ratio in ratios))
    beyond = count_text(sum(ratio > BOUND_MARGIN for ratio in ratios))
    if most <= 1.0:
        return (f'No path was longer than its published bound (the longest: {most:.3f} times the '
                f'bound, of {count} paths).')
    text = (f'{over} of {count} paths were longer than their published bound, which is for a '
            f'point robot (the longest: {most:.3f} times the bound); ')
    return text + (f'{beyond} of them by more than the {100.0 * (BOUND_MARGIN - 1.0):.0f}\u202f% '
                   'allowed for a body.' if most > BOUND_MARGIN else
                   f'none by more than the {100.0 * (BOUND_MARGIN - 1.0):.0f}\u202f% allowed for '
                   'a body.')


def _by_name(campaign: Results, rows: Sequence) -> str:
    counts: Dict[str, int] = {}
    for row in rows:
        counts[campaign.name_of(row)] = counts.get(campaign.name_of(row), 0) + 1
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return listed([f'{name} {count_text(counts[name])}' for name in order], 6)


def alarm_counts(campaign: Results) -> List[Sentence]:
    """Return the number of alarms of each kind, by name."""
    kinds: Dict[str, List[Row]] = {}
    for row in campaign.rows:
        if alarm(row):
            kinds.setdefault(alarm(row), []).append(row)
    return [Sentence(f'{count_text(len(rows))} × {kind}{_only_under_noise(campaign, rows)}',
                     _by_name(campaign, rows))
            for kind, rows in sorted(kinds.items(), key=lambda pair: -len(pair[1]))]


# ---- formatting -------------------------------------------------------------------------------

def count_text(count: int) -> str:
    """Return a count with thin spaces between thousands."""
    return f'{count:,}'.replace(',', '\u202f')


def _episodes(count: int) -> str:
    return f'{count_text(count)} episode{"" if count == 1 else "s"}'


def fixed(value: Optional[float], digits: int = 2) -> str:
    """Return a number with fixed decimals; a dash for None."""
    return MISSING if value is None else f'{value:.{digits}f}'


def percent(value: Optional[float]) -> str:
    """Return a share as `98.6 %`; rounded to 0 or 100 only if exact."""
    if value is None:
        return MISSING
    return f'{_percent_number(value)}\u202f%'


def percents(interval: Optional[Interval]) -> str:
    """Return an interval of shares as `94.3 to 99.8 %`."""
    return MISSING if interval is None else (
        f'{_percent_number(interval.low)} to {_percent_number(interval.high)}\u202f%')


def _percent_number(value: float) -> str:
    if value in (0.0, 1.0):
        return f'{100.0 * value:.0f}'
    return '<0.1' if value < 0.0005 else '>99.9' if value > 0.9995 else f'{100.0 * value:.1f}'


def _between(interval: Interval, digits: int) -> str:
    return f'{interval.low:.{digits}f} to {interval.high:.{digits}f}'


def p_text(p: float) -> str:
    """Return a p-value."""
    return 'p < 0.001' if p < 0.001 else f'p = {p:.2f}' if p >= 0.1 else f'p = {p:.3f}'
