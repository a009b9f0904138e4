// The viewpoint of the board: a button, a drag, keys, and the visitor's habit. Viewpoint 0 is the
// plainest one, which a narrow screen begins with; the others go around the board.

const NARROW = matchMedia("(max-width: 34rem)");
const FAR = 40; // pixels of a drag that turns the board

export class Cameras {
  /**
   * @param {import("./board.js").Board} board
   * @param {{ turn: HTMLElement | null, plain: HTMLElement | null }} buttons
   * @param {string} game
   * @param {(to: number) => boolean} ask asks for a viewpoint; tells whether it was sent
   */
  constructor(board, buttons, game, ask) {
    this.board = board;
    this.buttons = buttons;
    this.key = `camera-${game}`;
    this.ask = ask;
    /** @type {string[]} */
    this.names = [];
    this.shown = 0;
    this.wanted = recall(this.key) ?? (NARROW.matches ? 0 : null);
    this.around = 1; // the last viewpoint beside the plainest one
    this.asked = false;
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
    this.shown = view.camera;
    if (this.shown > 0) this.around = this.shown;
    if (this.wanted !== null && this.wanted >= this.names.length) this.wanted = null;
    if (this.wanted === null || this.wanted === this.shown) this.asked = false;
    else if (!this.asked) this.asked = this.ask(this.wanted);
    const { turn, plain } = this.buttons;
    const name = `Turn the board, now seen ${this.names[this.shown]}`;
    turn?.setAttribute("title", name);
    turn?.setAttribute("aria-label", name);
    if (!plain) return;
    plain.hidden = this.names.length < 3;
    plain.setAttribute("aria-pressed", String(this.shown === 0));
  }

  /** Forgets what was asked for: a new connection begins with the usual viewpoint. */
  lose() {
    this.asked = false;
  }

  /**
   * Goes around the board by some steps, and down to it from the plainest viewpoint.
   * @param {number} steps
   */
  turn(steps) {
    const [now, count] = [this.wanted ?? this.shown, this.names.length];
    if (count < 3) this.go((now + 1) % count);
    else this.go(now === 0 ? this.around : 1 + ((now - 1 + steps + count - 1) % (count - 1)));
  }

  /** Goes to the plainest viewpoint, or back from it. */
  switch() {
    this.go((this.wanted ?? this.shown) === 0 ? this.around : 0);
  }

  /** @param {number} to */
  go(to) {
    this.wanted = to;
    this.asked = this.ask(to);
    remember(this.key, to);
  }

  /** @param {PointerEvent} event */
  press(event) {
    this.turned = false;
    this.pressed = event.isPrimary && !this.board.drags() ? { x: event.clientX, y: event.clientY } : null;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.pressed) return;
    const [x, y] = [event.clientX - this.pressed.x, event.clientY - this.pressed.y];
    this.pressed = null;
    if (Math.max(Math.abs(x), Math.abs(y)) < FAR) return;
    this.turned = true;
    const isPlain = (this.wanted ?? this.shown) === 0;
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

/**
 * @param {string} key
 * @returns {number | null}
 */
function recall(key) {
  try {
    const kept = localStorage.getItem(key);
    return kept !== null && /^[0-9]$/.test(kept) ? Number(kept) : null;
  } catch {
    return null; // the browser keeps nothing
  }
}

/**
 * @param {string} key
 * @param {number} camera
 */
function remember(key, camera) {
  try {
    localStorage.setItem(key, String(camera));
  } catch {
    // Then the next table begins with the usual viewpoint.
  }
}
