// The clocks of a table. The house keeps the time; here it only goes on between two of its words.

/** @typedef {import("./messages").Clock} Clock */

const TICK = 200; // milliseconds
const HASTE = 20_000; // milliseconds that are left when tenths are shown

export class Clocks {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {(Clock | null)[]} */
    this.clocks = [];
    this.told = 0; // when the house told the time
    setInterval(() => this.draw(), TICK);
  }

  /** @param {(Clock | null)[] | null} clocks */
  show(clocks) {
    this.clocks = clocks ?? [];
    this.told = performance.now();
    this.root.hidden = !this.clocks.length;
    this.root.replaceChildren(
      ...this.clocks.map(() => {
        const face = document.createElement("span");
        face.className = "clock";
        face.setAttribute("role", "timer");
        return face;
      }),
    );
    this.draw();
  }

  draw() {
    this.clocks.forEach((clock, at) => {
      const face = /** @type {HTMLElement} */ (this.root.children[at]);
      face.hidden = !clock;
      if (!clock) return;
      const gone = clock.runs ? performance.now() - this.told : 0;
      face.textContent = `${clock.name} ${time(Math.max(0, clock.left - gone))}`;
      face.classList.toggle("runs", clock.runs);
    });
  }
}

/**
 * @param {number} left milliseconds
 * @returns {string} minutes and seconds
 */
export function time(left) {
  if (left < HASTE) return `0:${(Math.floor(left / 100) / 10).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.ceil(left / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
