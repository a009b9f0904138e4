// A table: what the house tells is shown, and what is done here is told to the house, which alone
// knows the rules.

import { Board } from "./board.js";
import { Wire } from "./wire.js";

/** @param {string} id */
const part = (id) => document.getElementById(id);
const table = /** @type {HTMLElement} */ (part("table"));
const root = /** @type {HTMLElement} */ (part("board"));

/** @typedef {import("./messages").View} View */
/** @type {View | null} what the house has said last */
let view = null;
const ply = () => view?.ply ?? -1;
/** How many moves lie behind the board that is shown. */
const shownPly = () => view?.looking ?? ply();
let judges = false; // whether the reader wants to know how positions stand
/** @type {import("./clocks.js").Clocks | null} made at the first table that has clocks */
let clocks = null;

const wire = new Wire(table.dataset.socket ?? "", heard, (open) => {
  hide("offline", open);
});
const board = new Board(root, {
  move: (text) => wire.say({ type: "move", move: text, ply: ply() }),
  why: (cells) => wire.say({ type: "why", cells }),
  choices: offer,
});

/** @param {import("./messages").Message} message */
function heard(message) {
  if (message.type === "view") showView(message);
  else if (message.type === "refusal") {
    write("why", `${capital(message.text)}.`);
    showing(false);
  } else if (view && message.ply === view.ply) learn(message, view);
}

/**
 * Shows what the machine has told of a position.
 * @param {import("./messages").Help} help
 * @param {View} view
 */
function learn(help, view) {
  if (help.type === "judge") write("judgement", `${help.text}.`);
  else if (help.type === "shown") leaveShow();
  else if (help.type === "hint") {
    write("why", `Perhaps ${help.move}`);
    board.hint(help.cells);
  } else {
    showing(true);
    write("heading", help.heading);
    board.show({ ...view, board: help.board, last: help.last, acts: false, gestures: [] });
  }
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
  if (part("stop")?.hidden) return;
  showing(false);
  wire.say({ type: "look", ply: view?.looking ?? null });
}

/** @param {View["clocks"]} told */
async function showClocks(told) {
  const root = /** @type {HTMLElement} */ (part("clocks"));
  if (told && !clocks) clocks = new (await import("./clocks.js")).Clocks(root);
  clocks?.show(told);
}

/** @param {View} next */
function showView(next) {
  const before = view;
  view = next;
  board.show(next);
  root.dataset.ply = String(next.ply);
  write("heading", next.heading);
  write("status", next.status);
  if (before?.ply !== next.ply) write("why", "");
  showClocks(next.clocks);
  showing(false);
  if (before) announce(before, next);
  listMoves(next);
  const curtain = next.handing;
  hide("curtain", !curtain);
  if (curtain) {
    write("curtain-says", curtain.says);
    write("curtain-button", curtain.button);
  }
  disable("undo", !next.undo);
  disable("redo", !next.redo);
  hide("resign", !next.resign);
  const goesOn = !next.over || next.looking !== null;
  disable("hint", !mayAsk(next) || !goesOn);
  disable("show", !mayAsk(next) || !goesOn);
  judge();
  hide("turn", !next.turns);
  hide("asked", !next.asked);
  write("asked-says", next.asked);
  hide("invitation", !next.invitation);
  const link = part("invitation-link");
  if (link && next.invitation) /** @type {HTMLInputElement} */ (link).value = location.origin + next.invitation;
  for (const open of document.querySelectorAll(".open-only")) {
    /** @type {HTMLElement} */ (open).hidden = !next.position;
  }
  part("from-here")?.setAttribute("href", `/new/${table.dataset.game}?start=${encodeURIComponent(next.position)}`);
}

/**
 * @param {View} before
 * @param {View} now
 */
function announce(before, now) {
  const made = now.moves.slice(before.moves.length).map(([name, move]) => `${name}: ${move}.`);
  if (now.moves.length < before.moves.length) made.push("A move is taken back.");
  const status = now.status ? `${now.status}.` : "";
  write("said", [...made, `${now.heading}.`, status].join(" "));
}

/**
 * Tells whether the machine would help with the position that is shown.
 * @param {View} view
 */
function mayAsk(view) {
  return view.helps && (view.over || view.looking === null);
}

/** Asks how the position stands, if the reader wants to know. */
function judge() {
  const asks = judges && view && mayAsk(view);
  write("judgement", asks ? "…" : "");
  if (asks) wire.say({ type: "judge" });
}

/** @param {number} to */
function lookAt(to) {
  wire.say({ type: "look", ply: to < ply() ? Math.max(0, to) : null });
}

/** @param {View} view */
function listMoves(view) {
  const list = /** @type {HTMLElement} */ (part("moves"));
  const shown = shownPly();
  list.replaceChildren(
    ...view.moves.map(([name, move], at) => {
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
  list.scrollTop = current ? current.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
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
        wire.say({ type: "move", move, ply: ply() });
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
  if (input.value.trim()) wire.say({ type: "move", move: input.value.trim(), ply: ply() });
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
  write("why", "");
  leaveShow();
});
onClick("judge", () => {
  judges = !judges;
  part("judge")?.setAttribute("aria-pressed", String(judges));
  judge();
});
onClick("step-first", () => lookAt(0));
onClick("step-back", () => lookAt(shownPly() - 1));
onClick("step-on", () => lookAt(shownPly() + 1));
onClick("step-last", () => lookAt(ply()));
onClick("hint", () => {
  write("why", "The machine is thinking …");
  wire.say({ type: "hint" });
});
onClick("save-png", async () => {
  try {
    const { savePng } = await import("./png.js"); // what few need is asked for when it is needed
    await savePng(`${location.pathname}/picture.svg`, `${table.dataset.game}.png`);
  } catch {
    write("why", "The picture could not be saved.");
  }
});
onClick("agree", () => wire.say({ type: "answer", agrees: true }));
onClick("disagree", () => wire.say({ type: "answer", agrees: false }));
onClick("curtain-button", () => {
  if (view?.handing) wire.say({ type: view.handing.does });
});
copies("invitation-copy", () => /** @type {HTMLInputElement} */ (part("invitation-link")).value);
copies("watch-copy", () => location.href.replace(/#.*/, ""));
