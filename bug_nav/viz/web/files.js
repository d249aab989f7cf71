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

/** Requests to the server, files that are opened, and files that are saved. */

import {byId} from './dom.js';

const IMAGE = /\.(png|pgm|bmp)$/i;
const MAP = /\.ya?ml$/i;
/** The line of a map's YAML file that names its image, and the most letters of such a file. */
const NAMED = /^\s*image\s*:\s*["']?([^\s"'#]+)/m;
const MOST_YAML = 100000;

/** Ask the server; an Error with its sentence where it refuses. */
export async function fetched(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error('The server does not answer.');
  }
  if (!response.ok) {
    const told = await response.json().catch(() => null);
    throw new Error(told?.message ?? `The server rejected the request (${response.status}).`);
  }
  return response;
}

export const posted = (body) => ({method: 'POST', body: JSON.stringify(body),
  headers: {'Content-Type': 'application/json'}});

/** Upload a file; return {file, world}: its name on the server, and its world. */
export async function uploaded(name, body, query = {}) {
  const response = await fetched(`api/upload?${new URLSearchParams({name, ...query})}`,
    {method: 'POST', body});
  return response.json();
}

/**
 * Give the server the world that files hold: one file, or a map's YAML file and its image.
 *
 * Ask for missing values. Return {name, file, world}; null if the user cancels.
 */
export async function openedFiles(files, limit) {
  const map = files.find((file) => MAP.test(file.name));
  const [first] = files;
  if (!map && IMAGE.test(first.name)) {
    const resolution = await askResolution();
    if (resolution === null) return null;
    check([first], limit);
    return {name: first.name, ...await uploaded(first.name, first, {resolution})};
  }
  if (!map) {
    check([first], limit);
    return {name: first.name, ...await uploaded(first.name, first)};
  }
  const text = await map.slice(0, MOST_YAML).text();
  const wanted = text.match(NAMED)?.[1].split(/[\\/]/).pop() ?? '';
  const images = files.filter((file) => IMAGE.test(file.name));
  const image = images.find((file) => file.name === wanted) ?? images[0]
    ?? await askImage(map.name, wanted);
  if (!image) return null;
  check([map, image], limit);
  return {name: map.name, ...await uploaded(map.name, new Blob([map, image]),
    {image: image.name, yaml: map.size})};
}

function check(files, limit) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > limit) {
    throw new Error(`${(size / 1e6).toFixed(1)} MB are too much; at most ${
      (limit / 1e6).toFixed(1)} MB are allowed.`);
  }
}

/** Ask for the side of an image's pixel [m]; null where that is given up. */
async function askResolution() {
  return await confirmed(byId('resolution-dialog')) ? Number(byId('resolution').value) : null;
}

/** Ask for the image that a map's YAML file names; null where that is given up. */
async function askImage(map, image) {
  byId('image-text').textContent = `${map} holds the resolution and the origin of a map. `
    + `Its image ${image.slice(0, 80)} is needed as well.`;
  const input = byId('image-file');
  input.value = '';
  return await confirmed(byId('image-dialog')) ? input.files[0] : null;
}

function confirmed(dialog) {
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'ok'), {once: true});
  });
}

/** Let the browser save the response of the server. */
export async function saveAs(response, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
