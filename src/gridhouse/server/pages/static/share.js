// Copies a result with the address of its puzzle.

const button = /** @type {HTMLButtonElement} */ (document.getElementById("share"));
const says = /** @type {HTMLElement} */ (document.getElementById("shared"));
button.hidden = false;
button.addEventListener("click", async () => {
  const text = `${button.dataset.text} ${location.origin}${location.pathname}`;
  try {
    await navigator.clipboard.writeText(text);
    says.textContent = button.dataset.copied ?? "";
  } catch {
    says.textContent = text; // to be copied by hand
  }
});
