// Puts the text of a chosen file into the form; without this script the text can be pasted.

const upload = document.getElementById("upload");
const chosen = upload?.querySelector("input");
const start = document.querySelector("textarea");
if (upload && chosen && start) {
  upload.hidden = false;
  chosen.addEventListener("change", async () => {
    const file = chosen.files?.[0];
    if (file) start.value = await file.text();
  });
}
