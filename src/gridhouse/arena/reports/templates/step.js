// Without this script the last board and the list of the moves are shown.
const find = id => document.getElementById(id);
const { frames, links } = JSON.parse(find("data").textContent);
const board = find("board");
const pool = [...board.children, ...find("pool").content.firstElementChild.children];
const rows = [...find("moves").querySelectorAll("tbody tr")];
const last = frames.length - 1;
let shown = last;

function show(ply) {
  shown = Math.max(0, Math.min(last, ply));
  const elements = [];
  const runs = frames[shown];
  for (let at = 0; at < runs.length; at += 2) {
    elements.push(...pool.slice(runs[at], runs[at] + runs[at + 1]));
  }
  board.replaceChildren(...elements);
  board.setAttribute("aria-label", shown ? `The board after move ${shown}` : "The board at the start");
  find("place").textContent = shown ? `Move ${shown} of ${last}` : "Start";
  for (const id of ["first", "back"]) find(id).setAttribute("aria-disabled", shown === 0);
  for (const id of ["forward", "last"]) find(id).setAttribute("aria-disabled", shown === last);
  find("moves").querySelector("[aria-current]")?.removeAttribute("aria-current");
  const row = rows[shown - 1];
  row?.querySelector("button").setAttribute("aria-current", "step");
  const list = find("moves");
  list.scrollTop = row ? row.offsetTop - (list.clientHeight - row.offsetHeight) / 2 : 0;
  for (const end of ["x1", "x2"]) find("here")?.setAttribute(end, shown);
  if (links) {
    find("link").textContent = "Play on from this position";
    find("link").hidden = !links[shown];
    find("link").href = links[shown];
  }
}

rows.forEach((row, at) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...row.cells[2].childNodes);
  button.addEventListener("click", () => show(at + 1));
  row.cells[2].append(button);
});
const ways = {
  first: () => show(0),
  back: () => show(shown - 1),
  forward: () => show(shown + 1),
  last: () => show(last),
};
for (const [id, go] of Object.entries(ways)) find(id).addEventListener("click", go);
const keys = { ArrowLeft: ways.back, ArrowRight: ways.forward };
document.addEventListener("keydown", event => {
  const go = keys[event.key];
  if (!go || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go();
});
find("steps").hidden = false;
show(last);
