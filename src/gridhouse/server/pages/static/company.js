// The people at a table: who is there, how many watch, and what friends say to each other.

import { gettext, ngettext } from "./board.js";

/** @typedef {import("./messages").View} View */
/** @typedef {import("./messages").Presence} Presence */
/** @typedef {import("./messages").Phrase} Phrase */

const SHOWN = 6000; // milliseconds for which a phrase stays
const list = document.getElementById("company");
const line = document.getElementById("phrase");
const watching = document.getElementById("watchers");
const phrases = document.getElementById("phrases");
let timer = 0;
/** @type {string[]} */
let names = [];
/** @type {boolean[] | null} */
let present = null;

/**
 * Shows a message about people.
 * @param {View | Presence | Phrase} message
 */
export function heard(message) {
  if (message.type === "phrase") {
    tell(`${message.name}: ${message.text}`);
    return;
  }
  if (message.type === "view") names = message.names;
  announce(message.present);
  showPlayers(message.present);
  const count = message.watchers;
  if (!watching) return;
  watching.hidden = !count;
  watching.textContent = ngettext("{} person is watching", "{} people are watching", count);
}

/**
 * Shows a text for some seconds.
 * @param {string} text
 */
function tell(text) {
  if (!line) return;
  line.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (line.textContent = ""), SHOWN);
}

/**
 * Says who has come or gone.
 * @param {boolean[]} now
 */
function announce(now) {
  const before = present;
  present = now;
  now.forEach((here, player) => {
    if (before && names[player] && here !== before[player]) {
      tell(here ? gettext("{} is here.", names[player]) : gettext("{} has left the table.", names[player]));
    }
  });
}

/** @param {boolean[]} now */
function showPlayers(now) {
  const friends = list?.dataset.friends !== undefined;
  [...(list?.children ?? [])].forEach((item, player) => {
    const role = /** @type {HTMLElement} */ (item).dataset.player;
    const away = friends && !now[player];
    const name = document.createElement("bdi");
    name.textContent = names[player] ?? "";
    if (name.textContent) item.replaceChildren(name, gettext(" plays {}", role) + (away ? gettext(" (away)") : ""));
    else item.replaceChildren(gettext("{}: this seat is free", role));
    item.classList.toggle("away", away);
  });
  if (phrases) phrases.hidden = !names.every(Boolean);
}

/**
 * Lets the buttons say their phrases.
 * @param {(number: number) => void} say
 */
export function listen(say) {
  for (const button of phrases?.querySelectorAll("button") ?? []) {
    button.addEventListener("click", () => say(Number(button.dataset.phrase)));
  }
}
