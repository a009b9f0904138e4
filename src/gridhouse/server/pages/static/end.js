// The end of a game: its result, what comes next, and a text to share.

import { gettext, ngettext } from "./board.js";

/** @typedef {import("./messages").View} View */

/** @param {string} id */
const need = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const PLAYING = ["undo", "redo", "resign", "hint", "typed"]; // what a finished game does not need

/**
 * Shows or hides the end of the game.
 * @param {View} view
 * @param {View | null} before
 */
export function showEnd(view, before) {
  const panel = need("end");
  const { result } = view;
  const lost = document.activeElement;
  panel.hidden = !result;
  need("heading").classList.toggle("unseen", Boolean(result) && view.looking === null);
  for (const id of PLAYING) {
    const part = document.getElementById(id);
    if (part && result) part.hidden = true;
    else if (part && before?.result && id !== "resign" && !(id === "hint" && view.unaided)) part.hidden = false;
  }
  if (!result) return;
  write("end-title", result.title);
  write("end-reason", result.reason);
  write("end-best", result.best);
  need("review").hidden = view.unaided;
  offer(view);
  const share = need("share");
  share.hidden = false;
  share.onclick = () => copy(share, summary(view));
  // The focus must not stay on what has just gone.
  if (before && !before.result && lost instanceof HTMLElement && lost.offsetParent === null) panel.focus();
}

/**
 * Offers the rematch of a friend, or the way to one's own.
 * @param {View} view
 */
function offer(view) {
  const button = document.getElementById("rematch");
  if (!button || !view.rematch) return;
  const waits = view.rematch.offered;
  button.textContent = waits ? gettext("Accept the rematch") : gettext("Go to the rematch");
  write("end-offer", waits ? gettext("Your friend wants a rematch.") : "");
}

/**
 * Returns the result as a text with a link.
 * @param {View} view
 */
function summary(view) {
  const { result } = view;
  const title = document.title.split(" · ")[0];
  const moves = ngettext("{} move", "{} moves", view.ply);
  return `${title}: ${result?.title}. ${result?.reason} ${moves}. ${location.href.replace(/[#?].*/, "")}`;
}

/**
 * Copies a text, and says so on the button.
 * @param {HTMLElement} button
 * @param {string} text
 */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = gettext("Copied");
    setTimeout(() => (button.textContent = gettext("Share")), 2000);
  } catch {
    write("end-offer", text); // to be copied by hand
  }
}

/**
 * @param {string} id
 * @param {string} text
 */
function write(id, text) {
  const element = need(id);
  if (element.textContent !== text) element.textContent = text;
}
