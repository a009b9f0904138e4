// A table: what the house tells is shown, and what is done here is told to the house, which alone
// knows the rules.

import { Board } from "./board.js";
import { Clocks } from "./clocks.js";
import { Wire } from "./wire.js";

/** @param {string} id */
const part = (id) => document.getElementById(id);
const table = /** @type {HTMLElement} */ (part("table"));
const root = /** @type {HTMLElement} */ (part("board"));

/** @type {any} */
let view = { ply: -1, moves: [] };
let judges = false; // whether the reader wants to know how positions stand
const clocks = new Clocks(/** @type {HTMLElement} */ (part("clocks")));

const wire = new Wire(table.dataset.socket ?? "", heard, (open) => {
  hide("offline", open);
});
const board = new Board(root, {
  move: (text) => wire.say({ type: "move", move: text, ply: view.ply }),
  why: (cells) => wire.say({ type: "why", cells }),
  choices: offer,
});

/** @param {any} message */
function heard(message) {
  if (message.type === "view") showView(message);
  else if (message.type === "refusal") {
    write("why", `${capital(message.text)}.`);
    showing(false);
  } else if (message.ply !== view.ply) return; // about a table that has changed meanwhile
  else if (message.type === "hint") {
    write("why", `Perhaps ${message.move}`);
    board.hint(message.cells);
  } else if (message.type === "judge") write("judgement", `${message.text}.`);
  else if (message.type === "frame") {
    showing(true);
    write("heading", message.heading);
    board.show({ ...view, ...message, acts: false, gestures: [] });
  } else if (message.type === "shown") leaveShow();
}

/**
 * Notes whether the machine shows how play should go on.
 * @param {boolean} shows
 */
function showing(shows) {
  hide("stop", !shows);
  hide("show", shows);
}

function leaveShow() {
  if (/** @type {HTMLElement} */ (part("stop")).hidden) return;
  showing(false);
  wire.say({ type: "look", ply: view.looking });
}

/** @param {any} next */
function showView(next) {
  const before = view;
  view = next;
  board.show(view);
  root.dataset.ply = String(view.ply);
  write("heading", view.heading);
  write("status", view.status);
  if (before.ply !== view.ply) write("why", "");
  clocks.show(view.clocks);
  showing(false);
  announce(before);
  listMoves();
  const curtain = view.handing;
  hide("curtain", !curtain);
  if (curtain) {
    write("curtain-says", curtain.says);
    write("curtain-button", curtain.button);
  }
  disable("undo", !view.undo);
  disable("redo", !view.redo);
  hide("resign", !view.resign);
  const mayAsk = view.helps && (view.over || view.looking === null);
  disable("hint", !mayAsk || (view.over && view.looking === null));
  disable("show", !mayAsk || (view.over && view.looking === null));
  judge(mayAsk);
  hide("turn", !view.turns);
  hide("asked", !view.asked);
  write("asked-says", view.asked);
  hide("invitation", !view.invitation);
  const link = part("invitation-link");
  if (link && view.invitation) /** @type {HTMLInputElement} */ (link).value = location.origin + view.invitation;
  for (const open of document.querySelectorAll(".open-only")) {
    /** @type {HTMLElement} */ (open).hidden = !view.position;
  }
  part("from-here")?.setAttribute("href", `/new/${table.dataset.game}?start=${encodeURIComponent(view.position)}`);
}

/** @param {any} before */
function announce(before) {
  if (before.ply < 0) return;
  const made = view.moves.slice(before.moves.length).map(([name, move]) => `${name}: ${move}.`);
  if (view.moves.length < before.moves.length) made.push("A move is taken back.");
  const status = view.status ? `${view.status}.` : "";
  write("said", [...made, `${view.heading}.`, status].join(" "));
}

/** @param {boolean} mayAsk */
function judge(mayAsk) {
  write("judgement", judges && mayAsk ? "…" : "");
  if (judges && mayAsk) wire.say({ type: "judge" });
}

/** How many moves lie behind the board that is shown. */
function shownPly() {
  return view.looking ?? view.ply;
}

/** @param {number} ply */
function lookAt(ply) {
  wire.say({ type: "look", ply: ply < view.ply ? Math.max(0, ply) : null });
}

function listMoves() {
  const list = /** @type {HTMLElement} */ (part("moves"));
  const shown = shownPly();
  list.replaceChildren(
    ...view.moves.map((/** @type {[string, string]} */ [name, move], /** @type {number} */ at) => {
      const line = document.createElement("li");
      const button = document.createElement("button");
      button.textContent = `${name}: ${move}`;
      if (at + 1 === shown) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => lookAt(at + 1));
      line.append(button);
      return line;
    }),
  );
  const current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  list.scrollTop = current ? current.offsetTop - list.clientHeight / 2 : shown ? list.scrollHeight : 0;
  for (const id of ["step-first", "step-back"]) disable(id, shown === 0);
  for (const id of ["step-on", "step-last"]) disable(id, shown === view.ply);
}

/** @param {import("./board.js").Gesture[]} found */
function offer(found) {
  const choices = /** @type {HTMLElement} */ (part("choices"));
  choices.replaceChildren(
    ...found.map(([move, , choice]) => {
      const button = document.createElement("button");
      button.textContent = capital(choice || "here");
      button.dataset.move = move;
      button.addEventListener("click", () => {
        board.clear();
        wire.say({ type: "move", move, ply: view.ply });
        board.reach(board.current);
      });
      return button;
    }),
  );
}

/** @param {string} text */
function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const element = part(id);
  if (element && element.textContent !== text) element.textContent = text;
}

/**
 * @param {string} id
 * @param {boolean} hidden
 */
function hide(id, hidden) {
  const element = part(id);
  if (element) element.hidden = hidden;
}

/**
 * @param {string} id
 * @param {boolean} disabled
 */
function disable(id, disabled) {
  const button = /** @type {HTMLButtonElement | null} */ (part(id));
  if (button) button.disabled = disabled;
}

/**
 * @param {string} id
 * @param {() => void} does
 */
function onClick(id, does) {
  part(id)?.addEventListener("click", does);
}

/**
 * @param {string} id
 * @param {() => string} link
 */
function copies(id, link) {
  onClick(id, () => {
    navigator.clipboard?.writeText(link()).then(
      () => write("why", "The link is copied."),
      () => write("why", link()),
    );
    if (!navigator.clipboard) write("why", link());
  });
}

part("typed")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (part("move"));
  if (input.value.trim()) wire.say({ type: "move", move: input.value.trim(), ply: view.ply });
  input.value = "";
});
onClick("turn", () => wire.say({ type: "turn" }));
onClick("undo", () => wire.say({ type: "undo" }));
onClick("redo", () => wire.say({ type: "redo" }));
onClick("resign", () => {
  if (confirm("Give this game up?")) wire.say({ type: "resign" });
});
onClick("show", () => {
  write("why", "The machine is thinking …");
  showing(true);
  wire.say({ type: "show" });
});
onClick("stop", () => {
  wire.say({ type: "stop" });
  leaveShow();
});
onClick("judge", () => {
  judges = !judges;
  part("judge")?.setAttribute("aria-pressed", String(judges));
  judge(view.helps && (view.over || view.looking === null));
});
onClick("step-first", () => lookAt(0));
onClick("step-back", () => lookAt(shownPly() - 1));
onClick("step-on", () => lookAt(shownPly() + 1));
onClick("step-last", () => lookAt(view.ply));
onClick("hint", () => {
  write("why", "The machine is thinking …");
  wire.say({ type: "hint" });
});
onClick("agree", () => wire.say({ type: "answer", agrees: true }));
onClick("disagree", () => wire.say({ type: "answer", agrees: false }));
onClick("curtain-button", () => wire.say({ type: view.handing.does }));
copies("invitation-copy", () => /** @type {HTMLInputElement} */ (part("invitation-link")).value);
copies("watch-copy", () => location.href.split("#")[0]);
