// The form for a new game: it remembers the last choice for each game in this browser, and puts the
// text of a chosen file into its field. Without this script everything can be chosen and pasted.

const form = /** @type {HTMLFormElement} */ (document.querySelector("form.new"));
const KEY = `gridhouse new ${form.dataset.game}`;
const upload = document.getElementById("upload");
const chosen = upload?.querySelector("input");
const start = form.querySelector("textarea");

/** Leaves a clock out where it cannot be seen. */
function hideClock() {
  const clock = /** @type {HTMLSelectElement | null} */ (form.querySelector("[name=clock]"));
  if (clock) clock.disabled = !clock.offsetParent;
}

/** Remembers all fields but a position and an army that was arranged by hand. */
function remember() {
  const fields = [...new FormData(form)].filter(([name, value]) => name !== "start" && !/ /.test(name === "army" ? String(value) : ""));
  try {
    localStorage.setItem(KEY, JSON.stringify(fields));
  } catch {
    // This browser keeps nothing.
  }
}

/** Chooses what was chosen last. */
function recall() {
  let fields = null;
  try {
    fields = JSON.parse(localStorage.getItem(KEY) ?? "null");
  } catch {
    // This browser keeps nothing, or something else.
  }
  if (!Array.isArray(fields)) return;
  const known = new Map(fields);
  for (const field of form.elements) {
    if (field instanceof HTMLInputElement && (field.type === "radio" || field.type === "checkbox")) {
      const value = known.get(field.name);
      if (field.type === "checkbox") field.checked = value !== undefined;
      else if (value === field.value) field.checked = true;
    } else if ((field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && known.has(field.name)) {
      const before = field.value;
      field.value = String(known.get(field.name));
      if (!field.value) field.value = before; // it is no longer offered
    }
  }
}

if (!location.search && form.dataset.fresh !== undefined) recall();
hideClock();
form.addEventListener("change", hideClock);
form.addEventListener("submit", remember);
if (upload && chosen && start) {
  upload.hidden = false;
  chosen.addEventListener("change", async () => {
    const file = chosen.files?.[0];
    if (file) start.value = await file.text();
  });
}
