// The viewpoint of the board: a button, a drag, keys, and the visitor's habit. Viewpoint 0 is the
// plainest one, which a narrow screen begins with; the others go around the board.

import { gettext } from "./board.js";

const NARROW = matchMedia("(max-width: 34rem)");
const KEY = "camera-"; // and the name of the game, in the browser's storage
const FAR = 40; // pixels of a drag that turns the board

/**
 * Returns the viewpoint that a table of a game begins with, null for the usual one.
 * @param {string} game
 */
export function firstCamera(game) {
  try {
    const kept = localStorage.getItem(KEY + game);
    if (kept !== null && /^[0-9]$/.test(kept)) return Number(kept);
  } catch {
    // The browser keeps nothing.
  }
  return NARROW.matches ? 0 : null;
}

export class Cameras {
  /**
   * @param {import("./board.js").Board} board
   * @param {{ turn: HTMLElement | null, plain: HTMLElement | null }} buttons
   * @param {string} game
   * @param {(to: number) => void} ask asks for a viewpoint
   */
  constructor(board, buttons, game, ask) {
    this.board = board;
    this.buttons = buttons;
    this.key = KEY + game;
    this.ask = ask;
    /** @type {string[]} */
    this.names = [];
    this.now = -1; // what was shown first, then what was asked for last
    this.around = 1; // the last viewpoint beside the plainest one
    /** @type {{ x: number, y: number } | null} */
    this.pressed = null;
    this.turned = false; // whether the last drag turned the board
    buttons.turn?.addEventListener("click", () => this.turn(1));
    buttons.plain?.addEventListener("click", () => this.switch());
    const root = board.root;
    root.classList.add("turns");
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointerup", (event) => this.release(event));
    root.addEventListener("pointercancel", () => (this.pressed = null));
    root.addEventListener("click", (event) => this.turned && event.stopPropagation(), { capture: true });
    root.addEventListener("keydown", (event) => this.type(event));
  }

  /** @param {import("./messages").View} view */
  show(view) {
    this.names = view.cameras;
    if (this.now < 0) this.now = view.camera;
    if (view.camera > 0) this.around = view.camera;
    const { turn, plain } = this.buttons;
    const name = gettext("Turn the board, now seen {}", this.names[view.camera]);
    turn?.setAttribute("title", name);
    turn?.setAttribute("aria-label", name);
    plain?.setAttribute("aria-pressed", String(view.camera === 0));
  }

  /**
   * Goes around the board by some steps, and down to it from the plainest viewpoint.
   * @param {number} steps
   */
  turn(steps) {
    const count = this.names.length;
    if (count < 3) this.go((this.now + 1) % count);
    else this.go(this.now === 0 ? this.around : 1 + ((this.now - 1 + steps + count - 1) % (count - 1)));
  }

  /** Goes to the plainest viewpoint, or back from it. */
  switch() {
    this.go(this.now === 0 ? this.around : 0);
  }

  /** @param {number} to */
  go(to) {
    this.now = to;
    this.ask(to);
    try {
      localStorage.setItem(this.key, String(to));
    } catch {
      // Then the next table begins with the usual viewpoint.
    }
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.turned = false;
    this.pressed = event.isPrimary && event.button === 0 && !this.board.drags() ? { x: event.clientX, y: event.clientY } : null;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.pressed) return;
    const [x, y] = [event.clientX - this.pressed.x, event.clientY - this.pressed.y];
    this.pressed = null;
    if (Math.max(Math.abs(x), Math.abs(y)) < FAR) return;
    this.turned = true;
    const isPlain = this.now === 0;
    if (Math.abs(x) > Math.abs(y)) this.turn(x < 0 ? -1 : 1);
    else if (y < 0 === isPlain) this.switch();
  }

  /** @param {KeyboardEvent} event */
  type(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "t") this.turn(1);
    else if (event.key === "T") this.turn(-1);
    else if (event.key === "v" && this.names.length > 2) this.switch();
  }
}
