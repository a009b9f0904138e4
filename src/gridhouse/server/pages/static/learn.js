// The page of a lesson's step or a puzzle. It keeps the moves made so far and sends them with each
// attempt; only the server knows the rules, and it keeps nothing.

import { Board, choiceButtons, gettext } from "./board.js";

/** @typedef {import("./messages").Gesture} Gesture */
/** @typedef {{ board: string, side: number, status: string, last: number[], gestures: Gesture[], acts: boolean, moves: string[], done: boolean, failed: boolean, text: string }} Answer */
/** @typedef {{ now: number, best: number, solved: number[], tried: number[] }} Record */

/** @param {string} id */
const need = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const page = need("exercise");
const { lesson, puzzles } = page.dataset;
const number = Number(page.dataset.number);

/** @type {string[]} */
let moves = [];
let busy = false;
const board = new Board(need("board"), {
  move: (move) => void send({ move }),
  why: (cells) => void send({ cells }),
  choices: offer,
});

/**
 * Sends an attempt, and shows the answer.
 * @param {{ move?: string, cells?: number[], shows?: boolean }} attempt
 */
async function send(attempt) {
  if (busy) return;
  busy = true;
  try {
    const body = JSON.stringify({ moves, ...attempt });
    const response = await fetch(location.pathname, { method: "POST", body });
    if (!response.ok) throw new Error(String(response.status));
    hear(await response.json(), attempt);
  } catch {
    write("verdict", gettext("The house does not answer. Try again."));
  } finally {
    busy = false;
  }
}

/**
 * @param {Answer} answer
 * @param {{ move?: string, cells?: number[], shows?: boolean }} attempt
 */
function hear(answer, attempt) {
  moves = answer.moves;
  board.show({ ...answer, drawn: true });
  board.root.dataset.ply = String(moves.length);
  need("status").replaceChildren(...answer.status.split(" - ").flatMap((text) => [span(text), " "]));
  const says = answer.text || (answer.done ? gettext("Right!") : "");
  write("verdict", says || (moves.length ? gettext("Good. Go on.") : ""));
  need("verdict").classList.toggle("right", answer.done);
  need("verdict").classList.toggle("wrong", answer.failed);
  need("again").hidden = !moves.length;
  need("show").hidden = answer.done;
  if (answer.done && lesson) keep(`learn:${lesson}`, [...new Set([...kept(`learn:${lesson}`, []), number])]);
  if (puzzles) count(answer, Boolean(attempt.shows));
  need("next").classList.toggle("main", answer.done);
  if (answer.done) need("next").focus();
  mark();
}

/**
 * Counts a solved puzzle, or ends the streak; only the first attempt at a puzzle counts.
 * @param {Answer} answer
 * @param {boolean} shown
 */
function count(answer, shown) {
  const name = `puzzles:${puzzles}`;
  const record = kept(name, /** @type {Record} */ ({ now: 0, best: 0, solved: [], tried: [] }));
  if ((answer.done || answer.failed || shown) && !record.tried.includes(number)) {
    record.tried.push(number);
    const solved = answer.done && !shown;
    record.now = solved ? record.now + 1 : 0;
    record.best = Math.max(record.best, record.now);
    if (solved) record.solved.push(number);
    keep(name, record);
  }
  need("streak").hidden = !record.tried.length;
  write("streak", gettext("Solved in a row: {}, at most {}. Solved at first try: {}.", record.now, record.best, record.solved.length));
}

/** Marks the steps of the lesson that are done. */
function mark() {
  if (!lesson) return;
  /** @type {number[]} */
  const done = kept(`learn:${lesson}`, []);
  [...need("course").children].forEach((step, at) => step.classList.toggle("done", done.includes(at + 1)));
}

/** @param {Gesture[]} found */
function offer(found) {
  need("choices").replaceChildren(...choiceButtons(board, found, (move) => void send({ move })));
}

/**
 * Returns what this browser keeps under a name, or else a default.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T}
 */
function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") ?? otherwise;
  } catch {
    return otherwise;
  }
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing still teaches.
  }
}

/** @param {string} text */
function span(text) {
  const made = document.createElement("span");
  made.textContent = text;
  return made;
}

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  need(id).textContent = text;
}

need("again").addEventListener("click", () => {
  moves = [];
  void send({});
});
need("show").addEventListener("click", () => void send({ shows: true }));
void send({});
