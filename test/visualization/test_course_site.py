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

"""Tests of the course that `bug_nav course` writes: pages, slides, examination and codes."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
import re

from browsing import until
from bug_nav.cli.parser import main
from bug_nav.visualization.course_site import CHAPTERS, source_of, TEACHERS, to_html, write_course
import pytest

pytestmark = [pytest.mark.xdist_group('course'), pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r'^```.*?^```$', re.MULTILINE | re.DOTALL)
TAG = re.compile(r'^<bug-(diagram|exercise|adversary)\b[^>]*>\n.*?^</bug-\1>$',
                 re.MULTILINE | re.DOTALL)
MARKDOWN = (*sorted((ROOT / 'docs/course').glob('*.md')), ROOT / 'docs/embed_diagrams.md')
LARGEST = 500_000
"""Maximum size of a chapter with its script [bytes]."""


@pytest.fixture(scope='module')
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp('site')
    write_course(folder, for_teacher=True, exam=2, seed=7)
    return folder


@pytest.fixture
def show(open_file, site):
    """Return a function that opens a page of the site; it may request files only."""
    def opened(name, width=1280):
        page = open_file((site / name.partition('?')[0].partition('#')[0]).as_uri()
                         + name[len(re.split(r'[?#]', name)[0]):],
                         viewport={'width': width, 'height': 900})
        page.evaluate("""async () => {
          window.diagrams = [...document.querySelectorAll('bug-diagram, bug-exercise')]
            .map((element) => element.diagram ?? element);
          for (const diagram of diagrams) await diagram.build();
        }""")
        return page

    return opened


class Links(HTMLParser):
    """Collects the targets of links and the names of elements."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.names.add(given.get('id'))
        if tag == 'a':
            self.targets.append(given['href'])


def test_every_link_between_the_pages_leads_to_a_place(site):
    pages = {path.name: Links(path.read_text('utf-8')) for path in site.glob('*.html')}
    for name, page in pages.items():
        for target in page.targets:
            if target.startswith('https:'):
                continue
            path, _, place = target.partition('#')
            assert not path or path in pages, (name, target)
            assert not place or place in pages[path or name].names, (name, target)


def test_students_get_no_solutions(tmp_path):
    write_course(tmp_path)
    found = {path.stem for path in tmp_path.glob('*.html')}
    assert {'index', *CHAPTERS, 'slides', 'handout', 'embed'} <= found
    assert not found & {*TEACHERS, 'check', 'exam', 'exam_key'}
    for path in tmp_path.glob('*.html'):
        text = path.read_text('utf-8')
        assert 'solutions.html' not in text and 'teaching.html' not in text


def test_chapters_are_small_and_need_one_script(site):
    script = (site / 'bug_course.js').stat().st_size
    for name in CHAPTERS:
        path = site / f'{name}.html'
        assert path.stat().st_size + script < LARGEST
        assert re.findall(r'src="([^"]*)"', path.read_text('utf-8')) == ['bug_course.js']


@pytest.mark.parametrize('width', [390, 1280])
@pytest.mark.parametrize('name', ['index', *CHAPTERS, 'family', *TEACHERS, 'handout', 'exam'])
def test_page_fits_its_width_and_shows_every_diagram(show, name, width):
    page = show(f'{name}.html', width)
    assert page.evaluate('document.documentElement.scrollWidth') <= width
    assert page.evaluate('diagrams.every(({model}) => Boolean(model))')


def test_wide_table_scrolls_on_a_phone_instead_of_growing_tall(show):
    page = show('family.html', 390)
    assert page.evaluate("""[...document.querySelectorAll('.full tr')].every(
      (row) => row.offsetHeight < innerHeight)""")


def test_map_of_the_family_names_a_worst_scene_for_each_algorithm():
    rows = [line.split('|')[1:-1] for line in (ROOT / 'docs/course/family.md').read_text(
        'utf-8').splitlines() if line.startswith('| ')]
    column = [cell.strip() for cell in rows[0]].index('worst scene measured')
    worst = {row[1].strip(): row[column] for row in rows[2:]}
    assert len(worst) > 30
    # A follower of walls has no goal.
    assert [name for name, text in worst.items() if not re.search(
        r'`random:.*`: (loops|\d+\.\d times the shortest path)', text)] == [
            '[Wall following](../algorithms/follow_wall.md)']


def test_first_tab_stop_leads_to_the_first_diagram(show):
    page = show('bug1.html')
    page.keyboard.press('Tab')
    assert page.evaluate('document.activeElement.textContent') == 'Skip to the first diagram'
    page.keyboard.press('Enter')
    page.keyboard.press('Tab')
    assert page.evaluate('document.activeElement.tagName') == 'BUG-DIAGRAM'


def test_slides_turn_with_keys_and_set_the_speed_of_the_diagrams(show):
    page = show('slides.html')
    shown = "[...document.querySelectorAll('.deck > section')].map((s) => s.offsetHeight > 0)"
    assert page.evaluate(shown).index(True) == 0
    page.keyboard.press('ArrowRight')
    until(page, f'{shown}[1]')
    assert [k for k, is_shown in enumerate(page.evaluate(shown)) if is_shown] == [1]
    page.get_by_label('Speed of the diagrams').select_option('2')
    assert page.evaluate("diagrams.every((each) => each.getAttribute('speed') === '2')")
    page.keyboard.press('End')
    until(page, f'{shown}.at(-1)')


def test_every_slide_is_printed_with_its_whole_picture(show):
    page = show('slides.html')
    page.emulate_media(media='print')
    # The picture of a slide that was not shown before is laid out as well.
    cut = page.evaluate("""diagrams.filter(({picture}) => {
      const {width, height} = picture.root.viewBox.baseVal;
      const ends = picture.layers.ends.getBBox();
      return !(width > 300 && height > 150 && ends.x > 0 && ends.y > 0
        && ends.x + ends.width < width && ends.y + ends.height < height);
    }).length""")
    assert cut == 0
    pages = len(re.findall(rb'/Type /Page\b', page.pdf()))
    assert pages == page.evaluate("document.querySelectorAll('.deck > section').length")


def test_task_about_a_given_scene_has_it_on_the_hand_out(show):
    tasks = show('handout.html').evaluate("""() => [...document.querySelectorAll('li')]
      .filter((item) => item.querySelector('.room, bug-diagram'))
      .map((item) => [item.textContent.trim(), item.querySelector('bug-diagram')?.model])
      .map(([text, model]) => [text, model ? [model.scene.obstacles.length,
        model.result.runs.length] : null])""")
    assert len(tasks) == 14
    given = {text: model for text, model in tasks if model}
    assert [' '.join(text.split()[:3]) for text in given] == [
        'Close the gap', 'Put the flag', 'Enclose the goal,', 'Put the flag', 'Let the person']
    assert all(count >= 1 and runs == 0 for count, runs in given.values())


@pytest.mark.parametrize('width, height', [(1280, 720), (1920, 1080)])
def test_every_slide_fits_a_projector_in_large_letters(show, width, height):
    page = show('slides.html')
    page.set_viewport_size({'width': width, 'height': height})
    scrolling, smallest = page.evaluate("""async () => {
      const scrolling = [];
      let smallest = Infinity;
      const fits = (box) => box.scrollHeight <= box.clientHeight;
      for (const [k, slide] of [...document.querySelectorAll('.deck > section')].entries()) {
        location.hash = k + 1;
        // Sizes are observed between two frames.
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        const diagram = slide.querySelector('bug-diagram');
        const side = diagram?.side ?? slide;
        const boxes = [document.documentElement, slide, side];
        for (const s of diagram?.model.result.runs[0].run.moments.map((each) => each.s) ?? [0]) {
          diagram?.seek(s);
          if (!boxes.every(fits)) scrolling.push([k + 1, s]);
        }
        for (const text of diagram?.figure.querySelectorAll('.reason, .run-name') ?? [slide]) {
          smallest = Math.min(smallest, parseFloat(getComputedStyle(text).fontSize));
        }
      }
      return [scrolling, smallest];
    }""")
    assert scrolling == []
    assert smallest >= height / 50


def test_examination_has_no_answer_and_its_key_shows_both_paths(show):
    page = show('exam.html')
    assert page.evaluate('diagrams.map(({model}) => model.result.runs.length)') == [0, 0]
    scenes = page.evaluate('diagrams.map(({model}) => model.scene.obstacles)')
    page = show('exam_key.html')
    assert page.evaluate('diagrams.map(({model}) => model.result.runs[0].name)') == [
        'bug1', 'bug2'] * 2
    assert page.evaluate('diagrams.map(({model}) => model.scene.obstacles)') == [
        scene for scene in scenes for _ in range(2)]


def test_embedded_diagram_is_that_of_the_address(show):
    page = show('embed.html?algorithm=bug1&scene=u_trap&turn=right&onclick=alert(1)')
    options = page.evaluate('diagrams[0].model.options')
    assert (options['algorithms'], options['turn']) == (['bug1'], 'right')
    assert not page.evaluate("diagrams[0].hasAttribute('onclick')")


GERMAN = {'index': ('Folien', 'Weiter: 1 The problem'),
          'handout': ('Bug-Algorithmen: Handzettel',),
          'bug1': ('Zum ersten Diagramm springen',), 'slides': (': das Wichtigste',),
          'exam': ('Prüfung, Zufallszahl 7', 'Drehrichtung links: Zeichne die Wege'),
          'exam_key': ('Prüfung, Zufallszahl 7: Lösung',), 'check': ('Abgabecodes prüfen',)}


def test_german_course_has_english_chapters_and_german_texts_beside_them(tmp_path, open_file):
    write_course(tmp_path, for_teacher=True, exam=1, seed=7, language='de')
    for path in tmp_path.glob('*.html'):
        text = path.read_text('utf-8')
        assert '<html lang="de">' in text
        assert all(words in text for words in GERMAN.get(path.stem, ()))
        if path.stem in CHAPTERS:
            assert '<main lang="en">' in text
    page = open_file((tmp_path / 'bug1.html').as_uri())
    diagram = "document.querySelector('bug-diagram')"
    page.evaluate(f'{diagram}.build()')
    assert page.evaluate(f"{diagram}.figure.querySelector('.outcome').textContent") == (
        'Ziel erreicht')
    assert page.evaluate(f'[{diagram}.figure.lang, {diagram}.figure.querySelector('
                         "'figcaption').lang]") == ['de', 'en']


# ---- hand-in codes ------------------------------------------------------------------------------

HAND_IN = """async () => {
  let text = null;
  navigator.clipboard.writeText = async (given) => { text = given; };
  await [...document.querySelectorAll('bug-exercise')][0].handIn();
  return text;
}"""


def checked(page, codes):
    return page.evaluate("""(codes) => {
      const checker = document.querySelector('bug-checker');
      checker.codes.value = codes.join('\\n');
      checker.check();
      return [...checker.results.children].map((item) => item.textContent);
    }""", codes)


def test_code_of_a_solution_is_judged_again_and_cannot_be_forged(show):
    page = show('bug0.html')
    button = ("document.querySelector('bug-exercise').codeButton.hidden")
    assert page.evaluate(button)
    unsolved = page.evaluate(HAND_IN)
    page.evaluate("""() => {
      const {diagram} = document.querySelector('bug-exercise');
      diagram.changed(diagram.model.change((scene) => {
        scene.obstacles = [{wall: [[2, 1.4], [4, 1.4], [4, -1.4], [2, -1.4]], width: 0.2}];
      }), true);
    }""")
    assert not page.evaluate(button)
    code = page.evaluate(HAND_IN)
    told = checked(show('check.html'), [
        code, code, unsolved, 'bug1-', code[:-9], 'nonsense', 'bug1-' + 'A' * 30_000])
    assert told[0].startswith('first-loop (Make Bug0 loop): solved.')
    assert 'The same drawing' not in told[0]
    assert told[1].endswith('The same drawing as 1.')
    assert told[2].startswith('first-loop (Make Bug0 loop): not solved.')
    assert told[3:] == ['not solved. The code is incomplete: copy it again.'] * 2 + [
        'not solved. This is no hand-in code.'] * 2


def test_code_of_another_judge_or_with_other_settings_names_them(show):
    page = show('check.html')
    code = page.evaluate("""() => 'bug1-' + btoa(JSON.stringify({exercise: 'half-the-way',
      name: 'bug0-one-side', target: 9, scene: {obstacles: [], start: [0, 0], goal: [4, 0]},
      options: {algorithms: ['bug0'], turn: 'left', rho: 0.3, range: 900, drift: 0, seed: 1}}))""")
    told, = checked(page, [code])
    assert told.startswith('half-the-way (One turn loops, the other arrives, target 9, rho 0.3, '
                           'range 900): ')


def test_name_in_a_code_cannot_look_like_a_judgement(show):
    page = show('check.html')
    code = page.evaluate("""() => 'bug1-' + btoa(JSON.stringify({name: 'bug0-loops', scene: {
      obstacles: [], start: [0, 0], goal: [4, 0]}, options: {algorithms: ['bug0'], turn: 'left',
      rho: 0, range: 1, drift: 0, seed: 1},
      exercise: 'bug1-wins (Bug1 beats Bug2, target 3): solved. Bug1 takes 9 m'}))""")
    told, = checked(page, [code])
    assert told.startswith('bug1-wins_Bug1_beats_Bug2_target_3_solve (Make Bug0 loop, ')


@pytest.mark.parametrize('change, words', [
    ({'target': None}, 'target is no number'), ({'target': '0 (3)'}, 'target is no number'),
    ({'options': {'algorithms': ['bug0'], 'rho': '0', 'range': 1, 'drift': 0, 'seed': 1}},
     'rho is no number'),
    ({'name': 'nothing'}, 'no known exercise'),
    ({'name': 'constructor'}, 'no known exercise'),
    ({'scene': {'obstacles': 3}}, 'not valid'),
    ({'scene': None}, 'not valid'),
    ({'scene': {'obstacles': [], 'start': [0, 0], 'goal': [101, 0]}},
     'a place is more than 100 m from the origin'),
    ({'scene': {'obstacles': [{'person': [2, 0], 'radius': 1e300}], 'start': [0, 0],
                'goal': [4, 0]}}, 'radius of obstacle 1 must be a number from 0 to 100 m'),
    ({'scene': {'obstacles': [{'wall': [[1, 1], [2, 2]], 'width': 0}], 'start': [0, 0],
                'goal': [4, 0]}}, 'width of obstacle 1 must be a number from 0 to 100 m'),
    ({'options': {}}, 'not valid'),
    ({'options': {'algorithms': ['bug7'], 'rho': 0, 'range': 1, 'drift': 0, 'seed': 1}},
     'not valid')])
def test_changed_code_is_refused_with_the_reason(show, change, words):
    page = show('check.html')
    code = page.evaluate("""(change) => 'bug1-' + btoa(JSON.stringify({exercise: 'x',
      name: 'bug0-loops', scene: {obstacles: [], start: [0, 0], goal: [4, 0]}, options: {
        algorithms: ['bug0'], turn: 'left', rho: 0, range: 1, drift: 0, seed: 1}, ...change}))""",
                         change)
    assert words in checked(page, [code])[0]


# ---- what a browser keeps -----------------------------------------------------------------------

def test_drawing_survives_a_reload_until_progress_is_reset(show):
    page = show('bug0.html')
    wall = "document.querySelector('bug-exercise').diagram.model.scene.obstacles[0].wall[1]"
    before = page.evaluate(wall)
    page.evaluate("""() => {
      const {diagram} = document.querySelector('bug-exercise');
      diagram.changed(diagram.model.change((scene) => {
        scene.obstacles[0].wall[1] = [2.4, 0.9];
      }), true);
    }""")
    page.reload()
    page.evaluate("document.querySelector('bug-exercise').diagram.build()")
    assert page.evaluate(wall) == [2.4, 0.9]
    # The button of the diagram returns to the scene of the page.
    page.evaluate("document.querySelector('bug-exercise').diagram.reset()")
    assert page.evaluate(wall) == before


ASKED = """() => {
  const exercise = document.querySelector('bug-exercise');
  return [exercise.diagram.isCovered, exercise.diagram.model.scene.obstacles];
}"""


def test_answer_that_another_tab_has_shown_is_no_prediction(show):
    page = show('bug1.html')
    question = page.evaluate(ASKED)
    page.evaluate("localStorage.setItem('bug_nav.revealed.predict-q', '1')")
    page.get_by_role('button', name='Check my prediction').first.click()
    until(page, f'({ASKED})()[1].length === 1')
    covered, obstacles = page.evaluate(ASKED)
    assert covered and obstacles != question[1]


def test_answer_is_not_asked_again_after_progress_was_reset(show):
    page = show('bug1.html')
    question = page.evaluate(ASKED)
    page.get_by_role('button', name='Check my prediction').first.click()
    page.goto(page.url.replace('bug1', 'index'))
    page.evaluate("localStorage.setItem('bug_nav.exercise.predict-q', '1')")
    page.evaluate("document.querySelector('bug-progress').show()")
    page.get_by_role('button', name='Reset my progress').click()
    page.goto(page.url.replace('index', 'bug1'))
    page.evaluate("document.querySelector('bug-exercise').diagram.build()")
    covered, obstacles = page.evaluate(ASKED)
    assert covered and obstacles != question[1]


def test_prediction_has_no_link_to_a_picture_of_the_answer(show):
    page = show('bug1.html')
    link = "document.querySelector('bug-exercise').diagram.bar.link.hidden"
    assert page.evaluate(link)
    page.get_by_role('button', name='Check my prediction').first.click()
    assert not page.evaluate(link)


def test_scenes_of_predictions_are_in_no_diagram_of_the_chapters():
    texts = [path.read_text('utf-8') for path in (ROOT / 'docs/course').glob('*.md')]
    asked = [re.search(r"scene=(?:'([^']*)'|\"([^\"]*)\")", tag) for text in texts
             for tag in re.findall(r'<bug-exercise name="predict[^>]*>', text)]
    assert len(asked) == 2
    for scene in asked:
        assert sum(text.count(scene.group()) for text in texts) == 1, scene.group()


def test_progress_can_be_reset(show):
    page = show('index.html')
    button = "document.querySelector('bug-progress').shadowRoot.querySelector('button')"
    assert page.evaluate(f'{button}.disabled')
    page.evaluate("""() => {
      localStorage.setItem('bug_nav.exercise.first-loop', '1');
      document.querySelector('bug-progress').show();
    }""")
    page.evaluate(f'{button}.click()')
    assert page.evaluate("localStorage.getItem('bug_nav.exercise.first-loop')") != '1'
    assert page.evaluate(f'{button}.disabled')


# ---- the Markdown files -------------------------------------------------------------------------

@pytest.mark.parametrize('path', MARKDOWN, ids=lambda path: path.stem)
def test_every_tag_contains_a_picture_for_readers_without_scripts(path):
    text = FENCE.sub('', path.read_text('utf-8'))
    found = [match.group() for match in TAG.finditer(text)]
    assert len(found) == len(re.findall(r'^<bug-(?:diagram|exercise|adversary)\b', text,
                                        re.MULTILINE))
    for tag in found:
        picture, = re.findall(r'<img src="([^"]*)" loading="lazy" alt="[^"]+">', tag)
        assert (path.parent / picture).stat().st_size < 30_000


@pytest.mark.parametrize('text, expected', [
    ('# A *b*', '<h1 id="a-b">A <em>b</em></h1>'),
    ('a\nb `<c>` **d** & [e](f.md#g)', '<p>a b <code>&lt;c&gt;</code> <strong>d</strong> &amp; '
     '<a href="f.html#g">e</a></p>'),
    ('- a\n  b\n- c', '<ul><li>a b</li><li>c</li></ul>'),
    ('1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'),
    ('> a\n> b', '<blockquote>a b</blockquote>'),
    ('| a | b |\n|---|---|\n| c | d |', '<div class="wide"><table><thead><tr><th>a</th><th>b</th>'
     '</tr></thead><tr><td>c</td><td>d</td></tr></table></div>'),
    ('```json\n{"a": "<"}\n```\nb', '<pre>{&quot;a&quot;: &quot;&lt;&quot;}</pre>\n<p>b</p>'),
    ('<!-- a: written by `b` -->\nc', '<p>c</p>'), ('```{toctree}\na\n```', ''),
    ('```{raw} html\n<p>\n```', '<p>'),
    ('<bug-diagram a="b">\n</bug-diagram>\nc', '<bug-diagram a="b">\n</bug-diagram>\n<p>c</p>')])
def test_markdown_of_the_chapters_becomes_html(text, expected):
    assert to_html(text) == expected


def test_no_markdown_is_left_in_the_pages(site):
    for path in site.glob('*.html'):
        text = path.read_text('utf-8')
        body = re.sub(r'<(pre|style|script).*?</\1>|<[^>]*>', '', text, flags=re.DOTALL)
        assert not re.search(r'\*\*|```|\]\(|^#|^\||&lt;!--', body, re.MULTILINE), path.name


def test_command_writes_the_course_and_prints_its_first_page(tmp_path, capsys):
    assert main(['course', '--out', str(tmp_path / 'out'), '--no-browser']) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / 'out' / 'index.html')
    assert source_of('bug1').is_file()


def test_command_overwrites_a_course_and_no_other_files(tmp_path, capsys):
    assert main(['course', '--out', str(tmp_path), '--no-browser']) == 0
    assert main(['course', '--out', str(tmp_path), '--no-browser']) == 0
    (tmp_path / 'bug_course.js').unlink()
    (tmp_path / 'index.html').write_text('mine')
    assert main(['course', '--out', str(tmp_path), '--no-browser']) == 2
    assert 'files that are not of the course' in capsys.readouterr().err
    assert (tmp_path / 'index.html').read_text() == 'mine'


def test_folder_of_a_teacher_is_not_given_to_students_unnoticed(tmp_path, capsys):
    out = ['course', '--no-browser', '--out', str(tmp_path)]
    assert main([*out, '--teacher']) == 0 and capsys.readouterr().err == ''
    assert main(out) == 0
    assert 'solutions.html from an earlier call' in capsys.readouterr().err


@pytest.mark.parametrize('argv, words', [
    (['--exam', '0'], 'give 1 or more'), (['--exam', '51'], 'give 1 to 50'),
    (['--seed', '-1'], 'is negative'), (['--seed', '1000000000'], 'give 0 to 999999000'),
    (['--seed', '3'], 'applies to an examination; give --exam N as well'),
    (['--language', 'fr'], "no language 'fr'; available: en, de"),
    (['--out', __file__], 'is a file; choose another name')])
def test_bad_argument_of_the_command_is_refused_in_one_sentence(capsys, argv, words):
    assert main(['course', '--no-browser', *argv]) == 2
    told = capsys.readouterr().err
    assert words in told and told.count('\n') == 1
