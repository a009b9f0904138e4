// The board, with mouse, touch and keyboard. It knows no game: a move is a list of cells to select
// one after the other, and possibly a choice.

/** @typedef {import("./messages").Gesture} Gesture */
/** @typedef {import("./messages").View} View */
/** @typedef {Pick<View, "board" | "drawn" | "side" | "last" | "gestures" | "acts">
 *   & Partial<Pick<View, "camera" | "cameras" | "landings">>} Shown */
/** @typedef {{ move: (text: string, times?: number) => void, why: (cells: number[]) => void, choices: (found: Gesture[]) => void, about?: (text: string) => void,
 *   ahead?: (cell: number, to?: number) => boolean }} Hands `ahead` takes what is pointed at while one cannot move */

/** @type {Record<string, [x: number, y: number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
const AHEAD = 0.45; // cosine of the widest angle that still counts as the direction of an arrow key
const FEW = 4; // legal moves of one cell; up to this number, a piece can be dragged
const FAR = 6; // pixels of movement that make a press a drag
const SLIDE = { duration: 220, easing: "ease-out" };
const RETURN = 800; // milliseconds that a dragged piece waits for its move to be accepted
const FADE = { duration: 260, easing: "ease-in" };
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /**
   * @param {HTMLElement} root
   * @param {Hands} hands
   */
  constructor(root, hands) {
    this.root = root;
    this.hands = hands;
    /** @type {Gesture[]} */
    this.gestures = [];
    /** @type {number[]} */
    this.chosen = [];
    /** @type {number[]} */
    this.last = [];
    /** @type {number[]} */
    this.hinted = [];
    /** @type {number[]} */
    this.blocked = [];
    this.acts = false;
    /** @type {Record<string, number[]>} */
    this.landings = {};
    this.turns = false; // whether a drag on the floor turns the board
    this.seenFrom = ""; // the side and the viewpoint from which the board was drawn last
    this.current = 0; // the cell that the tab key reaches
    /** @type {number | null} */
    this.over = null; // the cell under the mouse
    /** @type {((marks: Element) => void)[]} */
    this.layers = []; // what else draws marks
    /** @type {{ cell: number, x: number, y: number } | null} */
    this.pressed = null;
    /** @type {SVGGraphicsElement | null} */
    this.lifted = null; // the piece that follows the pointer
    root.addEventListener("pointerdown", (event) => this.press(event));
    root.addEventListener("pointermove", (event) => this.drag(event));
    root.addEventListener("pointerup", (event) => this.release(event));
    root.addEventListener("pointercancel", () => this.drop());
    root.addEventListener("pointerover", (event) => this.hover(event.pointerType === "touch" ? null : cellOf(event.target)));
    root.addEventListener("pointerleave", () => this.hover(null));
    document.addEventListener("keydown", (event) => this.shortcut(event));
    // Touching a piece that can be dragged must not scroll the page.
    root.addEventListener("touchmove", (event) => this.drags() && event.preventDefault(), { passive: false });
    // A change of focus would redraw the pressed element, so the press must not move the focus.
    root.addEventListener("mousedown", (event) => cellOf(event.target) !== null && event.preventDefault());
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.key(event));
    root.addEventListener("focusin", () => this.mark());
    root.addEventListener("focusout", () => this.mark());
  }

  /** @param {Shown} view */
  show(view) {
    const focused = this.focused();
    const current = this.current;
    this.gestures = view.gestures;
    this.landings = view.landings ?? {};
    this.turns = (view.cameras ?? []).length > 1;
    this.last = view.last;
    this.acts = view.acts;
    this.hinted = [];
    this.chosen = [];
    this.pressed = null;
    const from = `${view.side} ${view.camera ?? 0}`;
    if (view.drawn) show(this.root, view.board, from === this.seenFrom, view.last);
    else this.showText(view.board);
    this.seenFrom = from;
    this.lifted = null;
    this.prepare(current);
    if (focused !== null) this.element(focused)?.focus({ preventScroll: true });
    this.root.classList.toggle("acts", this.acts);
    this.offer([]);
  }

  /** @param {string} text */
  showText(text) {
    const lines = document.createElement("pre");
    lines.textContent = text;
    this.root.replaceChildren(lines);
  }

  /** @param {number} current */
  prepare(current) {
    const drawing = this.root.querySelector("svg");
    if (!drawing) return;
    const { width, height } = drawing.viewBox.baseVal;
    this.root.closest("section")?.style.setProperty("--ratio", String(width / height));
    drawing.setAttribute("aria-label", drawing.querySelector("title")?.textContent ?? gettext("Board"));
    for (const cell of this.cells()) {
      cell.setAttribute("role", this.acts ? "button" : "img");
      cell.setAttribute("tabindex", "-1");
    }
    this.current = this.element(current) ? current : 0;
    this.element(this.current)?.setAttribute("tabindex", "0");
  }

  /** @returns {SVGGElement[]} */
  cells() {
    return Array.from(this.root.querySelectorAll("g[id^='cell-']"));
  }

  /**
   * @param {number} cell
   * @returns {SVGGElement | null}
   */
  element(cell) {
    return this.root.querySelector(`#cell-${cell}`);
  }

  /** @returns {number | null} */
  focused() {
    const focus = document.activeElement;
    return focus && this.root.contains(focus) ? cellOf(focus) : null;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const cell = cellOf(event.target);
    this.pressed = cell === null ? null : { cell, x: event.clientX, y: event.clientY };
  }

  /** @param {number | null} cell */
  hover(cell) {
    if (cell === this.over) return;
    this.over = cell;
    this.mark();
    const grouped = cell !== null && this.acts && this.group(cell).length > 1;
    this.hands.about?.(grouped ? (this.element(cell)?.getAttribute("aria-label")?.split(", ").slice(1).join(": ") ?? "") : "");
  }

  /**
   * Moves the pressed piece with the pointer.
   * @param {PointerEvent} event
   */
  drag(event) {
    const from = this.pressed;
    const drawing = this.root.querySelector("svg");
    if (!from || !drawing || !event.buttons || !this.drags()) return;
    const [x, y] = [event.clientX - from.x, event.clientY - from.y];
    if (!this.lifted && Math.hypot(x, y) < FAR) return;
    this.lifted ??= drawing.querySelector(`g[id^='piece-'][data-cell='${from.cell}']`);
    const scale = drawing.viewBox.baseVal.width / drawing.getBoundingClientRect().width;
    this.lifted?.classList.add("lifted");
    this.lifted?.setAttribute("transform", `translate(${x * scale} ${y * scale})`);
  }

  /** Puts a dragged piece back. */
  drop() {
    this.pressed = null;
    this.lifted?.classList.remove("lifted");
    this.lifted?.removeAttribute("transform");
    this.lifted = null;
  }

  /** Tells whether the pressed piece may be dragged: to a second cell, or as one of a few that slide. */
  drags() {
    const found = this.acts && this.pressed ? this.beginning([this.anchor(this.pressed.cell)]) : [];
    return found.some(([, named]) => named.length > 1 || this.gestures.length <= FEW);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const from = this.pressed;
    const lifted = this.lifted;
    const drags = this.drags() || (!this.turns && this.gestures.some(([, named]) => named.length > 1));
    this.pressed = null;
    const far = from ? Math.hypot(event.clientX - from.x, event.clientY - from.y) : 0;
    const cell = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    const isDrag = from && far >= FAR && cell !== null && cell !== from.cell;
    if (isDrag && !this.acts && !this.turns) this.hands.ahead?.(from.cell, cell);
    if (isDrag && this.acts && drags) {
      this.clear();
      this.point(from.cell);
      if (this.chosen.length) this.point(cell); // else the first cell was the whole move
      // The piece stays under the pointer until the next picture comes.
      if (lifted && !this.chosen.length) setTimeout(() => this.lifted === lifted && this.drop(), RETURN);
      else this.drop();
    } else this.drop();
  }

  /** @param {MouseEvent} event */
  click(event) {
    const cell = cellOf(event.target);
    if (cell === null) return;
    this.reach(cell);
    this.point(cell);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const cell = this.focused();
    if (cell === null) return;
    const way = ARROWS[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (way && this.hole() !== null) this.slide(way);
    else if (way) this.go(cell, way);
    else if (event.key === "Enter" || event.key === " ") this.point(cell);
    else if (event.key === "Escape") this.clear();
    else return;
    event.preventDefault();
  }

  /**
   * Handles keys that need no focus: arrows where pieces slide, and letters of moves and choices.
   * @param {KeyboardEvent} event
   */
  shortcut(event) {
    const at = event.target instanceof Element ? event.target : null;
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || !this.acts) return;
    if (at?.closest("input, textarea, select, dialog, ol, .steps")) return;
    const way = ARROWS[event.key];
    const letter = event.key.toLowerCase();
    const cell = this.focused() ?? this.over;
    const whole = this.gestures.find(([move]) => move.toLowerCase() === letter);
    const chosen = this.chosen.length ? this.chosen : cell === null ? [] : [cell];
    const choice = this.beginning(chosen).find(
      ([, named, choice]) => chosen.length && named.length === chosen.length && choice.toLowerCase().startsWith(letter),
    );
    if (way && this.hole() !== null) this.slide(way);
    else if (letter.length === 1 && (whole ?? choice)) {
      this.clear();
      this.hands.move((whole ?? choice)?.[0] ?? "");
    } else return;
    event.preventDefault();
  }

  /** Returns the only cell without a piece where every move is a piece that slides into it, else null. */
  hole() {
    if (!this.gestures.length || this.gestures.length > FEW) return null;
    if (this.gestures.some(([, named]) => named.length !== 1)) return null;
    const taken = new Set(Array.from(pieces(this.root).values(), (piece) => piece.dataset.cell));
    const free = this.cells().filter((cell) => !taken.has(cell.dataset.cell));
    return free.length === 1 ? Number(free[0]?.dataset.cell) : null;
  }

  /**
   * Slides the piece beside the hole in a direction on the screen.
   * @param {[x: number, y: number]} way
   */
  slide(way) {
    const to = centre(this.element(/** @type {number} */ (this.hole())));
    const found = this.gestures.find(([, [cell = 0]]) => {
      const from = centre(this.element(cell));
      return (to.x - from.x) * way[0] + (to.y - from.y) * way[1] > 1;
    });
    if (found) this.hands.move(found[0]);
  }

  /**
   * Slides a piece further along the row or column of the hole, with those between; tells whether there is one.
   * @param {number} cell
   */
  push(cell) {
    const hole = this.hole();
    if (hole === null || hole === cell) return false;
    const [to, from] = [centre(this.element(hole)), centre(this.element(cell))];
    const [x, y] = [from.x - to.x, from.y - to.y];
    if (Math.min(Math.abs(x), Math.abs(y)) > 1) return false;
    for (const [move, [next = 0]] of this.gestures) {
      const beside = centre(this.element(next));
      const [dx, dy] = [beside.x - to.x, beside.y - to.y];
      if (Math.abs(dx * y - dy * x) > Math.hypot(x, y) || dx * x + dy * y <= 0) continue;
      this.hands.move(move, Math.round(Math.hypot(x, y) / Math.hypot(dx, dy)));
      return true;
    }
    return false;
  }

  /**
   * Moves the focus to the nearest cell in a direction on the screen.
   * @param {number} cell
   * @param {[x: number, y: number]} way
   */
  go(cell, way) {
    const from = centre(this.element(cell));
    let best = null;
    let least = Infinity;
    for (const other of this.cells()) {
      const to = centre(other);
      const [x, y] = [to.x - from.x, to.y - from.y];
      const far = Math.hypot(x, y);
      const straight = (x * way[0] + y * way[1]) / far;
      if (far > 0 && straight > AHEAD && far / straight ** 2 < least) {
        least = far / straight ** 2;
        best = other;
      }
    }
    if (best) this.reach(Number(best.dataset.cell));
  }

  /** @param {number} cell */
  reach(cell) {
    this.element(this.current)?.setAttribute("tabindex", "-1");
    this.current = cell;
    const reached = this.element(cell);
    reached?.setAttribute("tabindex", "0");
    reached?.focus({ preventScroll: true });
    this.mark();
  }

  /**
   * @param {number[]} cells
   * @returns {Gesture[]}
   */
  beginning(cells) {
    return this.gestures.filter(([, named]) => cells.every((cell, at) => named[at] === cell));
  }

  /**
   * Returns the cell that names the piece on a cell.
   * @param {number} cell
   */
  anchor(cell) {
    const piece = /** @type {SVGElement | null} */ (this.root.querySelector(`[data-cells~="${cell}"]`));
    return piece ? Number(piece.dataset.cell) : cell;
  }

  /**
   * Returns all cells of the piece that a cell names.
   * @param {number} cell
   */
  fields(cell) {
    const piece = /** @type {SVGElement | null} */ (this.root.querySelector(`[data-cells][data-cell="${cell}"]`));
    return piece?.dataset.cells?.split(" ").map(Number) ?? [cell];
  }

  /**
   * Returns the cells that light up for the next cell of a gesture.
   * @param {Gesture} gesture
   */
  lit([move, named]) {
    const next = this.chosen.length;
    return (named.length === next + 1 && this.landings[move]) || named.slice(next, next + 1);
  }

  /**
   * Returns the cells that light up, each with the next cell of its gesture.
   * @returns {Map<number, number | undefined>}
   */
  targets() {
    const next = this.chosen.length;
    const found = next ? this.beginning(this.chosen) : [];
    return new Map(found.flatMap((gesture) => this.lit(gesture).map((cell) => [cell, gesture[1][next]])));
  }

  /**
   * Returns the cell that a move names: of the cells that a piece covers, the one that stands for all.
   * @param {number} cell
   */
  named(cell) {
    const targets = this.targets();
    return [...targets.values()].includes(cell) ? cell : (targets.get(cell) ?? this.anchor(cell));
  }

  /** @param {number} pointed */
  point(pointed) {
    if (!this.acts && this.hands.ahead?.(pointed)) return;
    const cell = this.named(pointed);
    if (this.chosen.at(-1) === cell) return this.clear();
    const cells = [...this.chosen, cell];
    const found = this.beginning(cells);
    if (found.length) return this.take(cells, found);
    const anew = this.beginning([cell]);
    if (this.chosen.length && anew.length) return this.take([cell], anew);
    this.clear();
    if (this.acts && this.push(cell)) return;
    this.hands.why(cells);
  }

  /**
   * @param {number[]} cells
   * @param {Gesture[]} found
   */
  take(cells, found) {
    const [only, ...others] = found;
    if (only && !others.length && only[1].length === cells.length && !only[2]) {
      this.clear();
      this.hands.move(only[0]);
    } else {
      this.offer(cells);
    }
  }

  clear() {
    this.offer([]);
  }

  /** @param {number[]} cells */
  offer(cells) {
    this.chosen = cells;
    this.blocked = [];
    this.hands.choices(this.beginning(cells).filter(([, named]) => named.length === cells.length));
    this.mark();
  }

  /** @param {number[]} cells of what stands in the way of a move */
  block(cells) {
    this.blocked = cells;
    this.mark();
  }

  /** @param {number[]} cells */
  hint(cells) {
    this.hinted = cells;
    this.mark();
  }

  mark() {
    const drawing = this.root.querySelector("svg");
    if (!drawing) return;
    drawing.querySelector(".marks")?.remove();
    const marks = document.createElementNS(drawing.namespaceURI, "g");
    marks.setAttribute("class", "marks");
    marks.setAttribute("aria-hidden", "true");
    const focused = this.root.querySelector(":focus-visible") ? this.focused() : null;
    this.copy(marks, this.last.flatMap((cell) => this.fields(cell)), "last");
    for (const [cell, target] of this.targets()) this.copy(marks, [cell], "target", target);
    const over = this.over === null ? -1 : this.anchor(this.over);
    if (this.acts && !this.chosen.includes(over) && this.beginning([over]).length) {
      for (const cell of this.group(over)) this.outline(marks, cell, "over");
    }
    for (const cell of this.chosen) this.outline(marks, cell, "chosen");
    for (const cell of this.blocked) this.outline(marks, cell, "block");
    const hint = this.gestures.find(([, named]) => named.join() === this.hinted.join());
    const [moved, ...others] = this.hinted;
    if (moved !== undefined) for (const cell of this.group(moved)) this.outline(marks, cell, "hint");
    this.copy(marks, (others.length && hint && this.landings[hint[0]]) || others, "hint");
    if (others.length) marks.append(this.arrow(this.hinted, "hint"));
    for (const paint of this.layers) paint(marks);
    if (focused !== null) this.copy(marks, [focused], "cursor");
    drawing.append(marks);
  }

  /**
   * Returns the cells that a move takes together with a cell.
   * @param {number} cell
   */
  group(cell) {
    const all = pieces(this.root);
    const name = [...all.values()].find((piece) => piece.dataset.cell === String(cell))?.dataset.group;
    const found = name === undefined ? [] : [...all.values()].filter((piece) => piece.dataset.group === name);
    return found.length ? found.map((piece) => Number(piece.dataset.cell)) : [cell];
  }

  /**
   * Returns the shape of the piece that a cell names, null if it has no outline.
   * @param {number} cell
   * @returns {SVGGraphicsElement | null}
   */
  shape(cell) {
    return this.root.querySelector(`[id^="piece-"][data-cell="${cell}"] > .outline`);
  }

  /**
   * Returns the middle of a cell, or of the whole piece that it names.
   * @param {number} cell
   */
  spot(cell) {
    return middle(this.shape(cell) ?? /** @type {SVGGElement} */ (this.element(cell)));
  }

  /**
   * Returns an arrow along some cells.
   * @param {number[]} cells
   * @param {string} kind
   */
  arrow(cells, kind) {
    const places = cells.map((cell) => this.spot(cell));
    const [from, to] = [places.at(-2) ?? { x: 0, y: 0 }, places.at(-1) ?? { x: 0, y: 0 }];
    const turn = Math.atan2(to.y - from.y, to.x - from.x);
    const head = [2.6, -2.6].map((side) => `${to.x + 16 * Math.cos(turn + side)},${to.y + 16 * Math.sin(turn + side)}`);
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", `mark-arrow arrow-${kind}`);
    line.setAttribute("d", `M${places.map(({ x, y }) => `${x},${y}`).join("L")}M${head[0]}L${to.x},${to.y}L${head[1]}`);
    return line;
  }

  /**
   * Marks the piece that a cell names, as a whole if it has an outline.
   * @param {Element} marks
   * @param {number} cell
   * @param {string} kind
   */
  outline(marks, cell, kind) {
    const shape = this.shape(cell)?.cloneNode();
    if (!(shape instanceof SVGElement)) return this.copy(marks, [cell], kind);
    for (const name of ["fill", "stroke", "stroke-width"]) shape.removeAttribute(name);
    shape.setAttribute("class", `mark mark-${kind}`);
    marks.append(shape);
  }

  /**
   * @param {Element} marks
   * @param {number[]} cells
   * @param {string} kind
   * @param {number} [target] the cell that a click on these cells points at
   */
  copy(marks, cells, kind, target) {
    for (const cell of cells) {
      const shape = this.element(cell)?.firstElementChild?.cloneNode();
      if (!(shape instanceof SVGElement)) continue;
      shape.setAttribute("class", `mark mark-${kind}`);
      shape.dataset.cell = String(target ?? cell);
      marks.append(shape);
    }
  }
}

/** @param {string} text */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/**
 * Returns a button for each move that is left to choose from; a choice gives the focus back to the board.
 * @param {Board} board
 * @param {Gesture[]} found
 * @param {(move: string) => void} play
 */
export function choiceButtons(board, found, play) {
  return found.map(([move, , choice]) => {
    const button = document.createElement("button");
    button.textContent = capital(choice || gettext("here"));
    button.dataset.move = move;
    button.addEventListener("click", () => {
      board.clear();
      play(move);
      board.reach(board.current);
    });
    return button;
  });
}

/**
 * @param {EventTarget | null} target
 * @returns {number | null}
 */
export function cellOf(target) {
  const holder = target instanceof Element ? target.closest("[data-cell]") : null;
  return holder ? Number(/** @type {SVGElement} */ (holder).dataset.cell) : null;
}

/** @param {SVGGElement | null} cell */
function centre(cell) {
  const box = cell?.getBoundingClientRect() ?? { x: 0, y: 0, width: 0, height: 0 };
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** @param {SVGGraphicsElement} piece */
function middle(piece) {
  const box = piece.getBBox();
  const moved = piece.transform?.baseVal.consolidate()?.matrix; // of a dragged piece
  return { x: box.x + box.width / 2 + (moved?.e ?? 0), y: box.y + box.height / 2 + (moved?.f ?? 0) };
}

/**
 * @param {Element} board
 * @returns {Map<string, SVGGraphicsElement>}
 */
function pieces(board) {
  const found = /** @type {NodeListOf<SVGGraphicsElement>} */ (board.querySelectorAll("g[id^='piece-']"));
  return new Map(Array.from(found, (piece) => [piece.id, piece]));
}

/** @type {typeof import("./rolling.js") | null} loaded only for pictures with blocks that roll */
let rolling = null;

/**
 * Replaces the picture; pieces roll or glide from their old places to the new ones.
 * @param {Element} board
 * @param {string} svg
 * @param {boolean} glides whether it is the same board, seen from the same viewpoint
 * @param {number[]} last the cells of the last move
 */
function show(board, svg, glides, last) {
  const before = pieces(board);
  const places = new Map(Array.from(before, ([name, piece]) => [name, middle(piece)]));
  board.innerHTML = svg;
  const drawing = board.querySelector("svg");
  if (drawing?.dataset.camera) rolling ?? import("./rolling.js").then((found) => (rolling = found));
  if (!glides || STILL.matches || !before.size || !drawing) return;
  const after = pieces(board);
  for (const [name, piece] of after) {
    const from = places.get(name);
    if (!from) {
      piece.animate([{ opacity: 0 }, { opacity: 1 }], FADE);
      continue;
    }
    if (rolling?.roll(drawing, before.get(name) ?? piece, piece)) continue;
    const to = middle(piece);
    const [x, y] = [from.x - to.x, from.y - to.y];
    if (Math.hypot(x, y) > 0.5) {
      piece.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], SLIDE);
    }
  }
  for (const [name, piece] of before) {
    if (after.has(name) || rolling?.rollAway(drawing, piece, last)) continue;
    piece.removeAttribute("id");
    piece.setAttribute("pointer-events", "none");
    drawing.append(piece);
    piece.animate([{ opacity: 1 }, { opacity: 0 }], FADE).finished.then(() => piece.remove(), () => piece.remove());
  }
}

/** @type {Record<string, string | string[]>} what scripts say in the page's language, by the English; none in English */
const texts = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");

/**
 * Returns a sentence in the page's language, with its fields {} filled in one after the other.
 * @param {string} sentence
 * @param {...unknown} fields
 */
export function gettext(sentence, ...fields) {
  const text = texts[sentence];
  return filled(typeof text === "string" ? text : sentence, fields);
}

/**
 * Returns the form of a sentence for a count, its first field.
 * @param {string} one
 * @param {string} many
 * @param {number} count
 */
export function ngettext(one, many, count) {
  const [single = one, several = many] = texts[one] ?? [];
  return filled(count === 1 ? single : several, [count]);
}

/**
 * @param {string} text
 * @param {unknown[]} fields
 */
function filled(text, fields) {
  let next = 0;
  return text.replace(/\{(\d*)\}/g, (_, number) => String(fields[number === "" ? next++ : Number(number)] ?? ""));
}
