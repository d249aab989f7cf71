// Copyright 2026 The bug_nav authors
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

/**
 * State of the playground in the address fragment, so that a link is enough to share it.
 *
 * The fragment is untrusted: each part is validated and rebuilt, and invalid input is rejected
 * with one sentence.
 */

const VERSION = '1';
/** Maximum length of a fragment [characters]; the demo has a few hundred. */
const MAX_FRAGMENT = 30000;
const MAX_BYTES = 1000000;
const MAX_TITLE = 80;
const MAX_COORDINATE = 100000;
const MAX_ITEMS = 4000;
const MAX_COUNT = 2 ** 31;
const KEPT_DRAWING = 'bug_nav.drawing';
const NAME = /^[A-Za-z0-9][\w.:?=&,+-]{0,119}$/;
const FILE = /^[\w-]{1,80}$/;

/** The address fragment is not a valid state. */
export class AddressError extends Error {}

// ---- to text and back --------------------------------------------------------------------------

async function piped(bytes, stream, limit) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const {value, done} = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new AddressError('The link is too large.');
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/**
 * Return {fragment, carriesWorld, isTooLong, whole}: a state without '#', whether it contains an
 * opened world, and whether it lacks the edits; then `whole` has them.
 *
 * A world that makes the link too long is omitted, and so are edits.
 */
export async function encodeState(state) {
  const {text, ...world} = state.world;
  if (text && text.length < MAX_BYTES / 2) {
    const fragment = await compressed(state);
    if (fragment.length <= MAX_FRAGMENT) {
      return {fragment, carriesWorld: true, isTooLong: false, whole: fragment};
    }
  }
  const whole = await compressed({...state, world});
  const isTooLong = whole.length > MAX_FRAGMENT;
  const fragment = isTooLong
    ? await compressed({...state, world: {...world, edits: undefined}}) : whole;
  return {fragment, carriesWorld: false, isTooLong, whole};
}

/** Keep edits that are too long for a link, so that the page has them after a reload. */
export function keepWhole({fragment, isTooLong, whole}) {
  try {
    if (isTooLong) sessionStorage.setItem(KEPT_DRAWING, `${fragment} ${whole}`);
    // Without edits, the state has the same fragment.
    else if (sessionStorage.getItem(KEPT_DRAWING)?.startsWith(`${fragment} `)) {
      sessionStorage.removeItem(KEPT_DRAWING);
    }
  } catch {
    // Storage is unavailable or full.
  }
}

/** Return the state that this page kept for a fragment; null without one. */
export async function keptState(fragment) {
  let kept = null;
  try {
    kept = sessionStorage.getItem(KEPT_DRAWING);
  } catch {
    // Storage is unavailable.
  }
  const [short, whole] = (kept ?? '').split(' ');
  return short && short === fragment.replace(/^#/, '') ? decoded(whole, Infinity) : null;
}

async function compressed(state) {
  const text = new TextEncoder().encode(JSON.stringify(shortenKeys(state)));
  const bytes = await piped(text, new CompressionStream('deflate-raw'), Infinity);
  let letters = '';
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return VERSION + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Return the state in a fragment; AddressError if it is invalid. */
export async function decodeState(fragment) {
  const text = fragment.replace(/^#/, '');
  if (text.length > MAX_FRAGMENT) throw new AddressError('The link is too long.');
  return decoded(text, MAX_BYTES);
}

async function decoded(text, limit) {
  if (!text.startsWith(VERSION) || !/^[\w-]+$/.test(text)) {
    throw new AddressError('The link is invalid: it was not created by a playground.');
  }
  let found;
  try {
    const letters = atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const plain = await piped(bytes, new DecompressionStream('deflate-raw'), limit);
    found = JSON.parse(new TextDecoder().decode(plain));
  } catch (error) {
    if (error instanceof AddressError) throw error;
    throw new AddressError('The link is invalid: part of it is missing.');
  }
  return expandKeys(found);
}

// ---- short keys --------------------------------------------------------------------------------

function shortenKeys({world, start, goal, robot, turn, seed, set, algorithms, view}) {
  const {removed, moved, added} = world.edits ?? {removed: [], moved: {}, added: []};
  const short = {w: world.name, f: world.file, n: world.title, x: world.text, s: start,
    g: goal, b: robot, t: turn, e: seed, A: algorithms, v: view === 'side' ? 1 : undefined};
  if (removed.length) short.r = removed;
  if (Object.keys(moved).length) short.m = moved;
  if (added.length) short.a = added;
  if (Object.keys(set).length) short.p = set;
  return short;
}

function expandKeys(short) {
  check(isObject(short), 'it contains no state');
  const world = {};
  if (short.f !== undefined) {
    world.file = matching(short.f, FILE, 'file');
    if (typeof short.n === 'string') world.title = short.n.slice(0, MAX_TITLE);
    if (typeof short.x === 'string') world.text = short.x;
  } else world.name = matching(short.w, NAME, 'world');
  world.edits = {removed: listOf(short.r ?? [], index), moved: movesOf(short.m ?? {}),
    added: listOf(short.a ?? [], shapeOf)};
  return {
    world,
    start: short.s == null ? null : numbers(short.s, 3),
    goal: short.g == null ? null : numbers(short.g, 2),
    robot: short.b === undefined ? undefined : matching(short.b, NAME, 'robot'),
    turn: short.t === undefined ? undefined : matching(short.t, NAME, 'turn'),
    seed: short.e === undefined ? undefined : index(short.e),
    set: settingsOf(short.p ?? {}),
    algorithms: listOf(short.A ?? [], (name) => matching(name, NAME, 'algorithm')),
    view: short.v === 1 ? 'side' : 'top',
  };
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

function check(isTrue, what) {
  if (!isTrue) throw new AddressError(`The link is invalid: ${what}.`);
}

function matching(value, pattern, what) {
  check(typeof value === 'string' && pattern.test(value), `the ${what} name is not valid`);
  return value;
}

function number(value) {
  check(typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE,
    'a number is out of range');
  return value;
}

function index(value) {
  check(Number.isInteger(value) && value >= 0 && value < MAX_COUNT, 'a whole number is invalid');
  return value;
}

function numbers(value, count) {
  check(Array.isArray(value) && value.length === count,
    `a pose or point does not have ${count} numbers`);
  return value.map(number);
}

function listOf(value, each) {
  check(Array.isArray(value) && value.length <= MAX_ITEMS, 'a list is invalid or too long');
  return value.map(each);
}

function movesOf(value) {
  check(isObject(value) && Object.keys(value).length <= MAX_ITEMS, 'the moves are invalid');
  return Object.fromEntries(Object.entries(value).map(
    ([key, move]) => [index(Number(key)), numbers(move, 3)]));
}

/** Return a shape rebuilt from its validated parts. */
function shapeOf(shape) {
  check(isObject(shape), 'a shape is invalid');
  if (shape.b) return {b: numbers(shape.b, 5)};
  if (shape.c) return {c: numbers(shape.c, 3)};
  const places = listOf(shape.p ?? shape.l, (place) => numbers(place, 2));
  check(places.length >= (shape.p ? 3 : 2), 'a shape has too few corners');
  return shape.p ? {p: places} : {l: places, w: number(shape.w)};
}

function settingsOf(value) {
  check(isObject(value) && Object.keys(value).length <= 200, 'the parameters are invalid');
  return Object.fromEntries(Object.entries(value).map(([name, setting]) => {
    matching(name, /^[a-z]\w{0,60}(\.[a-z]\w{0,60})?$/, 'parameter');
    if (typeof setting === 'boolean') return [name, setting];
    if (typeof setting === 'string' && setting.length <= 200) return [name, setting];
    // The server checks its range, such as of a seed.
    check(Number.isFinite(setting), `the parameter ${name} is no number`);
    return [name, setting];
  }));
}
