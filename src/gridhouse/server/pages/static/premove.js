// The move ahead: pointed at in the opponent's turn, and sent when the visitor's turn comes if it is
// legal then. Until then any two cells are taken: only the server knows the rules.

import { gettext } from "./board.js";
import { wants } from "./settings.js";

/** @typedef {import("./messages").View} View */

const NEXT = gettext("Your move ahead is played when your turn comes.");
const LATE = gettext("Your move ahead is not possible any more.");

export class Premove {
  /**
   * @param {import("./board.js").Board} board
   * @param {{ pairs: boolean, choices: string[] }} forms whether two cells name a move, and choices for one
   * @param {{ move: (text: string) => void, tell: (text: string) => void }} hands
   */
  constructor(board, forms, hands) {
    this.board = board;
    this.forms = forms;
    this.hands = hands;
    this.waits = false; // whether it is the opponent's turn
    this.ply = 0;
    /** @type {number | null} */
    this.first = null;
    /** @type {number[]} */
    this.goal = []; // the cells that were pointed at next
    this.choice = "";
    board.layers.push((marks) => this.paint(marks));
    // Before the other keys of the page.
    document.addEventListener("keydown", (event) => this.key(event), { capture: true });
  }

  /**
   * Plays the move if the turn has come, else goes on waiting or drops it.
   * @param {View} view
   * @param {boolean} waits
   */
  show(view, waits) {
    const { first, goal, choice } = this;
    const isBack = view.ply < this.ply;
    this.ply = view.ply;
    this.wait(waits);
    if (isBack) this.drop();
    if (waits || isBack || !view.acts || first === null) return;
    if (!goal.length && !choice) {
      if (this.board.beginning([first]).length) this.board.offer([first]);
      return;
    }
    const found = view.gestures.find(([move, [from, ...to], chosen]) =>
      from === first && chosen === choice && (choice || (view.landings[move] ?? to).some((cell) => goal.includes(cell))),
    );
    if (found) this.hands.move(found[0]);
    else this.hands.tell(LATE);
  }

  /** @param {boolean} waits whether a move ahead may be made; else there is none any more */
  wait(waits) {
    this.waits = waits;
    this.board.root.classList.toggle("waits", waits && this.forms.pairs);
    if (!waits) this.drop();
  }

  drop() {
    if (this.first === null) return;
    [this.first, this.goal, this.choice] = [null, [], ""];
    this.board.mark();
  }

  /**
   * @param {number} first
   * @param {number[]} goal
   * @param {string} choice
   */
  keep(first, goal = [], choice = "") {
    [this.first, this.goal, this.choice] = [first, goal, choice];
    this.hands.tell(goal.length || choice ? NEXT : "");
    this.board.mark();
  }

  cancel() {
    this.drop();
    this.hands.tell("");
  }

  /** Tells whether the first cell waits for the second one. */
  isOpen() {
    return this.first !== null && !this.goal.length && !this.choice;
  }

  /**
   * Takes a cell that was pointed at, or a drag between two.
   * @param {number} pointed
   * @param {number} [to]
   * @returns {boolean} whether it was meant for a move ahead
   */
  point(pointed, to) {
    if (!this.waits || !wants("ahead")) return false;
    const [cell, first] = [this.board.anchor(pointed), this.first];
    const begins = this.forms.pairs && this.board.root.querySelector(`g[id^="piece-"][data-cell="${cell}"]`);
    if (to !== undefined) begins && this.keep(cell, this.board.fields(to));
    else if (first !== null && this.isOpen() && cell !== first) this.keep(first, this.board.fields(pointed));
    else if (begins && cell !== first) this.keep(cell);
    else if (first !== null) this.cancel();
    else return false;
    return true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = event.target instanceof Element ? event.target : null;
    if (!this.waits || event.altKey || event.ctrlKey || event.metaKey) return;
    if (at?.closest("input, textarea, select, dialog")) return;
    const letter = event.key.toLowerCase();
    const choice = this.forms.choices.find((name) => letter.length === 1 && name.toLowerCase().startsWith(letter));
    const cell = this.forms.pairs ? this.isOpen() && this.first : (this.board.focused() ?? this.board.over);
    if (event.key === "Escape" && this.first !== null) this.cancel();
    else if (choice && typeof cell === "number" && wants("ahead")) this.keep(cell, [], choice);
    else return;
    event.preventDefault();
  }

  /** @param {Element} marks */
  paint(marks) {
    if (this.first === null) return;
    const [to] = this.goal;
    this.board.outline(marks, this.first, "ahead");
    this.board.copy(marks, this.goal, "ahead");
    if (to !== undefined) marks.append(this.board.arrow([this.first, to], "ahead"));
    if (!this.choice) return;
    const { x, y } = this.board.spot(this.first);
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("class", "mark-choice");
    text.setAttribute("x", String(x));
    text.setAttribute("y", String(y));
    text.textContent = this.choice;
    marks.append(text);
  }
}
