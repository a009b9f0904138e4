// Keeps the page of an evening up to date, and follows to the visitor's table when a game begins.

const REGULARLY = 2500; // milliseconds
const FOLLOWED = "gridhouse evening";
const PARTS = ["left", "status", "acts", "standings", "games"];

const evening = /** @type {HTMLElement} */ (document.getElementById("evening"));
const { address = "" } = evening.dataset;
let version = evening.dataset.version;

/** Asks whether something has changed, and shows it. */
async function look() {
  const answer = await fetch(`${address}/state`).catch(() => null);
  if (!answer?.ok) return;
  const state = await answer.json();
  if (state.table && isNew(state.table)) location.assign(state.table);
  else if (state.version !== version) await refresh();
}

/**
 * Tells once whether a table is new; who has come back from a game that is still on may stay.
 * @param {string} table
 */
function isNew(table) {
  try {
    const known = sessionStorage.getItem(FOLLOWED);
    sessionStorage.setItem(FOLLOWED, table);
    return known !== table;
  } catch {
    return false; // This browser keeps nothing; the page has a link to the table.
  }
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
    await navigator.clipboard.writeText(link.value).then(() => (copy.textContent = copy.dataset.copied ?? "")).catch(() => link.select());
  });
}
void look();
setInterval(look, REGULARLY);
