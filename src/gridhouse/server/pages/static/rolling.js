// Blocks that roll over an edge. A picture with such blocks has the matrix of its projection, and each
// block its box: column, row, width, depth, height and colour.

/** @typedef {{ start: number[], size: number[], colour: string }} Box */
/** @typedef {{ axis: number, sign: number }} Way */

const DURATION = 360; // milliseconds
const FADE = { duration: 200, easing: "ease-in" };
const LYING = 0.71; // the upward part of the normal from which a face is a top
const EVEN = 1e-6;

/**
 * Rolls a block from its old place to its new one.
 * @param {SVGSVGElement} drawing the new picture
 * @param {SVGElement} before the block in the old picture
 * @param {SVGElement} after the block in the new picture
 * @returns {boolean} whether the block has rolled
 */
export function roll(drawing, before, after) {
  const [from, to] = [boxOf(before), boxOf(after)];
  const way = from && to && wayBetween(from, to);
  if (!way) return false;
  const shadow = drawing.querySelector(`.${after.id.replace("piece", "shadow")}`);
  shadow?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: DURATION, easing: "ease-in" });
  after.setAttribute("opacity", "0");
  show(drawing, from, way, (body) => after.after(body), (body) => {
    after.removeAttribute("opacity");
    body.remove();
  });
  return true;
}

/**
 * Rolls a block that leaves the board with the last move.
 * @param {SVGSVGElement} drawing
 * @param {SVGElement} before the block in the old picture
 * @param {number[]} last the cells of the last move
 * @returns {boolean} whether the block has rolled
 */
export function rollAway(drawing, before, last) {
  const from = boxOf(before);
  const target = last[1] === undefined ? null : drawing.querySelector(`#cell-${last[1]}`);
  const origin = drawing.querySelector(`#cell-${last[0]}`);
  if (!from || !target || !origin || Number(before.dataset.cell) !== last[0]) return false;
  const way = wayOnScreen(matrixOf(drawing), centre(origin), centre(target));
  show(drawing, from, way, (body) => drawing.append(body), (body) => {
    const fading = body.animate([{ opacity: 1 }, { opacity: 0 }], FADE).finished;
    fading.then(() => body.remove(), () => body.remove());
  });
  return true;
}

/**
 * @param {SVGElement} block
 * @returns {Box | null}
 */
function boxOf(block) {
  const [col, row, wide, deep, high, colour] = (block.dataset.roll ?? "").split(" ");
  if (colour === undefined) return null;
  return { start: [Number(col), Number(row)], size: [wide, deep, high].map(Number), colour };
}

/**
 * Returns the direction of a roll between two boxes, null if they are not before and after one.
 * @param {Box} from
 * @param {Box} to
 * @returns {Way | null}
 */
function wayBetween(from, to) {
  for (const axis of [0, 1]) {
    const other = 1 - axis;
    const [at, end] = [from.start[axis] ?? 0, to.start[axis] ?? 0];
    const [long, after] = [from.size[axis] ?? 0, to.size[axis] ?? 0];
    const turns = after === from.size[2] && to.size[2] === long && from.start[other] === to.start[other];
    if (turns && end === at + long) return { axis, sign: 1 };
    if (turns && end + after === at) return { axis, sign: -1 };
  }
  return null;
}

/**
 * Returns the direction of the board that is most like a direction in the picture.
 * @param {number[]} matrix
 * @param {number[]} origin
 * @param {number[]} target
 * @returns {Way}
 */
function wayOnScreen(matrix, origin, target) {
  const [x, y] = [(target[0] ?? 0) - (origin[0] ?? 0), (target[1] ?? 0) - (origin[1] ?? 0)];
  const likeness = [0, 1].map((axis) => {
    const [right, down] = [matrix[2 + 2 * axis] ?? 0, matrix[3 + 2 * axis] ?? 0];
    return (x * right + y * down) / Math.hypot(right, down);
  });
  const axis = Math.abs(likeness[0] ?? 0) > Math.abs(likeness[1] ?? 0) ? 0 : 1;
  return { axis, sign: Math.sign(likeness[axis] ?? 0) };
}

/** @param {Element} shape */
function centre(shape) {
  const box = /** @type {SVGGraphicsElement} */ (shape).getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** @param {SVGSVGElement} drawing */
function matrixOf(drawing) {
  return (drawing.dataset.camera ?? "").split(" ").map(Number);
}

/**
 * Draws a rolling body, a frame each time the screen is drawn.
 * @param {SVGSVGElement} drawing
 * @param {Box} box
 * @param {Way} way
 * @param {(body: SVGGElement) => void} place puts the body into the picture
 * @param {(body: SVGGElement) => void} end
 */
function show(drawing, box, way, place, end) {
  const body = /** @type {SVGGElement} */ (document.createElementNS(drawing.namespaceURI, "g"));
  body.setAttribute("pointer-events", "none");
  const faces = [0, 1, 2].map(() => {
    const face = document.createElementNS(drawing.namespaceURI, "polygon");
    face.setAttribute("stroke", `var(--${box.colour}-edge)`);
    face.setAttribute("stroke-width", "1.5");
    face.setAttribute("stroke-linejoin", "round");
    body.append(face);
    return face;
  });
  place(body);
  const matrix = matrixOf(drawing);
  /** @type {number | null} */
  let since = null;
  /** @param {number} now */
  const step = (now) => {
    if (!body.isConnected) return;
    since ??= now;
    const share = Math.min(1, (now - since) / DURATION);
    const seen = visible(matrix, box, way, (share * share * (3 - 2 * share) * Math.PI) / 2);
    for (const [number, face] of faces.entries()) {
      face.setAttribute("points", seen[number]?.points ?? "");
      face.setAttribute("fill", seen[number]?.fill ?? "none");
    }
    if (share < 1) requestAnimationFrame(step);
    else end(body);
  };
  step(performance.now());
}

/**
 * Returns the visible faces of a box that has rolled by an angle.
 * @param {number[]} matrix
 * @param {Box} box
 * @param {Way} way
 * @param {number} angle
 */
function visible(matrix, box, way, angle) {
  const [x0 = 0, y0 = 0, xx = 0, xy = 0, yx = 0, yy = 0, zx = 0, zy = 0] = matrix;
  const [col = 0, row = 0] = box.start;
  const pivot = (box.start[way.axis] ?? 0) + (way.sign > 0 ? (box.size[way.axis] ?? 0) : 0);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  /** @param {number[]} vector */
  const turned = (vector) => {
    const along = way.sign * (vector[way.axis] ?? 0);
    const up = vector[2] ?? 0;
    const out = [...vector];
    out[way.axis] = way.sign * (along * cos + up * sin);
    out[2] = up * cos - along * sin;
    return out;
  };
  // What lies on a line of this direction is one point of the picture.
  let toward = [yx * zy - zx * yy, zx * xy - xx * zy, xx * yy - yx * xy];
  if ((toward[2] ?? 0) < 0) toward = toward.map((part) => -part);
  const found = [];
  for (const axis of [0, 1, 2]) {
    for (const sign of [-1, 1]) {
      const [nx = 0, ny = 0, nz = 0] = turned([0, 1, 2].map((other) => (other === axis ? sign : 0)));
      if (nx * (toward[0] ?? 0) + ny * (toward[1] ?? 0) + nz * (toward[2] ?? 0) <= EVEN) continue;
      const points = corners(axis, sign > 0).map((corner) => {
        const spot = corner.map((far, at) => far * (box.size[at] ?? 0) + ([col, row, 0][at] ?? 0));
        spot[way.axis] = (spot[way.axis] ?? 0) - pivot;
        const [x = 0, y = 0, z = 0] = turned(spot).map((part, at) => part + (at === way.axis ? pivot : 0));
        return `${(x0 + x * xx + y * yx + z * zx).toFixed(1)},${(y0 + x * xy + y * yy + z * zy).toFixed(1)}`;
      });
      const right = nx * xx + ny * yx; // light comes from the left
      const shade = nz > LYING ? "" : right > EVEN ? "-dim" : "-side";
      found.push({ points: points.join(" "), fill: `var(--${box.colour}${shade})` });
    }
  }
  return found;
}

/**
 * Returns the corners of a face of the unit cube.
 * @param {number} axis
 * @param {boolean} far
 */
function corners(axis, far) {
  return [[0, 0], [1, 0], [1, 1], [0, 1]].map((pair) => {
    const corner = [...pair];
    corner.splice(axis, 0, far ? 1 : 0);
    return corner;
  });
}
