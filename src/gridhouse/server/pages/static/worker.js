// A service worker. The rules are in the house, so nothing is played without it: where the house
// cannot be reached, a page says so instead of the browser.

const KEPT = "gridhouse";
const AWAY = "/offline";
const worker = /** @type {any} */ (self); // the checker takes this for the script of a page

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(caches.open(KEPT).then((kept) => kept.add(AWAY)));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  if (event.request.mode !== "navigate") return;
  event.respondWith(fetch(event.request).catch(() => caches.match(AWAY)));
});
