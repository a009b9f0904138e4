// Shows what has changed since the page was made; without this script, load it again.
const EVERY = 3000; // milliseconds

async function load() {
  const answer = await fetch(location.href).catch(() => null);
  return answer?.ok ? answer.text() : null;
}

let shown = await load();
setInterval(async () => {
  const text = await load();
  const last = document.getElementById("last"); // the button to the last board of a game
  const looksBack = last && last.getAttribute("aria-disabled") !== "true";
  if (text === null || text === shown || looksBack) return;
  shown = text;
  if (last) {
    location.reload();
    return;
  }
  const now = new DOMParser().parseFromString(text, "text/html");
  document.querySelector("main").replaceWith(now.querySelector("main"));
}, EVERY);
