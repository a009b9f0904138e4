// Lets pieces glide from where they were in one picture to where they are in the next.

const SLIDE = { duration: 220, easing: "ease-out" };
const FADE = { duration: 260, easing: "ease-in" };
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {SVGGraphicsElement} piece */
function middle(piece) {
  const box = piece.getBBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * @param {Element} board
 * @returns {Map<string, SVGGraphicsElement>}
 */
function pieces(board) {
  const found = /** @type {NodeListOf<SVGGraphicsElement>} */ (board.querySelectorAll("g[id^='piece-']"));
  return new Map(Array.from(found, (piece) => [piece.id, piece]));
}

/**
 * Shows another picture in the place of the one that is there.
 * @param {Element} board
 * @param {string} svg
 * @param {boolean} glides whether it is the same board, seen from the same side
 */
export function show(board, svg, glides) {
  const before = pieces(board);
  const places = new Map(Array.from(before, ([name, piece]) => [name, middle(piece)]));
  board.innerHTML = svg;
  const drawing = board.querySelector("svg");
  if (!glides || STILL.matches || !before.size || !drawing) return;
  const after = pieces(board);
  for (const [name, piece] of after) {
    const from = places.get(name);
    if (!from) {
      piece.animate([{ opacity: 0 }, { opacity: 1 }], FADE);
      continue;
    }
    const to = middle(piece);
    const [x, y] = [from.x - to.x, from.y - to.y];
    if (Math.hypot(x, y) > 0.5) {
      piece.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], SLIDE);
    }
  }
  for (const [name, piece] of before) {
    if (after.has(name)) continue;
    piece.removeAttribute("id");
    piece.setAttribute("pointer-events", "none");
    drawing.append(piece);
    piece.animate([{ opacity: 1 }, { opacity: 0 }], FADE).finished.then(() => piece.remove(), () => piece.remove());
  }
}
