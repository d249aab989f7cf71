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

/** A socket that comes back, and requests of which the newest wins. */

const AGAIN = 1000;
/** While something is dragged, a newer position abandons a run that is this old [ms]. */
const PATIENCE = 90;

/** Return the address of a socket of this page's own server. */
export function socketAddress(path) {
  const address = new URL(path, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.hash = '';
  return address.href;
}

/** A socket: calls `heard(message)` on messages, `changed(isOpen)` when it opens or closes. */
export class Channel {
  constructor(path, {heard, changed}) {
    this.path = path;
    this.heard = heard;
    this.changed = changed;
    this.isOpen = false;
    this.open();
  }

  open() {
    this.socket = new WebSocket(socketAddress(this.path));
    this.socket.addEventListener('open', () => this.set(true));
    this.socket.addEventListener('close', () => {
      this.set(false);
      setTimeout(() => this.open(), AGAIN);
    });
    this.socket.addEventListener('message', (event) => {
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        return;
      }
      this.heard(message);
    });
  }

  set(isOpen) {
    this.isOpen = isOpen;
    this.changed(isOpen);
  }

  /** Send a message; return whether the socket was open. */
  send(message) {
    if (!this.isOpen) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}

/**
 * Requests runs.
 *
 * While the user drags, one request is pending and the newest of the others waits until it is
 * answered, or has taken longer than one frame: then the server cancels it. A
 * request with detail goes out at once. Unanswered requests are repeated after a gap.
 */
export class Asker {
  constructor(channel) {
    this.channel = channel;
    this.id = 0;
    this.waiting = null;
    this.last = null;
    this.sentAt = -Infinity;
    this.isAnswered = true;
    this.timer = 0;
  }

  ask(request) {
    this.waiting = request;
    this.next();
  }

  next() {
    clearTimeout(this.timer);
    if (!this.waiting || !this.channel.isOpen) return;
    const rest = this.sentAt + PATIENCE - performance.now();
    if (!this.waiting.detail && !this.isAnswered && rest > 0) {
      this.timer = setTimeout(() => this.next(), rest);
      return;
    }
    this.last = {type: 'run', id: ++this.id, ...this.waiting};
    this.waiting = null;
    this.isAnswered = false;
    this.sentAt = performance.now();
    this.channel.send(this.last);
  }

  /** All of a request are done. */
  answered(id) {
    if (id < this.id) return;
    this.isAnswered = true;
    this.next();
  }

  /** Cancel the request; return whether there was one. */
  cancel() {
    clearTimeout(this.timer);
    const isBusy = Boolean(this.waiting) || !this.isAnswered;
    this.waiting = this.last = null;
    this.isAnswered = true;
    if (isBusy) this.channel.send({type: 'cancel'});
    return isBusy;
  }

  /** The server is there again. */
  resume() {
    if (!this.waiting && !this.isAnswered && this.last) this.waiting = this.last;
    this.isAnswered = true;
    if (this.waiting) {
      const {detail, case: which, algorithms} = this.waiting;
      this.waiting = {detail, case: which, algorithms};
    }
    this.next();
  }
}
