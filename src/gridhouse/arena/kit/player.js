// Plays the Binary Game at random and speaks the engine protocol: node player.js

"use strict";

const EMPTY = ".";
const MOST = 20;
const WHOLE = /^\d+$/;

let grid = null; // rows of cells, null before the first game
let played = []; // the moves since the start

function isFine(line) {
  const most = Math.ceil(line.length / 2);
  const text = line.join("");
  return ["0", "1"].every(
    (digit) => !text.includes(digit.repeat(3)) && line.filter((cell) => cell === digit).length <= most,
  );
}

function isLegal([x, y, digit]) {
  if (grid[y]?.[x] !== EMPTY || !["0", "1"].includes(digit)) return false;
  grid[y][x] = digit;
  const fine = isFine(grid[y]) && isFine(grid.map((row) => row[x]));
  grid[y][x] = EMPTY;
  return fine;
}

function put([x, y, digit]) {
  grid[y][x] = digit;
  played.push([x, y, digit]);
}

function legalMoves() {
  return grid
    .flatMap((row, y) => row.flatMap((_, x) => ["0", "1"].map((digit) => [x, y, digit])))
    .filter(isLegal);
}

// Each command returns the lines of its answer, or null if it cannot be carried out.
const COMMANDS = {
  list_commands: () => Object.keys(COMMANDS),
  protocol_version: () => ["1"],
  name: () => ["random player in JavaScript"],
  version: () => ["1"],
  game(words) {
    const [cols, rows] = words.map(Number);
    const isSize = (word) => WHOLE.test(word) && word >= 1 && word <= MOST;
    if (words.length !== 2 || !words.every(isSize)) return null;
    grid = Array.from({ length: rows }, () => Array(cols).fill(EMPTY));
    played = [];
    return [];
  },
  position(words) {
    const rows = words.join(" ").split("/");
    if (!grid || rows.length !== grid.length) return null;
    if (!rows.every((row) => row.length === grid[0].length && /^[01.]*$/.test(row))) return null;
    grid = rows.map((row) => [...row]);
    played = [];
    return [];
  },
  play(words) {
    if (!grid || words.length !== 3 || !words.every((word) => WHOLE.test(word))) return null;
    const move = [Number(words[0]), Number(words[1]), words[2]];
    if (!isLegal(move)) return null;
    put(move);
    return [];
  },
  undo() {
    if (!played.length) return null;
    const [x, y] = played.pop();
    grid[y][x] = EMPTY;
    return [];
  },
  genmove() {
    if (!grid) return null;
    const moves = legalMoves();
    if (!moves.length) return ["resign"];
    const move = moves[Math.floor(Math.random() * moves.length)];
    put(move);
    return [move.join(" ")];
  },
  exit: () => [],
};

const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const [name, ...words] = line.trim().split(/\s+/);
  const answer = Object.hasOwn(COMMANDS, name) ? COMMANDS[name](words) : null;
  process.stdout.write([...(answer ?? []), answer ? "= 1" : "= -1", "", ""].join("\n"));
  if (name === "exit") process.exit(0);
});
