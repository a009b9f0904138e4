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
  else if (message.type === "refusal") write("why", `${capital(message.text)}.`);
  else if (message.type === "hint" && message.ply === ply()) {
    write("why", `Perhaps ${message.move}`);
    board.hint(message.cells);
  }
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
  if (before) announce(before, next);
  listMoves(next);
  const curtain = next.handing;
  hide("curtain", !curtain);
  if (curtain) {
    write("curtain-says", curtain.says);
    write("curtain-button", curtain.button);
  }
  disable("undo", !next.undo);
  disable("hint", !next.acts);
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

/** @param {View} view */
function listMoves(view) {
  const list = /** @type {HTMLElement} */ (part("moves"));
  list.replaceChildren(
    ...view.moves.map(([name, move]) => {
      const line = document.createElement("li");
      line.textContent = `${name}: ${move}`;
      return line;
    }),
  );
  list.scrollTop = list.scrollHeight;
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
