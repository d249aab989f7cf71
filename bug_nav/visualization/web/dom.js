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

/** Helpers for elements, icons and number formats. */

export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
export const byId = (id) => document.getElementById(id);

/**
 * Return a new element. Text becomes text nodes, never markup, because names are untrusted.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== 'string') element[name] = value;
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child || child === ''));
  return element;
}

const ICONS = {
  play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor"/>',
  pause: '<path d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" fill="currentColor"/>',
  back: '<path d="M15 6l-6 6 6 6"/>',
  forward: '<path d="M9 6l6 6-6 6"/>',
  first: '<path d="M17 6l-6 6 6 6M7 6v12"/>',
  last: '<path d="M7 6l6 6-6 6M17 6v12"/>',
  select: '<path d="M5 3l13 9-6 1.5L9 20z"/>',
  wall: '<path d="M4 20L20 4"/><circle cx="4.5" cy="19.5" r="1.7"/>'
    + '<circle cx="19.5" cy="4.5" r="1.7"/>',
  box: '<rect x="4" y="6" width="16" height="12" rx="1"/>',
  circle: '<circle cx="12" cy="12" r="8"/>',
  polygon: '<path d="M12 3l9 7-4 10H6L3 9z"/>',
  free: '<path d="M3 17c3-9 6-9 8-4s5 5 10-6"/>',
  erase: '<path d="M8 20h12M5 14L14 5l6 6-9 9H8l-3-3z"/>',
  undo: '<path d="M9 6L4 11l5 5M4 11h10a6 6 0 010 12" transform="translate(0 -2)"/>',
  redo: '<path d="M15 6l5 5-5 5M20 11H10a6 6 0 000 12" transform="translate(0 -2)"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  minus: '<path d="M5 12h14"/>',
  fit: '<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5"/>',
  die: '<rect x="4" y="4" width="16" height="16" rx="4"/><g fill="currentColor" stroke="none">'
    + '<circle cx="9" cy="9" r="1.5"/><circle cx="15" cy="15" r="1.5"/>'
    + '<circle cx="15" cy="9" r="1.5"/><circle cx="9" cy="15" r="1.5"/></g>',
  open: '<path d="M3 7a2 2 0 012-2h4l2 2h8a2 2 0 012 2v8a2 2 0 01-2 2H5a2 2 0 01-2-2z"/>',
  share: '<path d="M12 15V3M8 7l4-4 4 4M5 12v7a2 2 0 002 2h10a2 2 0 002-2v-7"/>',
  theme: '<circle cx="12" cy="12" r="8.5"/><path d="M12 3.5a8.5 8.5 0 010 17z" '
    + 'fill="currentColor"/>',
  panel: '<rect x="3" y="4" width="18" height="16" rx="2"/><path d="M9 4v16"/>',
  present: '<rect x="3" y="4" width="18" height="12" rx="1.5"/><path d="M12 16v4M8 20h8"/>',
  help: '<circle cx="12" cy="12" r="9"/><path d="M9.2 9.2a2.9 2.9 0 115 2c-1.2 1-2.2 1.4-2.2 3"/>'
    + '<circle cx="12" cy="17.3" r=".6" fill="currentColor"/>',
  layers: '<path d="M12 3l9 5-9 5-9-5zM3 13l9 5 9-5"/>',
  grid: '<rect x="3.5" y="3.5" width="7" height="7" rx="1"/><rect x="13.5" y="3.5" width="7" '
    + 'height="7" rx="1"/><rect x="3.5" y="13.5" width="7" height="7" rx="1"/>'
    + '<rect x="13.5" y="13.5" width="7" height="7" rx="1"/>',
  eye: '<path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z"/><circle cx="12" cy="12" r="3"/>',
  reset: '<path d="M4 12a8 8 0 108-8H7M10 1L7 4l3 3"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  stop: '<rect x="6" y="6" width="12" height="12" rx="2" fill="currentColor"/>',
};

/** Return an icon; it has no accessible name of its own. */
export function icon(name) {
  const template = document.createElement('template');
  template.innerHTML = '<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" '
    + `stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">${
      ICONS[name]}</svg>`;
  return template.content.firstElementChild;
}

/** Add the icons to all elements with data-icon below `root`. */
export function fillIcons(root) {
  for (const each of root.querySelectorAll('[data-icon]')) each.prepend(icon(each.dataset.icon));
}

/** Replace the icon of a button. */
export function setIcon(button, name) {
  button.querySelector('svg')?.replaceWith(icon(name));
}

/** Return text as nodes with subscripts, as in H_i and H2. */
export function typeset(text) {
  const parts = text.split(/\b([A-Za-z])_([A-Za-z0-9]+)|\b([HL])(\d+)\b/);
  const nodes = [];
  for (let k = 0; k < parts.length; k += 5) {
    if (parts[k]) nodes.push(parts[k]);
    const letter = parts[k + 1] ?? parts[k + 3];
    if (letter) nodes.push(letter, el('sub', {}, parts[k + 2] ?? parts[k + 4]));
  }
  return nodes;
}

/** Return the name of a hit or leave point as plain text. */
export const markName = ({kind, index}) => `${kind === 'hit' ? 'H' : 'L'}${
  String(index).replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[digit])}`;

export const metres = (value) => (value === null || value === undefined || !isFinite(value)
  ? '–' : `${value.toFixed(2)} m`);
export const words = (name) => String(name).replaceAll('_', ' ');

/** Return seconds in clock format: 75.3 s is 1:15.3. */
export function clock(seconds) {
  const whole = Math.floor(seconds / 60);
  const rest = (seconds - 60 * whole).toFixed(1);
  return `${whole}:${rest.padStart(4, '0')}`;
}

/** Return a function that calls `what` once, some time after its last call. */
export function debounced(what, milliseconds) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => what(...given), milliseconds);
  };
}

/** Copy text to the clipboard; return whether that succeeded. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API is unavailable on remote pages without HTTPS.
    const field = Object.assign(document.createElement('textarea'), {value: text});
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand('copy');
    field.remove();
    return isCopied;
  }
}
