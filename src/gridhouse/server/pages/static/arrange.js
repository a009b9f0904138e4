// The page where a player arranges an army: two pieces of it change places. The board's clicks, drags
// and keys are those of a table; only the pieces in the field "army" are sent.

import { Board, gettext } from "./board.js";

const root = /** @type {HTMLElement} */ (document.getElementById("board"));
const field = /** @type {HTMLInputElement} */ (document.getElementById("army"));
const said = /** @type {HTMLElement} */ (document.getElementById("why"));
const cells = (root.dataset.cells ?? "").split(" ").map(Number);
const board = new Board(root, { move: swap, why: () => tell(gettext("Choose two of your own pieces.")), choices: () => {} });
const SLIDE = { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 200, easing: "ease-out" };

/** @param {string} text */
function tell(text) {
  said.textContent = text;
}

/** @param {number} cell */
function place(cell) {
  const floor = /** @type {SVGGraphicsElement} */ (board.element(cell)?.firstElementChild);
  return floor.getBBox();
}

/** @param {number} cell */
function pieceOn(cell) {
  return /** @type {SVGGElement | null} */ (root.querySelector(`g[id^='piece-'][data-cell='${cell}']`));
}

/**
 * Puts a piece on a cell; its drawing stays that of the cell where it began.
 * @param {SVGGElement | null} piece
 * @param {number} from
 * @param {number} to
 */
function put(piece, from, to) {
  if (!piece) return;
  piece.dataset.began ??= String(from);
  piece.dataset.cell = String(to);
  const [first, last] = [place(Number(piece.dataset.began)), place(to)];
  const way = (/** @type {DOMRect} */ at) => `translate(${at.x - first.x}px, ${at.y - first.y}px)`;
  piece.setAttribute("transform", `translate(${last.x - first.x} ${last.y - first.y})`);
  piece.animate([{ transform: way(place(from)) }, { transform: way(last) }], SLIDE);
}

/** @param {string} move two cells */
function swap(move) {
  const [one = 0, two = 0] = move.split(" ").map(Number);
  const army = field.value.split(" ");
  const [at, other] = [cells.indexOf(one), cells.indexOf(two)];
  [army[at], army[other]] = [army[other] ?? "", army[at] ?? ""];
  field.value = army.join(" ");
  const [first, second] = [pieceOn(one), pieceOn(two)];
  put(first, one, two);
  put(second, two, one);
  const [here, there] = [board.element(one), board.element(two)];
  const words = [here, there].map((cell) => (cell?.getAttribute("aria-label") ?? "").split(": "));
  here?.setAttribute("aria-label", `${words[0]?.[0]}: ${words[1]?.[1]}`);
  there?.setAttribute("aria-label", `${words[1]?.[0]}: ${words[0]?.[1]}`);
  tell(gettext("{} and {} have changed places.", words[0]?.[1], words[1]?.[1]));
  board.reach(two);
}

board.gestures = cells.flatMap((one) => cells.filter((two) => two !== one).map((two) => gesture(one, two)));
board.acts = true;
board.prepare(cells[0] ?? 0);
root.classList.add("acts");
/** @type {HTMLElement} */ (document.getElementById("how")).hidden = false;

/**
 * @param {number} one
 * @param {number} two
 * @returns {import("./messages").Gesture}
 */
function gesture(one, two) {
  return [`${one} ${two}`, [one, two], ""];
}
