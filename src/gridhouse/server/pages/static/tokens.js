// The counts of the status as symbols with numbers. The sentence of the status says the same.

/** @typedef {import("./messages").Token} Token */

/** @type {Record<string, string>} the symbols, of 24 by 24 units; other kinds are written */
const PATHS = {
  sunk: "M2 11h5v9h10v-9h5M12 2v12M8 10l4 4 4-4",
  freeze: "M12 2v20M3.3 7l17.4 10M3.3 17 20.7 7M9.5 3.5 12 6l2.5-2.5M9.5 20.5 12 18l2.5 2.5",
  push: "M4 6h9v12H4zM16 12h6M19 9l3 3-3 3",
  bomb: "M10.5 8a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15 9.5l3-3M18 2v2M22 6h-2M20.8 3.2l-1.4 1.4",
  moves: "M5 5l7 7-7 7M13 5l7 7-7 7",
  draw: "M4 9h16M4 15h16",
};

/**
 * @param {HTMLElement} root
 * @param {Token[]} tokens
 * @param {string[]} players
 */
export function showTokens(root, tokens, players) {
  const sides = [...new Set(tokens.map((token) => token.side))];
  root.replaceChildren(
    ...sides.map((side) => {
      const row = document.createElement("p");
      if (side !== null) {
        const name = document.createElement("b");
        name.textContent = players[side] ?? "";
        row.append(name);
      }
      row.append(...tokens.filter((token) => token.side === side).map(drawn));
      return row;
    }),
  );
}

/** @param {Token} token */
function drawn(token) {
  const item = document.createElement("span");
  item.className = token.count ? "token" : "token spent";
  item.title = `${token.count} ${token.label}`;
  const drawing = PATHS[token.icon];
  if (token.icon === "fallen") {
    item.append("lost"); // the kinds follow, each with its number
    return item;
  }
  if (!drawing) {
    const kind = document.createElement("b");
    kind.textContent = token.icon;
    item.append(kind, `×${token.count}`);
    return item;
  }
  const icon = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  icon.setAttribute("class", "icon");
  icon.setAttribute("viewBox", "0 0 24 24");
  const path = document.createElementNS(icon.namespaceURI, "path");
  path.setAttribute("d", drawing);
  icon.append(path);
  item.append(icon, String(token.count));
  return item;
}
