// The list of moves with its navigation, and the clocks.

/** @typedef {import("./messages").View} View */
/** @typedef {import("./messages").Clock} Clock */

const TICK = 200; // milliseconds
const HASTE = 20_000; // remaining milliseconds below which tenths are shown
/** @type {Record<string, number>} moves forward for each key */
const STEPS = {
  ArrowLeft: -1,
  ArrowUp: -1,
  ArrowRight: 1,
  ArrowDown: 1,
  Home: -Infinity,
  End: Infinity,
};
/** @type {Record<string, number>} */
const BUTTONS = { "step-first": -Infinity, "step-back": -1, "step-on": 1, "step-last": Infinity };

export class MoveList {
  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} steps the buttons that step from move to move
   * @param {(ply: number) => void} look shows the position after a number of moves
   */
  constructor(list, steps, look) {
    this.list = list;
    this.steps = steps;
    this.look = look;
    this.shown = 0; // moves before the shown position
    this.made = 0;
    /** @type {(HTMLButtonElement | null)[]} */
    this.marked = [];
    list.addEventListener("click", (event) => {
      const line = event.target instanceof Element ? event.target.closest("li") : null;
      if (line) look([...list.children].indexOf(line) + 1);
    });
    for (const [id, step] of Object.entries(BUTTONS)) {
      document.getElementById(id)?.addEventListener("click", () => this.go(step));
    }
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Handles the keys of the list, and the left and right arrow keys where nothing else needs them.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const at = event.target instanceof Element ? event.target : null;
    const isHere = this.list.contains(at) || this.steps.contains(at);
    const step = STEPS[event.key];
    if (step === undefined || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!isHere && event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    if (at?.closest("input, textarea, select, dialog, .board")) return;
    event.preventDefault();
    this.go(step);
  }

  /** @param {number} step */
  go(step) {
    const to = Math.min(this.made, Math.max(0, this.shown + step));
    if (to !== this.shown) this.look(to);
  }

  /** @param {Pick<View, "ply" | "looking" | "moves" | "notes" | "since">} view */
  show(view) {
    this.made = view.ply;
    this.shown = view.looking ?? view.ply;
    const focused = this.list.contains(document.activeElement);
    view.moves.slice(view.since).forEach(([name, move], index) => {
      const at = view.since + index;
      const note = view.notes[at] ? ` (${view.notes[at]})` : "";
      this.write(at, `${name}: ${move}${note}`);
    });
    while (this.list.children.length > view.moves.length) this.list.lastElementChild?.remove();
    const current = this.mark();
    if (focused) (current ?? this.list).focus({ preventScroll: true });
    this.list.scrollTop = current ? current.offsetTop - this.list.clientHeight / 2 : 0;
    for (const [id, step] of Object.entries(BUTTONS)) {
      const isEnd = this.shown === (step < 0 ? 0 : this.made);
      document.getElementById(id)?.setAttribute("aria-disabled", String(isEnd));
    }
  }

  /**
   * @param {number} at
   * @param {string} text
   */
  write(at, text) {
    let button = this.list.children[at]?.querySelector("button");
    if (!button) {
      const line = this.list.children[at] ?? this.list.appendChild(document.createElement("li"));
      button = document.createElement("button");
      button.tabIndex = -1;
      line.replaceChildren(button);
    }
    if (button.textContent !== text) button.textContent = text;
  }

  /**
   * Marks the last move of the shown position, and makes one move reachable by the tab key.
   * @returns {HTMLElement | null} its button
   */
  mark() {
    const button = (/** @type {number} */ at) => this.list.children[at]?.querySelector("button") ?? null;
    const current = button(this.shown - 1);
    for (const marked of this.marked) {
      marked?.removeAttribute("aria-current");
      if (marked) marked.tabIndex = -1;
    }
    current?.setAttribute("aria-current", "step");
    const reached = current ?? button(0);
    if (reached) reached.tabIndex = 0;
    this.marked = [current, reached];
    return current;
  }
}

/** Shows the clocks; between two messages of the server it counts the time itself. */
export class Clocks {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Clock[]} */
    this.clocks = [];
    this.told = 0; // the time of the last message
    setInterval(() => this.draw(), TICK);
  }

  /** @param {View["clocks"]} clocks */
  show(clocks) {
    this.clocks = (clocks ?? []).flatMap((clock) => clock ?? []); // the machine has none
    this.told = performance.now();
    this.root.hidden = !this.clocks.length;
    while (this.root.children.length > this.clocks.length) this.root.lastElementChild?.remove();
    while (this.root.children.length < this.clocks.length) this.root.append(face());
    this.draw();
  }

  draw() {
    this.clocks.forEach(({ name, left, runs }, at) => {
      const clock = this.root.children[at];
      const [who, rest] = clock?.children ?? [];
      if (!clock || !who || !rest) return;
      const now = Math.max(0, left - (runs ? performance.now() - this.told : 0));
      if (who.textContent !== name) who.textContent = name;
      if (rest.textContent !== time(now)) rest.textContent = time(now);
      clock.classList.toggle("runs", runs);
      clock.classList.toggle("short", now < HASTE);
    });
  }
}

/** Returns an empty clock; screen readers do not announce a timer. */
function face() {
  const clock = document.createElement("p");
  clock.className = "clock";
  clock.setAttribute("role", "timer");
  clock.append(document.createElement("span"), " ", document.createElement("b"));
  return clock;
}

/**
 * @param {number} left milliseconds
 * @returns {string} minutes and seconds
 */
function time(left) {
  if (left < HASTE) return `0:${(Math.floor(left / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
