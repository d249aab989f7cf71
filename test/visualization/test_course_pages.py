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

"""Tests of diagrams and exercises in a browser: dragging, keys, playback, judges, and print."""

from __future__ import annotations

import html
import json
import math
from pathlib import Path
import random
import re

from browsing import until
from bug_nav.visualization.course_script import write_script
from course_scenes import COMPLETE, is_reachable
import pytest
from shapely.geometry import LineString, Point, Polygon
from subsets import subset

pytestmark = [pytest.mark.xdist_group('course'), pytest.mark.timeout(600)]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'
CHAPTERS = [*sorted((DOCS / 'course').glob('*.md')), DOCS / 'embed_diagrams.md']
FENCE = re.compile(r'^```.*?^```$', re.MULTILINE | re.DOTALL)
ELEMENT = re.compile(r'<bug-(diagram|exercise)\b[^>]*>.*?</bug-\1>', re.DOTALL)

# The diagrams of a page, those of exercises too, with a record of every computed result.
RECORD = """() => {
  window.diagrams = [...document.querySelectorAll('bug-diagram, bug-exercise')]
    .map((element) => element.diagram ?? element);
  const round = (run) => ({name: run.name, verdict: run.run.verdict, length: run.run.length,
    at: run.run.path[run.run.path.length - 1]});
  return Promise.all(diagrams.map(async (diagram) => {
    await diagram.build();
    const {model} = diagram;
    const compute = model.compute.bind(model);
    diagram.log = [];
    model.compute = () => {
      const result = compute();
      const {scene, options} = model;
      diagram.log.push({loops: result.scene.boundaries.map(({corners}) => corners),
        start: scene.start, goal: scene.goal, turn: options.turn, sight: options.range,
        runs: result.runs.map(round)});
      return result;
    };
  }));
}"""
BOX_OF = 'k => { const r = diagrams[k].picture.root.getBoundingClientRect();' \
         'return [r.left, r.top, r.width, r.height]; }'
HANDLE_OF = """([k, number]) => {
  const node = diagrams[k].picture.layers.handles.children[number];
  if (!node) return null;
  const r = node.getBoundingClientRect();
  return [r.left + r.width / 2, r.top + r.height / 2];
}"""


@pytest.fixture
def show(open_file, tmp_path):
    """Return a function that opens elements on a page from a file, without script errors."""
    def opened(markup, width=1000, **options):
        write_script(tmp_path)
        path = tmp_path / 'page.html'
        path.write_text('<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>t</title>'
                        '<meta name="viewport" content="width=device-width">'
                        f'<body>{markup}<script src="bug_course.js"></script>', encoding='utf-8')
        page = open_file(path.as_uri(), viewport={'width': width, 'height': 900}, **options)
        page.evaluate(RECORD)
        return page

    return opened


def diagram(**attributes):
    return element('bug-diagram', '', attributes)


def element(name, content, attributes):
    text = ''.join(f' {key.replace("_", "-")}="{html.escape(value)}"'
                   for key, value in attributes.items())
    return f'<{name}{text}>{content}</{name}>'


def verdicts(page, number=0):
    return page.evaluate('k => diagrams[k].model.result.runs.map(({run}) => run.verdict)', number)


def drag(page, number, handle, *places):
    """Drag a handle of a diagram to places in shares of the picture."""
    left, top, width, height = page.evaluate(BOX_OF, number)
    begin = page.evaluate(HANDLE_OF, [number, handle])
    if begin is None:
        return
    page.mouse.move(*begin)
    page.mouse.down()
    for x, y in places:
        page.mouse.move(left + x * width, top + y * height)
    page.evaluate('() => new Promise(requestAnimationFrame)')
    page.mouse.up()


def drag_all(page, draw, times):
    """Drag all handles of all diagrams of a page; return the durations of the updates [ms]."""
    durations = []
    for number in range(page.evaluate('diagrams.length')):
        page.evaluate('k => diagrams[k].scrollIntoView({block: "center"})', number)
        count = page.evaluate('k => diagrams[k].picture.layers.handles.children.length', number)
        for handle in range(count):
            drag(page, number, handle, *((draw.uniform(0.03, 0.97), draw.uniform(0.03, 0.97))
                                         for _ in range(math.ceil(times / count))))
        durations += page.evaluate('k => diagrams[k].mover.times', number)
    return durations


# ---- the paths ----------------------------------------------------------------------------------

def check_log(log):
    """Compare recorded verdicts with the truth; return the number of runs."""
    count = 0
    for entry in log:
        truth = is_reachable(entry['loops'], entry['start'], entry['goal'])
        for run in entry['runs']:
            expected = {'reached' if truth else 'unreachable'}
            if run['name'] not in COMPLETE:
                expected = {'reached', 'loop', 'misled', 'lost', 'limit'} if truth else {
                    'loop', 'unreachable', 'misled', 'lost', 'limit'}
            assert run['verdict'] in expected, json.dumps(entry)
            count += 1
    return count


@pytest.mark.parametrize('algorithm', subset(
    ['bug2', 'bug0', 'bug1', 'tangent_bug', 'vis_bug_21'], 3))
def test_every_verdict_of_a_drag_is_the_truth(show, algorithm):
    page = show(diagram(algorithm=algorithm, scene='u_trap', drag='start goal walls'))
    drag_all(page, random.Random(1), 40)
    log = page.evaluate('diagrams[0].log')
    assert len(log) >= 25
    assert check_log(log[::2]) >= 3


@pytest.mark.parametrize('chapter', CHAPTERS, ids=lambda path: path.stem)
def test_every_diagram_of_a_chapter_can_be_dragged(show, chapter):
    check_chapter(show, chapter, times=8, share=8)


@pytest.mark.slow
@pytest.mark.parametrize('chapter', CHAPTERS, ids=lambda path: path.stem)
def test_every_diagram_of_a_chapter_can_be_dragged_a_hundred_times(show, chapter, record_property):
    durations = check_chapter(show, chapter, times=100, share=4)
    if durations:
        record_property('drag_ms_median', sorted(durations)[len(durations) // 2])
        record_property('drag_ms_max', max(durations))


def check_chapter(show, chapter, times, share):
    text = FENCE.sub('', chapter.read_text(encoding='utf-8'))
    markup = [found.group() for found in ELEMENT.finditer(text)]
    if not markup:
        return []
    page = show('\n'.join(markup))
    assert page.evaluate('diagrams.every(({model}) => Boolean(model))')
    durations = drag_all(page, random.Random(chapter.stem), times)
    for number in range(len(markup)):
        check_log(page.evaluate('k => diagrams[k].log', number)[::share])
    return durations


# ---- one diagram --------------------------------------------------------------------------------

def test_dragged_goal_gives_a_new_path_that_ends_there(show):
    page = show(diagram(algorithm='bug2', scene='box'))
    before = page.evaluate('diagrams[0].model.result.runs[0].run.length')
    drag(page, 0, 0, (0.8, 0.3), (0.9, 0.2))
    run = page.evaluate('diagrams[0].log.at(-1)')
    assert run['runs'][0]['at'] == run['goal'] and run['runs'][0]['length'] != before
    assert page.evaluate('diagrams[0].mover.times.length') >= 1


def test_start_in_a_wall_is_refused_with_the_reason(show):
    page = show(diagram(algorithm='bug2', scene='box'))
    place = page.evaluate("""() => {
      const {camera} = diagrams[0].picture;
      return [camera.screenX(3) / camera.width, camera.screenY(0.5) / camera.height];
    }""")
    drag(page, 0, 1, place)
    assert page.evaluate('diagrams[0].model.scene.start') == [0, 0]
    assert page.evaluate('diagrams[0].notice.textContent') == (
        'The start must be outside all obstacles.')


def test_finger_drags_the_goal_and_does_not_scroll_the_page(show):
    page = show(diagram(algorithm='bug2', scene='box') + '<p style="height: 3000px"></p>',
                width=390, has_touch=True)
    x, y = page.evaluate(HANDLE_OF, [0, 0])
    touch = page.context.new_cdp_session(page)

    def send(kind, *places):
        touch.send('Input.dispatchTouchEvent', {
            'type': kind, 'touchPoints': [{'x': x, 'y': y} for x, y in places]})

    send('touchStart', (x, y))
    for k in range(1, 6):
        send('touchMove', (x - 2 * k, y - 8 * k))
        page.evaluate('() => new Promise(requestAnimationFrame)')
    send('touchEnd')
    page.evaluate('() => new Promise(requestAnimationFrame)')
    goal = page.evaluate('diagrams[0].model.scene.goal')
    assert goal[1] > 0.3 and goal[0] < 6
    assert page.evaluate('scrollY') == 0
    # Beside the movable places, a finger scrolls.
    left, top, width, height = page.evaluate(BOX_OF, 0)
    send('touchStart', (left + 15, top + height - 15))
    for k in range(1, 8):
        send('touchMove', (left + 15, top + height - 15 - 12 * k))
    send('touchEnd')
    until(page, 'scrollY > 20')


def test_outline_that_crosses_itself_is_refused(show):
    page = show(diagram(algorithm='bug2', scene='box', drag='walls'))
    drag(page, 0, 0, (0.8, 0.5))
    assert page.evaluate('diagrams[0].model.scene.obstacles[0][0]') == [2.5, -0.8]
    assert page.evaluate('diagrams[0].notice.textContent') == (
        'The outline of an obstacle would cross itself.')


def test_arrow_keys_move_the_focused_place_and_the_result_is_announced(show):
    page = show(diagram(algorithm='bug2', scene='box'))
    page.evaluate("diagrams[0].picture.layers.handles.querySelector('.goal').focus()")
    for key in ('ArrowUp', 'ArrowUp', 'Shift+ArrowRight'):
        page.keyboard.press(key)
    assert page.evaluate('diagrams[0].model.scene.goal') == [6.02, 0.2]
    label = "diagrams[0].shadowRoot.activeElement.getAttribute('aria-label')"
    assert page.evaluate(label) == 'Goal, x 6.02, y 0.20'
    until(page, "diagrams[0].spoken.textContent.startsWith('Bug2, turning left: Goal reached')")


def test_every_control_is_reached_by_the_tab_key(show):
    page = show(diagram(algorithm='bug2', scene='box', drag='start goal walls', sliders='rho'))
    seen = []
    for _ in range(14):
        page.keyboard.press('Tab')
        seen.append(page.evaluate("""() => {
          const {activeElement} = diagrams[0].shadowRoot;
          return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent;
        }"""))
    for name in ('Play', 'One step back', 'One step forward', 'Reset the scene',
                 'Local direction: left', 'Open in the playground (needs bug_nav play)',
                 'Robot radius [m]'):
        assert name in seen
    assert sum('Corner' in (name or '') for name in seen) == 4


def test_steps_light_the_lines_of_the_paper_in_order(show):
    page = show(diagram(algorithm='bug2', scene='u_trap', code='', at='start'))
    lit = []
    for _ in range(4):
        lit.append(page.evaluate(
            "diagrams[0].shadowRoot.querySelector('.lit .step-name').textContent"))
        page.evaluate('diagrams[0].step(1)')
    # At the hit: 2; at the crossing: 2b, and 1 at the same place; at the end: 1.
    assert lit == ['1', '2', '1', '1']
    assert page.evaluate("diagrams[0].code.root.querySelector('.reason').textContent") == (
        'The goal is reached after 12.40 m.')


def test_icon_of_the_play_button_is_seen_below_the_pointer(show):
    page = show(diagram(scene='box'))
    button = page.locator('button.play')
    colours = 'b => [getComputedStyle(b).backgroundColor, getComputedStyle(b).color]'
    before = button.evaluate(colours)
    button.hover()
    assert button.evaluate(colours) == before and before[0] != before[1]


def test_playback_runs_to_the_end(show):
    page = show(diagram(algorithm='bug2', scene='open', at='0.9'))
    page.get_by_role('button', name='Play').click()
    assert page.evaluate('diagrams[0].isPlaying')
    until(page, '!diagrams[0].isPlaying')
    assert page.evaluate('diagrams[0].s') == pytest.approx(5.0)


def shown(page, selector):
    """Return whether a part of a diagram is visible."""
    return page.locator(f'bug-diagram {selector}').first.is_visible()


def test_verdict_is_shown_at_the_end_only(show):
    page = show(diagram(algorithm='bug2', scene='ring_goal', show='certificate bounds', at='0.5'))
    results = (page.get_by_text('separates S from'),
               page.get_by_text('Goal proven unreachable', exact=True))
    bound = page.get_by_text('Bound D')
    assert bound.is_visible() and not any(part.is_visible() for part in results)
    page.evaluate('diagrams[0].seek(Infinity)')
    assert bound.is_visible() and all(part.is_visible() for part in results)


def test_covered_diagram_shows_nothing_ahead_until_it_has_been_played(show):
    page = show(diagram(algorithm='bug0', scene='u_trap', show='profile', code='', covered=''))
    parts = ('.trail path', '.ghost path', '.rows', '.profile', '.reason')
    assert not any(shown(page, part) for part in parts)
    assert page.get_by_label('One step forward').is_disabled()
    assert page.get_by_label('Position on the path').input_value() == '0'
    drag(page, 0, 0, (0.9, 0.5))
    assert not any(shown(page, part) for part in parts)
    page.get_by_role('button', name='Play').click()
    until(page, 'diagrams[0].s > 0.5')
    page.evaluate('diagrams[0].pause()')
    assert shown(page, '.trail path') and shown(page, '.rows') and shown(page, '.reason')
    assert not shown(page, '.ghost path') and not shown(page, '.outcome')
    veil = "Number(diagrams[0].profile.veil.getAttribute('width'))"
    assert page.evaluate(veil) > 100
    page.evaluate('diagrams[0].seek(Infinity)')
    page.evaluate('diagrams[0].seek(1)')
    assert shown(page, '.ghost path') and page.evaluate(veil) == 0


def test_reduced_motion_plays_from_moment_to_moment(show):
    page = show(diagram(algorithm='bug2', scene='u_trap'), reduced_motion='reduce')
    page.evaluate('diagrams[0].play()')
    page.wait_for_timeout(300)
    assert page.evaluate('diagrams[0].s') == 0
    page.evaluate('diagrams[0].nextMoment()')
    assert page.evaluate('diagrams[0].s') == pytest.approx(3.9)


@pytest.mark.parametrize('attributes, message', subset([
    ({'scene': 'nowhere'}, "unknown scene 'nowhere'"),
    ({'algorithm': 'bug7'}, "unknown algorithm 'bug7'"),
    ({'compare': 'bug2 none'}, "unknown algorithm 'none'"),
    ({'turn': 'up'}, "turn is 'up'; available: left, right"),
    ({'rho': '-1'}, "rho is '-1'; give a number from 0 to 10"),
    ({'range': '3m'}, "range is '3m'; give a number"), ({'noise': ''}, "noise is ''; give"),
    ({'show': 'mlines'}, "show is 'mlines'; available: mline"),
    ({'drag': 'goals'}, "drag is 'goals'; available: start"),
    ({'sliders': 'speed'}, "sliders is 'speed'"), ({'at': '2'}, "at is '2'; give start, end"),
    ({'theme': 'blue'}, "theme is 'blue'; available: light, dark"),
    ({'seed': 'x'}, "seed is 'x'"), ({'drift': 'NaN'}, "drift is 'NaN'"),
    ({'scene': '{"obstacles": 3}'}, "'obstacles' must be a list"),
    ({'scene': '{"obstacles": [[[0, 0]]], "start": [0, 0], "goal": [1, 0]}'},
     'obstacle 1 has 1 corners; allowed: 3 to 200'),
    ({'scene': '{"obstacles": [{"wall": [[1, 1], [2, 2]], "width": 1e300}], "start": [0, 0], '
      '"goal": [1, 0]}'}, 'width of obstacle 1 must be a number from 0 to 100 m'),
    ({'scene': '{"obstacles": [[[-1, -1], [1, -1], [0, 1]]], "start": [0, 0], "goal": [4, 0]}'},
     'The start is inside an obstacle.'),
    ({'link': 'http://127.0.0.1:8770/#1x'}, 'part of it is missing')], 3))
def test_invalid_attribute_shows_its_problem(show, attributes, message):
    page = show('<p></p>')
    page.evaluate("""async (attributes) => {
      const element = document.createElement('bug-diagram');
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
      document.body.append(element);
      await element.build();
    }""", attributes)
    text = page.evaluate("document.querySelector('bug-diagram').shadowRoot.textContent")
    assert message in text


def test_link_to_the_playground_and_back_gives_the_same_walls(show):
    page = show(diagram(algorithm='bug1', scene='box', turn='right'))
    until(page, "diagrams[0].bar.link.href.includes('#1')")
    link = page.evaluate('diagrams[0].bar.link.href')
    again = show(diagram(link=link))
    until(again, 'Boolean(diagrams[0].model)')
    model = again.evaluate('[diagrams[0].model.scene, diagrams[0].model.options]')
    assert model[0]['obstacles'] == [[[2.5, -0.8], [3.5, -0.8], [3.5, 1.6], [2.5, 1.6]]]
    assert (model[1]['turn'], model[1]['algorithms']) == ('right', ['bug1'])


def test_link_of_python_opens_a_shipped_world(show):
    address = pytest.importorskip('bug_nav.visualization.address')
    link = address.playground_link('u_trap', goal=(6, 0.2), algorithms=['bug2'])
    page = show(diagram(link=link))
    until(page, 'Boolean(diagrams[0].model)')
    assert page.evaluate('diagrams[0].model.result.runs[0].run.length') == pytest.approx(
        12.4, abs=0.01)


def test_path_of_an_algorithm_can_be_hidden(show):
    page = show(diagram(algorithm='bug1', compare='bug2', scene='box'))
    trails = 'diagrams[0].picture.layers.trail.children.length'
    assert page.evaluate(trails) == 2
    page.get_by_label('Show the path of Bug1').uncheck()
    assert page.evaluate(trails) == 1
    assert page.evaluate("diagrams[0].picture.layers.trail.children[0].classList.contains('c1')")
    page.get_by_label('Show the path of Bug1').check()
    assert page.evaluate(trails) == 2


def test_differences_from_the_papers_are_those_of_the_table_of_the_family(show):
    page = show(diagram(algorithm='bug2', compare='tangent_bug bug2_naive', scene='box')
                + diagram(scene='box', controls='none'))
    family = (DOCS / 'course' / 'family.md').read_text('utf-8')
    texts = page.evaluate("""() => diagrams.map(({figure}) => (
      [...figure.querySelectorAll('.differences p')].map((each) => each.textContent)))""")
    assert texts[1] == []
    assert [text.split(' as ')[0] for text in texts[0][:2]] == ['Bug2', 'TangentBug']
    assert len(texts[0]) == 3
    for text in texts[0][:2]:
        told = text.partition('robot: ')[2].rstrip('.')
        assert len(told) > 50 and f'| {told} |' in family.replace('_', '')


def test_crossings_of_bug2_are_counted_down(show):
    page = show(diagram(algorithm='bug2', scene='sp12_in', turn='right', show='crossings'))
    left = "diagrams[0].picture.root.querySelectorAll('.crossing:not(.done)').length"
    counts = []
    for share in range(0, 101, 5):
        page.evaluate('(share) => diagrams[0].seek(share * diagrams[0].longest)', share / 100)
        counts.append(page.evaluate(left))
    assert counts[0] == 6 and counts == sorted(counts, reverse=True) and len(set(counts)) == 4


def test_legend_and_chips_are_printed_in_their_colours(show):
    page = show(diagram(algorithm='bug2', scene='ring_goal', show='mline certificate'))
    assert 'certificate: the closed chain' in page.evaluate('diagrams[0].legend.textContent')
    page.emulate_media(media='print')
    assert page.evaluate("""() => [...diagrams[0].shadowRoot.querySelectorAll('.chip, .fill')]
      .map((each) => getComputedStyle(each).printColorAdjust)
      .every((value) => value === 'exact')""")


def test_chart_of_the_distance_follows_the_chosen_run(show):
    page = show(diagram(algorithm='bug1', compare='bug2', scene='box', show='profile closer'))
    texts = "[...diagrams[0].profile.root.querySelectorAll('.axis')].map((t) => t.textContent)"
    assert page.evaluate(texts)[-1] == 'path 14.4 m'
    page.get_by_role('button', name='Bug2').click()
    assert page.evaluate(texts)[-1] == 'path 9.2 m'
    # The disc about the goal goes through the hit point, 3.5 m away.
    assert float(page.evaluate("diagrams[0].picture.root.querySelector('circle.closer')"
                               ".getAttribute('r')")) == pytest.approx(
        3.5 * page.evaluate('diagrams[0].picture.camera.scale'))


def test_boundary_shows_how_often_bug2_has_walked_it(show):
    page = show(diagram(algorithm='bug2', scene='sp12_in', turn='right', show='passes crossings'))
    count = 'n => diagrams[0].picture.root.querySelectorAll(`.pass-${n}`).length'
    # The M-line crosses the spiral six times: Lumelsky's limit is three passes.
    assert [page.evaluate(count, n) > 0 for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert page.evaluate("diagrams[0].picture.root.querySelectorAll('.crossing').length") == 6
    page.evaluate('diagrams[0].seek(0)')
    assert page.evaluate(count, 1) == 0


def test_scan_has_points_at_the_walls_with_noise(show):
    def spread(noise):
        page = show(diagram(algorithm='bug2', scene='box', show='scan', noise=noise, rho='0.2',
                            at='start'))
        points = page.evaluate("""() => {
          const {layers, camera} = diagrams[0].picture;
          return [...layers.scan.children].map((node) => camera.worldX(node.getAttribute('cx')));
        }""")
        discs = page.evaluate('diagrams[0].picture.layers.discs.children.length')
        assert len(points) == discs > 20
        return max(abs(x - 2.5) for x in points)

    assert spread('0') < 0.01
    assert 0.05 < spread('0.05') < 0.3


def test_robot_without_a_range_does_not_go_through_walls(show):
    page = show(diagram(algorithm='tangent_bug', compare='vis_bug_21', scene='box', range='0'))
    assert verdicts(page) == ['reached', 'reached']
    lengths = page.evaluate('diagrams[0].model.result.runs.map(({run}) => run.length)')
    assert min(lengths) > 6.25


def test_scan_without_a_robot_is_that_of_the_start(show):
    page = show(diagram(algorithm='none', scene='box', show='scan'))
    assert page.evaluate('diagrams[0].picture.layers.scan.children.length') > 20


def test_drift_opens_a_gap_at_the_end_of_the_lap(show):
    page = show(diagram(algorithm='bug1', scene='ring_goal', drift='1.2', sliders='drift'))
    assert lap_with_drift(page)[0] > 0.1
    page.evaluate('() => diagrams[0].changed(diagrams[0].model.set({drift: 0}), true)')
    assert page.evaluate('diagrams[0].driftNote.hidden')


def lap_with_drift(page):
    """Return the gap [m] and the measured turn [degrees] that a diagram reports."""
    text = page.evaluate('diagrams[0].driftNote.textContent')
    gap, turned = re.search(r'ends the lap ([\d.]+) m .* turn of (\d+) instead', text).groups()
    return float(gap), int(turned)


@pytest.mark.parametrize('scene', ['box', 'ring_start'])
def test_drift_to_the_left_shortens_a_clockwise_lap(show, scene):
    page = show(diagram(algorithm='bug1', scene=scene, drift='2'))
    turns = [lap_with_drift(page)[1]]
    page.evaluate('diagrams[0].flip()')
    turns.append(lap_with_drift(page)[1])
    # An enclosed robot turns left to walk counter-clockwise along the wall.
    if scene == 'ring_start':
        turns.reverse()
    assert turns[0] < 355 and turns[1] > 365


def test_printed_diagram_is_finished_and_light(show):
    page = show(diagram(algorithm='bug1', scene='box', at='start'), color_scheme='dark')
    assert page.evaluate('diagrams[0].dataset.theme') == 'dark'
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate('[diagrams[0].dataset.theme, diagrams[0].s]') == [
        'light', pytest.approx(14.4)]
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate('diagrams[0].dataset.theme') == 'dark'


@pytest.mark.parametrize('width', [360, 1280])
def test_diagram_fits_the_width_of_the_page(show, width):
    page = show(diagram(algorithm='bug1', compare='bug2', scene='spiral_in', code='', edit='',
                        show='mline bounds circumnavigation', sliders='rho'), width=width)
    assert page.evaluate('document.documentElement.scrollWidth') <= width


def test_chain_that_does_not_hold_is_shown_as_a_defect_and_never_as_proven(show):
    page = show(diagram(algorithm='bug2', scene='ring_goal', show='certificate'))
    assert 'separates S from T: checked.' in page.evaluate('diagrams[0].rows.root.textContent')
    text = page.evaluate("""() => {
      const {model} = diagrams[0];
      const compute = model.compute.bind(model);
      model.compute = () => {
        const result = compute();
        result.runs[0].run.checked('a gap in it');
        return result;
      };
      diagrams[0].reset();
      return diagrams[0].rows.root.textContent + diagrams[0].picture.root.ariaLabel;
    }""")
    assert 'Not proven: a defect of this diagram' in text and 'Check of the chain: a gap' in text
    assert 'Goal proven unreachable' not in text and 'separates' not in text


def test_turn_of_tangent_bug_is_its_own_choice(show):
    page = show(diagram(algorithm='tangent_bug', scene='u_trap')
                + diagram(algorithm='tangent_bug', compare='bug2', scene='u_trap'))
    assert page.evaluate('diagrams.map(({bar}) => bar.turnButton.hidden)') == [True, False]
    lengths = [page.evaluate("""(turn) => {
      diagrams[0].changed(diagrams[0].model.set({turn}), true);
      return diagrams[0].model.result.runs[0].run.length;
    }""", turn) for turn in ('left', 'right')]
    assert lengths[0] == lengths[1] == pytest.approx(11.51, abs=0.01)


def test_diagram_that_rests_at_a_moment_keeps_it_and_shows_the_tangent_graph(show):
    page = show(diagram(algorithm='tangent_bug', scene='box', at='0.2', show='sensor'))
    nodes = "diagrams[0].picture.layers.sight.querySelectorAll('.node').length"
    assert page.evaluate(nodes) > 0
    drag(page, 0, 0, (0.9, 0.3))
    share = page.evaluate('diagrams[0].s / diagrams[0].longest')
    assert share == pytest.approx(0.2) and page.evaluate(nodes) > 0


def test_person_in_the_only_door_is_no_proof(show):
    page = show(diagram(algorithm='bug2', scene='person_in_door', rho='0.2', show='certificate',
                        code=''))
    text = page.evaluate("diagrams[0].rows.root.textContent + ' ' + diagrams[0].reason")
    assert 'Blocked by a person: no proof' in text
    assert 'contains a person: no certificate.' in text
    legend = page.evaluate('diagrams[0].legend.textContent')
    assert 'a chain that proves nothing' in legend and 'certificate' not in legend
    assert 'The lap is closed, but a part of it may walk away: no proof.' in text
    assert 'separates' not in text and 'unreachable' not in text
    page.evaluate("""() => diagrams[0].changed(diagrams[0].model.change(
      (scene) => { scene.obstacles[1].person = [1.5, 2]; }), true)""")
    assert verdicts(page) == ['reached']


@pytest.mark.parametrize('scene, rho', subset([
    ('ring_goal', '0.2'), ('narrow_door', '0.1'), ('arena_out', '0.3')], 2))
def test_certificate_of_a_disc_is_a_chain_of_wall_points_with_gates(show, scene, rho):
    page = show(diagram(algorithm='bug2', scene=scene, rho=rho, show='certificate'))
    gates, solids, goal = page.evaluate("""() => {
      const {result, scene} = diagrams[0].model;
      return [result.runs[0].run.gates, result.solids, scene.goal];
    }""")
    walls = [Polygon(loop).exterior for loop in solids]
    assert all(min(wall.distance(Point(gate)) for wall in walls) < 1e-6 for gate in gates)
    for one, other in zip(gates, gates[1:] + gates[:1]):
        assert math.dist(one, other) < 2 * float(rho) + 1e-3
    if scene != 'arena_out':
        assert Polygon(gates).contains(Point(goal))
    assert page.evaluate("diagrams[0].picture.layers.chain.querySelectorAll('.gate').length") == (
        len(gates))


def test_scene_with_a_person_or_a_door_has_no_link_to_the_playground(show):
    page = show(''.join(diagram(algorithm='bug2', scene=name)
                        for name in ('person_in_door', 'door', 'box')))
    assert page.evaluate('diagrams.map(({bar}) => bar.link.hidden)') == [True, True, False]


def test_opened_door_makes_the_goal_reachable(show):
    page = show(diagram(algorithm='bug2', scene='door'))
    assert verdicts(page) == ['unreachable']
    page.get_by_role('button', name='Open the door').click()
    assert verdicts(page) == ['reached']
    assert page.get_by_role('button', name='Close the door').count() == 1


def test_walls_and_corners_are_added_and_removed(show):
    page = show(diagram(algorithm='bug2', scene='open', edit=''))
    page.get_by_role('button', name='Remove').click()
    assert page.evaluate('diagrams[0].notice.textContent') == 'Select a corner first.'
    page.get_by_role('button', name='New wall').click()
    assert page.evaluate('diagrams[0].model.result.runs[0].run.hits.length') == 1
    page.evaluate("diagrams[0].picture.layers.handles.querySelector('.corner').focus()")
    page.get_by_role('button', name='New corner').click()
    assert page.evaluate('diagrams[0].model.scene.obstacles[0].wall.length') == 3
    for _ in range(2):
        page.get_by_role('button', name='Remove').click()
    assert page.evaluate('diagrams[0].model.scene.obstacles.length') == 0


ONE_WALL = json.dumps({'obstacles': [{'wall': [[2.4, -1.6], [2.4, 1.2]], 'width': 0.2}],
                       'start': [0, 0], 'goal': [4.6, 0]})
WALL = 'diagrams[0].model.scene.obstacles[0].wall'
FOCUSED = "diagrams[0].shadowRoot.activeElement.getAttribute('aria-label')"


def focus_corner(page, number):
    page.evaluate("k => diagrams[0].picture.layers.handles.querySelectorAll('.corner')[k].focus()",
                  number)


def test_new_corner_is_inside_the_picture_and_is_selected(show):
    page = show(diagram(algorithm='bug0', scene=ONE_WALL, edit=''))
    button = page.get_by_role('button', name='New corner')
    focus_corner(page, 1)
    # At the upper edge of the picture, the wall turns.
    for count in (3, 4, 5):
        button.click()
        places = page.evaluate(WALL)
        assert len(places) == count
        assert page.evaluate(FOCUSED).startswith(f'Corner {count} of obstacle 1')
        for place in places:
            assert page.evaluate("""([x, y]) => {
              const {camera} = diagrams[0].picture;
              const [u, v] = [camera.screenX(x), camera.screenY(y)];
              return u >= 3 && v >= 3 && u <= camera.width - 3 && v <= camera.height - 3;
            }""", place), places
        assert math.dist(places[-1], places[-2]) > 0.15
    selected = ("[...diagrams[0].picture.root.querySelectorAll('.selected')].map("
                '({dataset}) => dataset.key)')
    button.focus()
    assert page.evaluate(selected) == ['corner-0-4']


def test_first_end_of_a_wall_can_be_continued(show):
    page = show(diagram(algorithm='bug0', scene=ONE_WALL, edit=''))
    focus_corner(page, 0)
    page.get_by_role('button', name='New corner').click()
    places = page.evaluate(WALL)
    assert places[1:] == [[2.4, -1.6], [2.4, 1.2]] and places[0][1] < -1.6
    assert page.evaluate(FOCUSED).startswith('Corner 1 of obstacle 1')


def test_corners_are_added_and_removed_by_keyboard_alone(show):
    page = show(diagram(algorithm='bug0', scene=ONE_WALL, edit=''))
    focus_corner(page, 1)
    page.keyboard.press('Insert')
    assert len(page.evaluate(WALL)) == 3
    before = page.evaluate(WALL)[2][0]
    page.keyboard.press('ArrowLeft')
    assert page.evaluate(WALL)[2][0] == pytest.approx(before - 0.1)
    # From the corner to the button, the focus passes goal and start.
    while page.evaluate('diagrams[0].shadowRoot.activeElement.textContent') != 'New corner':
        page.keyboard.press('Tab')
    page.keyboard.press('Enter')
    assert len(page.evaluate(WALL)) == 4
    page.evaluate("diagrams[0].picture.layers.handles.querySelector('.goal').focus()")
    page.keyboard.press('Delete')
    assert len(page.evaluate(WALL)) == 4
    focus_corner(page, 3)
    page.keyboard.press('Delete')
    assert len(page.evaluate(WALL)) == 3


def test_every_tab_stop_of_a_picture_has_a_name(show):
    page = show(diagram(algorithm='bug0', scene=ONE_WALL, edit=''))
    for _ in range(12):
        page.keyboard.press('Tab')
        assert page.evaluate("""() => {
          const node = diagrams[0].shadowRoot.activeElement;
          return !node || Boolean(node.getAttribute('aria-label') || node.textContent);
        }""")
        page.keyboard.press('ArrowLeft')


def test_new_walls_are_at_free_places(show):
    page = show(diagram(algorithm='bug0', scene=ONE_WALL, edit=''))
    button = page.get_by_role('button', name='New wall')
    for _ in range(6):
        button.click()
    walls = [LineString(shape['wall']).buffer(0.1, cap_style=2)
             for shape in page.evaluate('diagrams[0].model.scene.obstacles')]
    assert len(walls) == 7
    for k, wall in enumerate(walls):
        assert all(wall.distance(other) > 0.1 for other in walls[:k])
        assert wall.distance(Point(0, 0)) > 0.1 and wall.distance(Point(4.6, 0)) > 0.1
    assert page.evaluate(FOCUSED).startswith('Corner 2 of obstacle 7')
    for _ in range(60):
        button.click()
    assert page.evaluate('diagrams[0].notice.textContent') == (
        'There is no room for another wall.')


def test_undo_returns_to_the_scene_before_the_last_change(show):
    page = show(diagram(algorithm='bug2', scene='box', edit=''))
    button = page.get_by_role('button', name='Undo')
    assert button.is_disabled()
    drag(page, 0, 0, (0.3, 0.6), (0.3, 0.7))
    corner = "diagrams[0].picture.layers.handles.querySelector('.corner')"
    page.evaluate(f'{corner}.focus()')
    page.keyboard.press('Delete')
    obstacles = 'diagrams[0].model.scene.obstacles[0].length'
    assert page.evaluate(obstacles) == 3
    button.click()
    assert page.evaluate(obstacles) == 4
    assert page.evaluate('diagrams[0].model.scene.obstacles[0][0]') != [2.5, -0.8]
    page.keyboard.press('Control+z')
    assert page.evaluate('diagrams[0].model.scene.obstacles[0][0]') == [2.5, -0.8]
    assert button.is_disabled()


# ---- exercises ----------------------------------------------------------------------------------

def exercise(name, **attributes):
    return element('bug-exercise', '<p>The task.</p>', {'name': name, **attributes})


def judged(page):
    return page.evaluate("""() => {
      const {shadowRoot} = document.querySelector('bug-exercise');
      return [shadowRoot.querySelector('.judgement').classList.contains('good'),
        shadowRoot.querySelector('.judgement').textContent];
    }""")


# What the judges accept is tested in test_course_judges.py.
SOLUTIONS = {
    'bug0-loops': ({'scene': 'box'}, {'scene': 'u_trap'}),
    'gap-closes': ({'scene': 'box'}, {'scene': 'narrow_door', 'rho': '0.1'}),
    'person-blocks': ({'scene': 'person_beside_door'}, {'scene': 'person_in_door'}),
}


@pytest.mark.parametrize('name', SOLUTIONS)
def test_exercise_is_solved_only_by_a_solution(show, name):
    wrong, right = SOLUTIONS[name]
    assert judged(show(exercise(name, **wrong)))[0] is False
    page = show(exercise(name, **right))
    assert judged(page)[0] is True, judged(page)
    assert page.evaluate(f"localStorage.getItem('bug_nav.exercise.{name}')") == '1'


def move_flag(page, x, y):
    page.evaluate("""(place) => diagrams[0].changed(diagrams[0].model.change(
      (scene) => { scene.flag = place; }), true)""", [x, y])


def test_prediction_is_hidden_until_it_is_checked(show):
    page = show(exercise('predict-bug2-leave', scene='u_trap'))
    assert page.evaluate('diagrams[0].picture.layers.ghost.children.length') == 0
    button = page.get_by_role('button', name='Check my prediction')
    names = ('Play', 'One step back', 'One step forward', 'Position on the path')
    controls = [page.get_by_label(name, exact=True) for name in names]
    assert all(control.is_disabled() for control in controls)
    button.click()
    assert judged(page)[0] is False and 'leaves at (4.10, 0.20)' in judged(page)[1]
    assert all(control.is_enabled() for control in controls)
    assert page.evaluate('diagrams[0].picture.layers.ghost.children.length') == 1
    # The leave point is known now, so that a flag there is no prediction; Bug1 leaves at the same
    # place with the other direction.
    move_flag(page, 4.1, 0.25)
    page.evaluate('diagrams[0].flip()')
    assert button.is_disabled() and judged(page)[0] is False
    assert judged(page)[1] == 'The leave point is shown. Ask for a new scene to predict again.'
    # Another scene is a new question, also after a reload.
    before = page.evaluate('diagrams[0].model.scene.obstacles')
    page.get_by_role('button', name='New scene').click()
    until(page, 'diagrams[0].isCovered && diagrams[0].model.scene.flag')
    second = page.evaluate('diagrams[0].model.scene.obstacles')
    assert second != before
    assert page.evaluate('diagrams[0].picture.layers.ghost.children.length') == 0
    x, y = page.evaluate('diagrams[0].model.result.runs[0].run.leaves[0].point')
    move_flag(page, x, y + 0.05)
    button.click()
    assert judged(page)[0] is True
    page.reload()
    page.evaluate(RECORD)
    assert page.evaluate('diagrams[0].model.scene.obstacles') not in (before, second)


def test_solved_exercise_keeps_its_tick_and_is_in_the_list_of_progress(show):
    page = show(exercise('bug0-loops', scene='u_trap', id='first')
                + '<bug-progress><a href="other.html#first">2: Make Bug0 loop</a>'
                  '<a href="other.html#second">3: Another</a></bug-progress>')
    text = "document.querySelector('bug-progress').shadowRoot.querySelector('p').textContent"
    until(page, f"{text} === '1 of 2 exercises solved in this browser.'")
    page.reload()
    assert page.evaluate(text) == '1 of 2 exercises solved in this browser.'
    assert page.evaluate("""() => [...document.querySelector('bug-progress').shadowRoot
      .querySelectorAll('li')].map((item) => [item.querySelector('.tick').textContent,
        item.querySelector('a').getAttribute('href').split('/').pop(),
        item.querySelector('a').textContent])""") == [
          ['✓', 'other.html#first', '2: Make Bug0 loop'],
          ['○', 'other.html#second', '3: Another']]


def test_list_of_progress_has_every_exercise_of_the_chapters(show):
    index = (DOCS / 'course/index.md').read_text(encoding='utf-8')
    listed = re.findall(r'<a href="(\w+)\.html#([\w-]+)">(\d): (.*)</a>', index)
    markup, expected = '', []
    for chapter in re.findall(r'^\w+$', index.partition('{toctree}')[2].partition('```')[0], re.M):
        text = (DOCS / f'course/{chapter}.md').read_text(encoding='utf-8')
        tags = re.findall(r'<bug-exercise [^>]*id="([\w-]+)"', text)
        assert len(tags) == text.count('<bug-exercise')
        markup += ''.join(found.group() for found in ELEMENT.finditer(text)
                          if found.group(1) == 'exercise')
        expected += [(chapter, name, text[2]) for name in tags]
    titles = show(markup).evaluate("""() => [...document.querySelectorAll('bug-exercise')]
      .map(({shadowRoot}) => shadowRoot.querySelector('h3').textContent)""")
    assert listed == [(*entry, title) for entry, title in zip(expected, titles)]
    assert len(set(titles)) == len(titles) == 14


def test_verdict_stays_on_one_line_above_the_length_on_a_phone(show):
    page = show(diagram(algorithm='bug2', compare='tangent_bug', scene='ring_goal') + diagram(
        algorithm='bug1_believing', scene='hook', turn='right', drift='1'), width=390)
    rows = page.evaluate("""() => diagrams.flatMap(({rows}) => rows.parts).map(
      ({root, length}) => [root.querySelector('.outcome').getBoundingClientRect(),
        length.getBoundingClientRect(), root.querySelector('.outcome').scrollWidth])""")
    for outcome, length, needed in rows:
        assert outcome['height'] < 26 and length['top'] >= outcome['bottom']
        assert needed <= outcome['width'] + 1
    assert page.evaluate('document.documentElement.scrollWidth') <= 390


def test_exercise_works_without_storage(show, chromium):
    page = show(exercise('bug0-loops', scene='box'))
    page.evaluate("""() => {
      Object.defineProperty(window, 'localStorage', {get() { throw new Error('no storage'); }});
      diagrams[0].changed(diagrams[0].model.change((scene) => {
        scene.obstacles = [{wall: [[2, 1.4], [4, 1.4], [4, -1.4], [2, -1.4]], width: 0.2}];
      }), true);
    }""")
    assert judged(page)[0] is True


# ---- the language -------------------------------------------------------------------------------

TEXTS = """() => {
  const roots = [...document.querySelectorAll('*')].map((each) => each.shadowRoot).filter(Boolean);
  for (const root of [...roots]) {
    roots.push(...[...root.querySelectorAll('bug-diagram')].map((each) => each.shadowRoot));
  }
  return roots.flatMap((root) => [...root.querySelectorAll('*:not(style)')].flatMap((each) => [
    ...[...each.childNodes].filter(({nodeType}) => nodeType === 3).map((node) => node.data),
    each.title, each.getAttribute('aria-label'), each.getAttribute('aria-roledescription')]))
    .map((text) => text?.trim() ?? '').filter((text) => /[A-Za-z]{2}/.test(text));
}"""


def test_every_text_of_a_german_page_is_german(show):
    markup = ''.join((
        diagram(algorithm='bug2', compare='tangent_bug vis_bug_21 bug2_naive', scene='door',
                edit='', sliders='rho range noise drift', show='mline bounds crossings passes '
                'certificate sensor scan shortest profile', rho='0.1', code=''),
        diagram(algorithm='bug1', scene='ring_goal', code='', drift='1',
                show='circumnavigation certificate'),
        diagram(algorithm='bug0', scene='u_trap', code=''),
        diagram(algorithm='bug1_believing', scene='hook', turn='right', drift='1', code=''),
        *(element('bug-exercise', '', {'name': name, 'scene': scene}) for name, scene in (
            ('predict-bug1-leave', 'box'), ('bug0-loops', 'u_trap'), ('gap-closes', 'box'))),
        '<bug-adversary></bug-adversary><bug-checker></bug-checker><bug-slides></bug-slides>',
        '<bug-progress></bug-progress>'))
    page = show(markup)
    english = set(page.evaluate(TEXTS))
    page.goto(f'{page.url}?lang=de')
    page.evaluate(RECORD)
    german = set(page.evaluate(TEXTS))
    assert len(german) > 100 and {'Abspielen', '↰ links', 'Endlosschleife'} <= german
    # Names, symbols, the same word in both languages, and what the documentation says.
    same = re.compile(r'Bug[012]|TangentBug|VisBug-21|followed|reach|[a-z]+(, [a-z_0-9]+)+'
                      r'|d\(x\) \[m\]|Drift( \[°/m\])?|Start, x .*')
    texts = {text for text in english & german if not same.fullmatch(text)}
    assert texts <= set(page.evaluate("""() => diagrams.flatMap((each) => [
      ...each.shadowRoot.querySelectorAll('[lang=en]')].flatMap((part) => (
      [...part.childNodes].map(({data}) => data?.trim()))))"""))


# ---- the opponent -------------------------------------------------------------------------------

def test_opponent_is_played_by_keys_buttons_and_pointer(show):
    page = show('<bug-adversary></bug-adversary>')
    page.evaluate("window.game = document.querySelector('bug-adversary')")
    text = 'game.verdict.textContent'
    assert page.evaluate(text).startswith('You hit a wall.')
    page.evaluate('game.picture.focus()')
    for key in ('ArrowUp', 'ArrowUp', 'ArrowDown'):
        page.keyboard.press(key)
    assert page.evaluate('[game.game.high, game.game.y]') == pytest.approx([0.4, 0.2])
    left, top, width, height = page.evaluate("""() => {
      const r = game.picture.getBoundingClientRect();
      return [r.left, r.top, r.width, r.height];
    }""")
    page.mouse.move(left + width / 2, top + height / 2)
    page.mouse.down()
    page.mouse.move(left + width / 2, top + height)
    page.mouse.up()
    assert page.evaluate('game.game.isOver') and 'where you looked last' in page.evaluate(text)
    assert page.evaluate('game.moves.every((move) => move.disabled)')
    page.get_by_role('button', name='New game').click()
    page.get_by_role('button', name='Up', exact=True).click()
    assert page.evaluate('game.game.walked') == pytest.approx(0.2)
