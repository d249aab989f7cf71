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

/** HTTP requests, uploads and downloads. */

import {byId} from './dom.js';

const IMAGE = /\.(png|pgm|bmp)$/i;
const MAP = /\.ya?ml$/i;
/** Line of a map YAML file with its image name. */
const IMAGE_LINE = /^\s*image\s*:\s*["']?([^\s"'#]+)/m;
/** Maximum size of a map YAML file [characters]. */
const MAX_YAML = 100000;

/** Send a request; throw an Error with the message of the server on failure. */
export async function fetchChecked(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error('The server does not respond.');
  }
  if (!response.ok) {
    const answer = await response.json().catch(() => null);
    throw new Error(answer?.message ?? `The server rejected the request (${response.status}).`);
  }
  return response;
}

export const jsonPost = (body) => ({method: 'POST', body: JSON.stringify(body),
  headers: {'Content-Type': 'application/json'}});

/** Upload a file; return {file, world}: its id and its world. */
export async function upload(name, body, query = {}) {
  const response = await fetchChecked(`api/upload?${new URLSearchParams({name, ...query})}`,
    {method: 'POST', body});
  return response.json();
}

/**
 * Upload a world: one file, or a map's YAML file and its image.
 *
 * Ask for a missing resolution or image. Return {name, file, world}; null if the user cancels.
 */
export async function uploadWorldFiles(files, limit) {
  const map = files.find((file) => MAP.test(file.name));
  const [first] = files;
  if (!map && IMAGE.test(first.name)) {
    const resolution = await askResolution();
    if (resolution === null) return null;
    check([first], limit);
    return {name: first.name, ...await upload(first.name, first, {resolution})};
  }
  if (!map) {
    check([first], limit);
    return {name: first.name, ...await upload(first.name, first)};
  }
  const text = await map.slice(0, MAX_YAML).text();
  const wanted = text.match(IMAGE_LINE)?.[1].split(/[\\/]/).pop() ?? '';
  const images = files.filter((file) => IMAGE.test(file.name));
  const image = images.find((file) => file.name === wanted) ?? images[0]
    ?? await askImage(map.name, wanted);
  if (!image) return null;
  check([map, image], limit);
  return {name: map.name, ...await upload(map.name, new Blob([map, image]),
    {image: image.name, yaml: map.size})};
}

function check(files, limit) {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > limit) {
    throw new Error(`${(size / 1e6).toFixed(1)} MB exceed the limit of ${
      (limit / 1e6).toFixed(1)} MB.`);
  }
}

/** Ask for the resolution of an image [m/pixel]; null if the user cancels. */
async function askResolution() {
  return await confirmed(byId('resolution-dialog')) ? Number(byId('resolution').value) : null;
}

/** Ask for the image of a map's YAML file; null if the user cancels. */
async function askImage(map, image) {
  byId('image-text').textContent = `${map} contains resolution and origin of the map. `
    + `Select its image ${image.slice(0, 80)} as well.`;
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

/** Download the content of a response. */
export async function saveAs(response, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
