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

/** The game behind the lower bound: a wall that is drawn only where the robot has looked. */

/** Places of wall and goal, from the start at 0, and thickness of the wall [m]. */
const WALL_AT = 5;
const THICKNESS = 0.05;
const GOAL_AT = 5.2;
/** Length of wall that the opponent may draw [m]. */
const WALL_LENGTH = 2;

/**
 * An opponent that draws a wall while the robot follows it.
 *
 * Only places that the robot has touched are decided. The wall goes on in both directions until
 * it has its whole length; then it ends where the robot is. Every answer is that of one fixed
 * wall, the one that is known at the end.
 */
export class Opponent {
  constructor() {
    Object.assign(this, {low: 0, high: 0, y: 0, walked: 0, turns: [0],
      wall: {x: WALL_AT, width: THICKNESS, length: WALL_LENGTH}, goal: GOAL_AT});
  }

  get isOver() {
    return this.high - this.low > WALL_LENGTH - 1e-9;
  }

  /** Follow the wall towards a height, as far as it goes on. */
  steer(height) {
    if (this.isOver || !Number.isFinite(height)) return;
    const y = Math.min(Math.max(height, this.high - WALL_LENGTH), this.low + WALL_LENGTH);
    if (y === this.y) return;
    this.walked += Math.abs(y - this.y);
    const [last, before] = [this.turns.at(-1), this.turns.at(-2)];
    // A step in the same direction as the one before prolongs it.
    if ((y - last) * (last - before) > 0) this.turns.pop();
    this.turns.push(y);
    this.y = y;
    this.low = Math.min(this.low, y);
    this.high = Math.max(this.high, y);
  }

  /** Length of the robot's path so far, or to the goal once the wall ends [m]. */
  get length() {
    return WALL_AT + this.walked + (this.isOver ? behind(this.y) : 0);
  }

  /** D and the sum of the boundaries [m]. */
  get bound() {
    return GOAL_AT + 2 * (WALL_LENGTH + THICKNESS);
  }

  /** Length of the shortest path around the wall that has been drawn [m]. */
  get withMap() {
    return Math.min(...[this.low, this.high].map((y) => Math.hypot(WALL_AT, y) + behind(y)));
  }
}

/** Length from the end of the wall at a height to the goal [m]. */
const behind = (y) => THICKNESS + Math.hypot(GOAL_AT - WALL_AT - THICKNESS, y);
