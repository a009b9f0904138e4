// The review of a finished game: its graph, its turning points, and better moves to look for.

import { Board, capital, choiceButtons, gettext } from "./board.js";
import { MoveList } from "./move_list.js";

/** @typedef {import("./messages").Review} Review */
/** @typedef {import("./messages").ReviewedMove} ReviewedMove */
/** @typedef {import("./messages").Past} Past */
/** @typedef {import("./messages").Attempt} Attempt */

/** @param {string} id */
const need = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const table = need("review").dataset.table ?? "";
const POLL = 1000; // milliseconds between two questions for the progress
const PAUSE = 120; // milliseconds between two positions, so that a held key is not refused
const WIDE = 420; // units of the graph
const HIGH = 130;
const EDGE = 8;
/** @type {Record<string, string>} */
const GLYPHS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
/** @type {Record<string, string>} */
const MARKS = { inaccuracy: gettext("inaccuracy"), mistake: gettext("mistake"), blunder: gettext("blunder") };
const SVG = "http://www.w3.org/2000/svg";

/** @type {Review | null} */
let review = null;
/** @type {Map<number, Past>} */
const positions = new Map();
let shown = -1; // moves before the shown position
let wanted = -1;
let fetching = false;
/** @type {number[]} moves to find something better for, and which of them it is */
let lessons = [];
let lesson = -1;

const board = new Board(need("board"), {
  move: (text) => void attempt(text),
  why: () => lesson >= 0 && write("why", gettext("No move begins there.")),
  choices: offer,
});
const moves = new MoveList(need("moves"), need("steps"), (ply) => {
  stopLearning();
  look(ply);
});

/**
 * @param {string} path
 * @returns {Promise<any>} the JSON at an address of the table, null if there is none
 */
async function ask(path) {
  try {
    const answer = await fetch(`${table}/${path}`);
    return await answer.json();
  } catch {
    return null;
  }
}

async function poll() {
  const found = document.hidden ? null : await ask("review.json");
  if (found) tell(found);
  if (!review || (review.done < review.positions && !review.failed)) setTimeout(poll, POLL);
}

/** @param {Review} found */
function tell(found) {
  const first = !review;
  review = found;
  const bar = /** @type {HTMLProgressElement} */ (need("progress"));
  bar.max = found.positions;
  bar.value = found.done;
  bar.hidden = found.done === found.positions || found.failed;
  write("progress-says", progress(found));
  drawGraph(found);
  showAccuracy(found);
  showMoments(found);
  remark(found);
  const own = found.moves.map((move, ply) => ({ move, ply })).filter(({ move }) =>
    (move.mark === "mistake" || move.mark === "blunder" || (found.alone && move.mark)) &&
    (!found.seats.length || found.seats.includes(move.player)));
  lessons = own.map(({ ply }) => ply);
  const learn = need("learn");
  learn.hidden = found.done < found.positions || !lessons.length;
  learn.textContent = found.seats.length ? gettext("Learn from your mistakes ({})", lessons.length) : gettext("Learn from the mistakes ({})", lessons.length);
  if (first) look(found.moves.length);
  listMoves();
  describe();
}

/** @param {Review} found */
function progress(found) {
  if (found.failed) return gettext("The evaluation failed.");
  if (found.done < found.positions) return gettext("Evaluated: {} of {} positions.", found.done, found.positions);
  return found.best ? gettext("The best result: {}.", found.best) : gettext("The whole game is evaluated.");
}

/** @param {Review} found */
function remark(found) {
  const remarks = [];
  if (found.every > 1) remarks.push(every(found.every));
  if (found.hidden) remarks.push(gettext("Each position is judged by what the player to move knew. Moves have marks only where results are proved."));
  if (found.proved.some((proved) => proved)) remarks.push(gettext("A solid line is proved; a dashed one is the machine's estimate."));
  write("remarks", remarks.join(" "));
}

/** @param {number} count */
function every(count) {
  if (count === 2) return gettext("The game is long: every second position is evaluated, so moves have no marks.");
  if (count === 3) return gettext("The game is long: every third position is evaluated, so moves have no marks.");
  return gettext("The game is long: every {}th position is evaluated, so moves have no marks.", count);
}

// The graph.

/**
 * Draws the values of all positions: a dashed line, and a solid one where they are proved.
 * @param {Review} found
 */
function drawGraph(found) {
  const known = found.values.filter((value) => value !== null);
  const least = found.alone ? Math.min(...known) : -1;
  const most = found.alone ? Math.max(...known) : 1;
  const last = Math.max(1, found.values.length - 1);
  /** @param {number} ply */
  const across = (ply) => EDGE + (ply / last) * (WIDE - 2 * EDGE);
  /** @param {number} value */
  const down = (value) => {
    const share = most > least ? (value - least) / (most - least) : 0.5;
    return EDGE + (found.fewer ? share : 1 - share) * (HIGH - 2 * EDGE);
  };
  const drawing = element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": words(found) });
  drawing.append(element("line", { class: "middle", x1: 0, x2: WIDE, y1: HIGH / 2, y2: HIGH / 2 }));
  /** @type {{ x: number, y: number, proved: boolean } | null} */
  let before = null;
  found.values.forEach((value, ply) => {
    if (value === null) return;
    const point = { x: across(ply), y: down(value), proved: found.proved[ply] ?? false };
    if (before) {
      const kind = before.proved && point.proved ? "proof" : "guess";
      drawing.append(element("line", { class: kind, x1: before.x, y1: before.y, x2: point.x, y2: point.y }));
    }
    before = point;
  });
  for (const ply of found.moments) {
    const value = found.values[ply + 1];
    if (value != null) drawing.append(element("circle", { class: "moment", cx: across(ply + 1), cy: down(value), r: 5 }));
  }
  if (!found.alone) {
    drawing.append(label(found.players[0] ?? "", 14), label(found.players[1] ?? "", HIGH - 6));
  }
  if (shown >= 0) drawing.append(element("line", { class: "here", x1: across(shown), x2: across(shown), y1: 0, y2: HIGH }));
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const share = ((event.clientX - box.x) / box.width) * WIDE - EDGE;
    stopLearning();
    look(Math.min(last, Math.max(0, Math.round((share / (WIDE - 2 * EDGE)) * last))));
  });
  need("graph").replaceChildren(drawing);
}

/** @param {Review} found */
function words(found) {
  return found.alone ? gettext("The best result that could still be reached, move by move") : gettext("Who is ahead, move by move");
}

/**
 * @param {string} text
 * @param {number} y
 */
function label(text, y) {
  const written = element("text", { x: EDGE, y });
  written.textContent = text;
  return written;
}

/**
 * @param {string} name
 * @param {Record<string, string | number>} facts
 */
function element(name, facts) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, String(value));
  return made;
}

// Numbers, turning points and moves.

/** @param {Review} found */
function showAccuracy(found) {
  const parts = found.accuracy.flatMap((accuracy, player) => {
    if (accuracy === null) return [];
    const [name, number] = [document.createElement("dt"), document.createElement("dd")];
    name.textContent = found.alone ? gettext("Of the best result") : gettext("Accuracy of {}", found.players[player]);
    number.textContent = found.alone ? `${Math.round(accuracy)}%` : String(Math.round(accuracy));
    const pair = document.createElement("div");
    pair.append(name, number);
    return [pair];
  });
  need("accuracy").replaceChildren(...parts);
  need("accuracy").hidden = !parts.length;
}

/** @param {Review} found */
function showMoments(found) {
  need("turning").hidden = !found.moments.length;
  need("moments").replaceChildren(...found.moments.map((ply) => {
    const move = /** @type {ReviewedMove} */ (found.moves[ply]);
    const line = document.createElement("li");
    const button = document.createElement("button");
    const head = document.createElement("b");
    head.textContent = `${ply + 1}. ${move.name}: ${move.move} ${GLYPHS[move.mark]}`;
    const better = document.createElement("span");
    better.className = "better";
    better.textContent = gettext("Better: {}", move.better.map((text) => text.replaceAll(" ", "\u00a0")).join(", "));
    button.append(head, move.text, " ", better);
    button.addEventListener("click", () => {
      stopLearning();
      look(ply);
    });
    line.append(button);
    return line;
  }));
}

function listMoves() {
  if (!review) return;
  moves.show({
    ply: review.moves.length,
    looking: wanted < 0 ? null : wanted,
    since: 0,
    moves: review.moves.map(({ name, move }) => [name, move]),
    notes: review.moves.map(({ note, mark }) => [note, mark && `${GLYPHS[mark]} ${MARKS[mark]}`].filter(Boolean).join("; ")),
  });
}

// Positions.

/**
 * Shows a position; of several that are asked for quickly only the last.
 * @param {number} ply
 */
function look(ply) {
  wanted = ply;
  listMoves();
  void bring();
}

async function bring() {
  if (fetching) return;
  fetching = true;
  while (shown !== wanted) {
    const ply = wanted;
    if (!positions.has(ply)) {
      const found = await ask(`past.json?ply=${ply}`);
      if (found) positions.set(ply, found);
      await new Promise((done) => setTimeout(done, found ? PAUSE : POLL));
      if (!found && ply === wanted && !navigator.onLine) break;
      continue;
    }
    if (ply === wanted) show(ply);
  }
  fetching = false;
}

/** @param {number} ply */
function show(ply) {
  const past = positions.get(ply);
  if (!past || !review) return;
  shown = ply;
  const learns = lesson >= 0;
  board.show({ ...past, acts: learns, gestures: learns ? past.gestures : [] });
  describe();
  const move = review.moves[ply];
  if (learns) write("why", gettext("{} played {}. Find a better move.", move?.name, move?.move));
  drawGraph(review);
}

/** Says in words what is known of the shown position. */
function describe() {
  const past = positions.get(shown);
  if (!past || !review) return;
  const learns = lesson >= 0;
  write("heading", learns ? gettext("Mistake {} of {}", lesson + 1, lessons.length) : gettext("After {} of {} moves", shown, review.moves.length));
  write("status", [review.texts[shown], past.comment].filter(Boolean).join(" · "));
  if (learns) return;
  const move = review.moves[shown];
  const made = review.moves[shown - 1];
  if (move?.mark) {
    write("why", gettext("Next, {} plays {}. {} Better: {}.", move.name, move.move, move.text, move.better[0]));
    board.hint(move.cells);
  } else {
    write("why", made?.mark ? `${capital(MARKS[made.mark] ?? "")}. ${made.text}` : "");
  }
}

// Better moves to look for.

/** @param {number} at */
function learn(at) {
  lesson = at;
  need("lesson").hidden = false;
  need("next").hidden = at + 1 >= lessons.length;
  need("solution").hidden = false;
  shown = -1; // the same position is shown again, with its moves
  look(lessons[at] ?? 0);
}

function stopLearning() {
  if (lesson < 0) return;
  lesson = -1;
  shown = -1;
  need("lesson").hidden = true;
  offer([]);
}

/** @param {string} move */
async function attempt(move) {
  const ply = lessons[lesson];
  if (ply === undefined) return;
  write("why", gettext("The machine looks at it …"));
  /** @type {Attempt | null} */
  const found = await ask(`try.json?ply=${ply}&move=${encodeURIComponent(move)}`);
  if (lessons[lesson] !== ply) return;
  write("why", found ? `${move}: ${found.text}` : gettext("The house does not answer. Try again."));
}

function solve() {
  const move = review?.moves[lessons[lesson] ?? -1];
  if (!move) return;
  write("why", `Better: ${move.better.join(", ")}.`);
  board.hint(move.cells);
}

/** @param {import("./board.js").Gesture[]} found */
function offer(found) {
  need("choices").replaceChildren(...choiceButtons(board, found, (move) => void attempt(move)));
}

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const part = need(id);
  if (part.textContent !== text) part.textContent = text;
}

need("learn").addEventListener("click", () => learn(0));
need("next").addEventListener("click", () => learn(lesson + 1));
need("solution").addEventListener("click", solve);
need("quit").addEventListener("click", () => {
  const ply = lessons[lesson] ?? 0;
  stopLearning();
  look(ply);
  need("learn").focus();
});
void poll();
