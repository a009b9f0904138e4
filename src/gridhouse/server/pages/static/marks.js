// Arrows and rings that visitors draw for themselves with the right button; nobody else sees them.

import { cellOf } from "./board.js";

export class Marks {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Map<string, [from: number, to: number]>} */
    this.made = new Map();
    /** @type {[from: number, to: number] | null} */
    this.drawn = null; // what is being drawn
    board.layers.push((marks) => this.paint(marks));
    board.root.addEventListener("pointerdown", (event) => this.press(event));
    document.addEventListener("pointermove", (event) => this.draw(event));
    document.addEventListener("pointerup", (event) => this.release(event));
    board.root.addEventListener("contextmenu", (event) => event.button === 2 && event.preventDefault());
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button === 0) this.clear();
    const cell = cellOf(event.target);
    if (event.button !== 2 || cell === null) return;
    this.drawn = [cell, cell];
    this.board.mark();
  }

  /** @param {PointerEvent} event */
  draw(event) {
    if (!this.drawn) return;
    const to = cellOf(event.target) ?? this.drawn[1];
    if (!event.buttons) this.drawn = null; // the button was released outside the window
    else if (to !== this.drawn[1]) this.drawn[1] = to;
    else return;
    this.board.mark();
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.drawn || event.button !== 2) return;
    const name = this.drawn.join();
    if (cellOf(event.target) !== null && !this.made.delete(name)) this.made.set(name, this.drawn);
    this.drawn = null;
    this.board.mark();
  }

  clear() {
    if (!this.made.size && !this.drawn) return;
    this.made.clear();
    this.drawn = null;
    this.board.mark();
  }

  /** @param {Element} marks */
  paint(marks) {
    for (const [from, to] of [...this.made.values(), ...(this.drawn ? [this.drawn] : [])]) {
      marks.append(from === to ? this.ring(from) : this.board.arrow([from, to], "own"));
    }
  }

  /** @param {number} cell */
  ring(cell) {
    const box = this.board.element(cell)?.getBBox() ?? { width: 0, height: 0 };
    const { x, y } = this.board.spot(cell);
    const ring = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    ring.setAttribute("class", "mark mark-own");
    ring.setAttribute("cx", String(x));
    ring.setAttribute("cy", String(y));
    ring.setAttribute("r", String(0.42 * Math.min(box.width, box.height)));
    return ring;
  }
}
