// Keeps the page of an evening up to date, and follows to the visitor's table when a game begins.

const REGULARLY = 2500; // milliseconds
const PARTS = ["left", "status", "acts", "standings", "games"];

const evening = /** @type {HTMLElement} */ (document.getElementById("evening"));
const { address = "", table: known = "" } = evening.dataset;
let version = evening.dataset.version;

/** Asks whether something has changed, and shows it. */
async function look() {
  const answer = await fetch(`${address}/state`).catch(() => null);
  if (!answer?.ok) return;
  const state = await answer.json();
  // Who has come back from a game that is still on may stay.
  if (state.table && state.table !== known) location.assign(state.table);
  else if (state.version !== version) await refresh();
}

/** Shows what has changed, but nothing in which the visitor is typing. */
async function refresh() {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  let isWhole = true;
  for (const name of PARTS) {
    const part = document.getElementById(`evening-${name}`);
    const next = fresh.getElementById(`evening-${name}`);
    if (!part || !next || part.innerHTML === next.innerHTML) continue;
    if (part.contains(document.activeElement)) isWhole = false;
    else part.innerHTML = next.innerHTML;
  }
  if (isWhole) version = fresh.getElementById("evening")?.dataset.version;
}

const copy = document.getElementById("evening-copy");
const link = document.getElementById("evening-link");
if (copy && link instanceof HTMLInputElement) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(link.value).then(() => (copy.textContent = "Copied")).catch(() => link.select());
  });
}
setInterval(look, REGULARLY);
