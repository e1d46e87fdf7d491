"use strict";
const table = document.getElementById("rows");
const find = document.getElementById("find");
const outcome = document.getElementById("outcome");
const bodies = () => Array.from(table.tBodies);
function toggle(row, open = row.nextElementSibling.hidden) {
  row.nextElementSibling.hidden = !open;
  row.setAttribute("aria-expanded", String(open));
}
function filter() {
  const words = find.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const body of bodies()) {
    const fits = (!outcome.value || body.dataset.outcome === outcome.value) && words.every((word) => body.dataset.find.includes(word));
    body.hidden = !fits;
    shown += fits;
  }
  document.getElementById("count").textContent = `${shown} of ${bodies().length} attempts`;
}
function order(cell) {
  const value = cell.dataset.order ?? cell.textContent;
  return value === "" || isNaN(value) ? value : Number(value);
}
function sort(heading) {
  const column = heading.cellIndex;
  const sign = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const keyed = bodies().map((body) => [order(body.rows[0].cells[column]), body]);
  keyed.sort(([a], [b]) => sign * (a < b ? -1 : a > b ? 1 : 0));
  table.append(...keyed.map(([, body]) => body));
}
table.addEventListener("click", (event) => {
  const heading = event.target.closest("thead th");
  const row = event.target.closest("tr.row");
  if (heading) sort(heading);
  else if (row && !getSelection().toString()) { toggle(row); history.replaceState(null, "", `#${row.id}`); }
});
table.addEventListener("keydown", (event) => {
  if (event.target.matches("tr.row") && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); toggle(event.target); }
});
find.addEventListener("input", filter);
outcome.addEventListener("change", filter);
filter();
if (/^#r\d+$/.test(location.hash)) {
  const row = document.getElementById(location.hash.slice(1));
  if (row) { toggle(row, true); row.scrollIntoView(); }
}
