// Keeps the lobby up to date while its page is visible.

const PAUSE = 5000; // milliseconds

setInterval(async () => {
  const lobby = document.getElementById("lobby");
  if (document.hidden || !lobby || lobby.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const next = fresh.getElementById("lobby");
  if (next && next.innerHTML !== lobby.innerHTML) lobby.replaceWith(next);
}, PAUSE);
