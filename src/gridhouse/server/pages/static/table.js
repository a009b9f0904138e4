// The page of a table. It shows the views of the server and sends the visitor's requests; only the
// server knows the rules.

import { Board, capital, choiceButtons, gettext } from "./board.js";
import { Clocks, MoveList } from "./move_list.js";
import * as settings from "./settings.js";
import { ReconnectingSocket } from "./socket.js";

/** @param {string} id */
const part = (id) => document.getElementById(id);
/** @param {string} id */
const need = (id) => /** @type {HTMLElement} */ (part(id));
const table = need("table");
const root = need("board");
const THINKING = gettext("The machine is thinking …");

/** @typedef {import("./messages").View} View */
/** @type {View | null} the last view of the server */
let view = null;
const ply = () => view?.ply ?? -1;
let judges = false; // whether the evaluation is switched on
/** @type {"" | "asked" | "runs" | "done"} the state of the best line */
let shows = "";
let missed = false; // whether moves were made while an earlier position was shown
/** @type {(() => void) | null} the action after a confirmed question */
let question = null;
let about = ""; // what is said of the cell under the mouse
let withdrew = false; // whether the visitor has just withdrawn a request

/** @type {import("./premove.js").Premove | null} loaded when the opponent is to move */
let premove = null;
/** @type {import("./marks.js").Marks | null} the visitor's own */
let own = null;
const LOST = gettext("Connection lost. Reconnecting …");
const RESTARTS = gettext("The house restarts. Reconnecting …");
/** @type {{ looking: number | null } | null} the shown position when the connection was lost */
let lost = null;

const allowed = { burst: Number(table.dataset.burst), rate: Number(table.dataset.rate) };
const cameras = "cameras" in table.dataset ? await import("./camera.js") : null; // most boards have one viewpoint
const wire = new ReconnectingSocket(from(cameras?.firstCamera(table.dataset.game ?? "") ?? null), allowed, heard, (open, restarts) => {
  if (!open) miss();
  if (open || restarts) write("offline", open ? LOST : RESTARTS);
  hide("offline", open);
});
const board = new Board(root, {
  move: (text, times = 1) => {
    write("why", "");
    const from = ply();
    for (let made = 0; made < times; made += 1) say({ type: "move", move: text, ply: from + made });
  },
  why,
  choices: offer,
  about: (text) => {
    if (text || about) write("why", capital(text));
    about = text;
  },
  ahead: (cell, to) => Boolean(premove?.point(cell, to)),
});
// Drawn with a mouse only, so loaded when there is one.
root.addEventListener("pointerover", () => import("./marks.js").then(({ Marks }) => (own = new Marks(board)), () => {}), { once: true });
const viewpoints = cameras && new cameras.Cameras(
  board, { turn: part("turn"), plain: part("plain") }, table.dataset.game ?? "", turn,
);
const clocks = new Clocks(need("clocks"));
const moves = new MoveList(need("moves"), need("steps"), lookAt);

/**
 * Sends a request, or reports that there is no connection.
 * @param {import("./socket.js").Request} message
 * @returns {boolean} whether it was sent
 */
function say(message) {
  const sent = wire.say(message);
  if (!sent) write("why", gettext("Not sent: there is no connection."));
  return sent;
}

/** Notes the loss of the connection, and drops pending requests. */
function miss() {
  lost ??= { looking: view?.looking ?? null };
  if (part("why")?.textContent === THINKING) write("why", "");
}

/** Restores the shown position: a new connection starts with the current one. */
function goOn() {
  const looking = lost?.looking ?? null;
  lost = null;
  if (looking !== null && looking < ply()) lookAt(looking);
}

/**
 * Returns the address of the table's socket, which begins with a viewpoint or the usual one.
 * @param {number | null} camera
 */
function from(camera) {
  const path = `${table.dataset.socket}?changes`;
  return camera === null ? path : `${path}&camera=${camera}`;
}

/** @param {number} to the viewpoint to show, also after a new connection */
function turn(to) {
  wire.path = from(to);
  say({ type: "turn", to });
}

/** @param {number[]} cells with which no move begins */
function why(cells) {
  if (isAway()) write("why", gettext("To move, go back to the game."));
  else say({ type: "why", cells });
}

/** Tells whether the board shows another position than the current one. */
function isAway() {
  return view?.looking != null || shows === "runs" || shows === "done";
}

/** @type {Promise<typeof import("./company.js")> | null} loaded where there are other people */
let company = null;

/**
 * Shows who is at the table, and what friends say.
 * @param {import("./messages").View | import("./messages").Presence | import("./messages").Phrase} message
 */
function meet(message) {
  const isAlone = part("company")?.dataset.friends === undefined;
  if (!company && isAlone && message.type === "view" && !message.watchers) return;
  company ??= import("./company.js").then((module) => {
    module.listen((number) => say({ type: "phrase", number }));
    return module;
  });
  company.then(
    (module) => module.heard(message),
    () => (company = null), // the house does not answer: try again with the next message
  );
}

/** @param {import("./socket.js").News} message */
function heard(message) {
  if (message.type === "view") {
    complete(message);
    showView(message);
    goOn();
    meet(message);
  } else if (message.type === "presence" || message.type === "phrase") {
    meet(message);
  } else if (message.type === "refusal") {
    write("why", sentence(capital(message.text)));
    board.block(message.cells ?? []);
    if (shows === "asked") showing("");
  } else if (view && message.ply === view.ply) learn(message, view);
}

/**
 * Shows the machine's help.
 * @param {import("./messages").Help} help
 * @param {View} view
 */
function learn(help, view) {
  if (help.type === "judge") write("judgement", sentence(help.text));
  else if (help.type === "shown") showing("done");
  else if (help.type === "hint") {
    const how = help.choice || (help.cells.length > 1 ? gettext("follow the arrow") : gettext("the marked cell"));
    write("why", gettext("Hint: {} ({}).", how, help.move));
    board.hint(help.cells);
  } else {
    showing("runs");
    write("why", "");
    premove?.wait(false);
    own?.clear();
    write("heading", help.heading);
    showStatus(help.status, help.tokens);
    board.show({ ...view, board: help.board, last: help.last, acts: false, gestures: [] });
  }
}

/**
 * Sets the state of the best line.
 * @param {typeof shows} now
 */
function showing(now) {
  shows = now;
  const runs = now === "asked" || now === "runs";
  const focused = document.activeElement?.id;
  hide("stop", !runs);
  hide("show", runs || !view || view.unaided);
  if (focused === "show" && runs) part("stop")?.focus();
  if (focused === "stop" && !runs) part("show")?.focus();
  showAway();
}

/** Explains the board if it does not show the current position, and offers the way back. */
function showAway() {
  const past = missed ? gettext("A new move was made.") : gettext("This is an earlier position.");
  write("away-says", !isAway() ? "" : shows ? gettext("This line is not part of the game.") : past);
  if (!isAway() && document.activeElement?.id === "present") board.reach(board.current);
  hide("away", !isAway());
  table.classList.toggle("elsewhere", isAway());
}

/** Returns from the best line, or else from an earlier position. */
function comeBack() {
  write("why", "");
  say({ type: "look", ply: shows ? (view?.looking ?? null) : null });
}

/**
 * Adds what the page has to a view, which has only what is new: moves, and changes of the board's lines.
 * @param {View} next
 */
function complete(next) {
  if (next.changes) {
    const lines = view?.board.split("\n") ?? [];
    for (const [first, gone, come] of next.changes) lines.splice(first, gone, ...come);
    next.board = lines.join("\n");
  }
  next.moves = [...(view?.moves.slice(0, next.since) ?? []), ...next.moves];
  next.notes = [...(view?.notes.slice(0, next.since) ?? []), ...next.notes];
}

/** @param {View} next */
function showView(next) {
  const before = view;
  view = next;
  missed = next.looking !== null && (missed || (before !== null && before.ply < next.ply));
  if (before?.ply !== next.ply || before.looking !== next.looking || shows) own?.clear();
  board.show(next);
  root.dataset.ply = String(next.ply);
  write("heading", next.heading);
  showStatus(next.status, next.tokens);
  viewpoints?.show(next);
  showReason(before, next);
  clocks.show(next.clocks);
  moves.show(next);
  showing("");
  if (before) announce(before, next);
  ring(before, next);
  showCurtain(before, next);
  showTools(next);
  if (next.result || before?.result) {
    // Loaded only when it is needed.
    import("./end.js").then(({ showEnd }) => view === next && showEnd(next, before), () => {});
  }
  if (before?.ply !== next.ply || next.over) question = null;
  showQuestion(next);
  hide("invitation", !next.invitation);
  const link = part("invitation-link");
  const reach = part("invitation")?.dataset.origin ?? location.origin;
  if (link && next.invitation) /** @type {HTMLInputElement} */ (link).value = reach + next.invitation;
  for (const open of document.querySelectorAll(".open-only")) {
    /** @type {HTMLElement} */ (open).hidden = !next.position;
  }
  part("from-here")?.setAttribute("href", `/new/${table.dataset.game}?start=${encodeURIComponent(next.position)}`);
  moveAhead(next);
}

/**
 * Shows or hides the privacy screen; the focus goes to its button, and back to the board.
 * @param {View | null} before
 * @param {View} now
 */
function showCurtain(before, now) {
  const curtain = now.handing;
  if (!curtain && document.activeElement?.id === "curtain-button") board.reach(board.current);
  hide("curtain", !curtain);
  if (!curtain) return;
  write("curtain-says", curtain.says);
  write("curtain-button", curtain.button);
  if (!before?.handing) part("curtain-button")?.focus({ preventScroll: true });
}

/**
 * Lets a move be made ahead in the opponent's turn, and plays it after that.
 * @param {View} now
 */
function moveAhead(now) {
  const waits = now.resign && !now.acts && now.looking === null;
  if (premove) premove.show(now, waits);
  else if (waits) {
    import("./premove.js").then(({ Premove }) => {
      const choices = table.dataset.choices?.split(" ").filter(Boolean) ?? [];
      premove ??= new Premove(board, { pairs: "pairs" in table.dataset, choices }, {
        move: (move) => say({ type: "move", move, ply: ply() }),
        tell: (text) => write("why", text),
      });
      if (view) moveAhead(view);
    }, () => {});
  }
}

const title = document.title;

/**
 * Shows in the title of the page whose turn it is, and plays the sound of a move.
 * @param {View | null} before
 * @param {View} now
 */
function ring(before, now) {
  const isMine = now.acts && now.looking === null;
  document.title = isMine ? `● ${now.heading} · ${title}` : title;
  if (!before || before.ply >= now.ply) return;
  if (now.over) settings.play(now.result?.you === "won" ? "won" : "over");
  else settings.play(isMine && !before.acts ? "turn" : "move");
}

/**
 * Shows the status in words, or its counts if it has some; the words are then only read out.
 * @param {string} status of several parts, which are not broken across lines if they fit
 * @param {import("./messages").Token[]} tokens
 */
async function showStatus(status, tokens) {
  const spans = status.split(" - ").map((text) => {
    const span = document.createElement("span");
    span.textContent = text;
    return span;
  });
  part("status")?.replaceChildren(...spans.flatMap((span) => [span, " "]));
  part("status")?.classList.toggle("unseen", tokens.length > 0);
  const root = need("tokens");
  root.hidden = !tokens.length;
  if (root.hidden) return;
  const { showTokens } = await import("./tokens.js");
  showTokens(root, tokens, (root.dataset.players ?? "").split(","));
}

/** @param {View} view */
function showTools(view) {
  disable("undo", !view.undo);
  disable("redo", !view.redo);
  if (document.activeElement?.id === "resign" && !view.resign) board.reach(board.current);
  hide("resign", !view.resign);
  const goesOn = !view.over || view.looking !== null;
  disable("hint", !mayAsk(view) || !goesOn);
  disable("show", !mayAsk(view) || !goesOn);
  hide("hint", view.unaided);
  hide("judge", view.unaided);
  judge();
}

/**
 * Clears the message about the previous position, and reports a declined request.
 * @param {View | null} before
 * @param {View} now
 */
function showReason(before, now) {
  const stays = before?.ply === now.ply && before.looking === now.looking && !now.over;
  if (!stays || now.waits) write("why", now.comment && sentence(now.comment));
  else if (before.waits) write("why", withdrew ? "" : gettext("The request was declined."));
  withdrew = false;
}

/** @param {View | null} view with a takeback request */
function showQuestion(view) {
  const waits = question ? "" : (view?.waits ?? "");
  const says = question ? gettext("Resign this game?") : view?.asked || waits;
  hide("asked", !says);
  write("asked-says", says);
  hide("agree", Boolean(waits));
  write("disagree", waits ? gettext("Withdraw") : gettext("No"));
}

/** @param {boolean} agrees */
function answer(agrees) {
  if (question && agrees) question();
  else if (!question) say({ type: "answer", agrees });
  if (question) part("resign")?.focus();
  withdrew = !question && Boolean(view?.waits);
  question = null;
  showQuestion(view);
}

/**
 * @param {View} before
 * @param {View} now
 */
function announce(before, now) {
  const made = now.moves.slice(before.moves.length).map(([name, move]) => `${name}: ${move}.`);
  if (now.moves.length < before.moves.length) made.push(gettext("A move was taken back."));
  const status = now.status ? [sentence(now.status)] : [];
  const result = now.looking === null ? now.result : null;
  const heading = result ? [`${result.title}.`, result.reason, result.best] : [sentence(now.heading)];
  write("said", [...made, ...heading, ...status].join(" ").trim());
}

/**
 * Tells whether the machine helps with the shown position.
 * @param {View} view
 */
function mayAsk(view) {
  return view.helps && (view.over || view.looking === null);
}

/** Requests an evaluation of the position if it is switched on. */
function judge() {
  const asks = judges && view && mayAsk(view);
  hide("judgement", !judges || !view || view.unaided);
  write("judgement", asks ? "…" : "");
  if (asks) say({ type: "judge" });
}

/** @param {number} to */
function lookAt(to) {
  say({ type: "look", ply: to < ply() ? to : null });
}

/** @param {import("./board.js").Gesture[]} found */
function offer(found) {
  if (board?.chosen.length) write("why", "");
  need("choices").replaceChildren(...choiceButtons(board, found, (move) => say({ type: "move", move, ply: ply() })));
}

/**
 * Ends a text with a full stop, unless it already ends with punctuation.
 * @param {string} text
 */
function sentence(text) {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
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
      () => write("why", gettext("The link is copied.")),
      () => write("why", link()),
    );
    if (!navigator.clipboard) write("why", link());
  });
}

part("typed")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const input = /** @type {HTMLInputElement} */ (part("move"));
  const move = input.value.trim();
  if (!move || say({ type: "move", move, ply: ply() })) input.value = "";
});
const dialog = /** @type {HTMLDialogElement} */ (need("settings"));
settings.connect(dialog, root);
onClick("settings-open", () => dialog.showModal());
onClick("undo", () => say({ type: "undo" }));
onClick("redo", () => say({ type: "redo" }));
onClick("resign", () => {
  question = () => say({ type: "resign" });
  showQuestion(view);
  part("agree")?.focus();
});
onClick("show", () => {
  if (!say({ type: "show" })) return;
  write("why", THINKING);
  showing("asked");
});
onClick("stop", comeBack);
onClick("present", comeBack);
onClick("judge", () => {
  judges = !judges;
  part("judge")?.setAttribute("aria-pressed", String(judges));
  judge();
});
onClick("hint", () => {
  if (shows) comeBack();
  if (say({ type: "hint" })) write("why", THINKING);
});
onClick("save-png", async () => {
  try {
    const { savePng } = await import("./png.js"); // loaded only when it is needed
    await savePng(`${location.pathname}/picture.svg`, `${table.dataset.game}.png`);
  } catch {
    write("why", gettext("The picture could not be saved."));
  }
});
onClick("agree", () => answer(true));
onClick("disagree", () => answer(false));
onClick("curtain-button", () => {
  if (view?.handing) say({ type: view.handing.does });
});
// A key that is still held since the last move does not open it.
part("curtain-button")?.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
copies("invitation-copy", () => /** @type {HTMLInputElement} */ (part("invitation-link")).value);
copies("watch-copy", () => location.href.replace(/#.*/, ""));

/** @type {Record<string, string>} the buttons that keys press */
const KEYS = { "?": "settings-open", h: "hint", f: "turn", "ctrl+z": "undo", "ctrl+y": "redo", "ctrl+Z": "redo" };
document.addEventListener("keydown", (event) => {
  const at = event.target instanceof Element ? event.target : null;
  if (event.defaultPrevented || event.altKey || at?.closest("input, textarea, select, dialog")) return;
  const id = KEYS[(event.ctrlKey || event.metaKey ? "ctrl+" : "") + event.key];
  const button = id ? part(id) : null;
  if (!button || button.hidden) return;
  event.preventDefault();
  button.click();
});

// Whoever plays may come back: the worker then says what is wrong where the house cannot be reached.
setTimeout(() => navigator.serviceWorker?.register("/worker.js").catch(() => {}), 10_000);
