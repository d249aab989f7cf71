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

/** Reconnecting websocket, and run requests of which the newest replaces the others. */

/** Time before a new connection attempt [ms]. */
const RECONNECT_DELAY = 1000;
/** Minimum age of a run before a newer drag position replaces it [ms]. */
const SUPERSEDE_DELAY = 90;

/** Return the websocket address on the server of this page. */
export function socketAddress(path) {
  const address = new URL(path, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.hash = '';
  return address.href;
}

/** Websocket; calls `received(message)`, and `changed(isOpen)` when it opens or closes. */
export class ReconnectingSocket {
  constructor(path, {received, changed}) {
    this.path = path;
    this.received = received;
    this.changed = changed;
    this.isOpen = false;
    this.open();
  }

  open() {
    this.socket = new WebSocket(socketAddress(this.path));
    this.socket.addEventListener('open', () => this.set(true));
    this.socket.addEventListener('close', () => {
      this.set(false);
      setTimeout(() => this.open(), RECONNECT_DELAY);
    });
    this.socket.addEventListener('message', (event) => {
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        return;
      }
      this.received(message);
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
 * During a drag one request is pending. The newest other one waits until that is answered or
 * older than `SUPERSEDE_DELAY`; the server then cancels it. A request with detail is sent at
 * once. Unanswered requests are repeated after a reconnection.
 */
export class RunRequester {
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
    const delay = this.sentAt + SUPERSEDE_DELAY - performance.now();
    if (!this.waiting.detail && !this.isAnswered && delay > 0) {
      this.timer = setTimeout(() => this.next(), delay);
      return;
    }
    this.last = {type: 'run', id: ++this.id, ...this.waiting};
    this.waiting = null;
    this.isAnswered = false;
    this.sentAt = performance.now();
    this.channel.send(this.last);
  }

  /** Handle the end of a request. */
  answered(id) {
    if (id < this.id) return;
    this.isAnswered = true;
    this.next();
  }

  /** Cancel the pending request; return whether there was one. */
  cancel() {
    clearTimeout(this.timer);
    const isBusy = Boolean(this.waiting) || !this.isAnswered;
    this.waiting = this.last = null;
    this.isAnswered = true;
    if (isBusy) this.channel.send({type: 'cancel'});
    return isBusy;
  }

  /** Repeat the unanswered request after a reconnection. */
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
