// Without this script the table is in the order of the submissions.
for (const table of document.querySelectorAll("table.sortable")) {
  const headers = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  headers.forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    const value = row => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
    const isNumber = [...body.rows].every(row => !Number.isNaN(Number(value(row) || 0)));
    const compare = isNumber
      ? (one, other) => Number(value(one)) - Number(value(other))
      : (one, other) => value(one).localeCompare(value(other));
    button.addEventListener("click", () => {
      const way = header.ariaSort === "ascending" ? "descending" : "ascending";
      headers.forEach(other => other.removeAttribute("aria-sort"));
      header.ariaSort = way;
      const sign = way === "ascending" ? 1 : -1;
      body.append(...[...body.rows].sort((one, other) => sign * compare(one, other)));
    });
  });
}
