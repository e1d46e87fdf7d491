// The virtual list: a table of which only the rows in view exist.

const MARGIN_ROWS = 8;

class AttemptList {
  constructor(holder, { address, onOpen }) {
    this.holder = holder;
    this.table = holder.querySelector("table");
    this.body = this.table.tBodies[0];
    this.above = element("tr", { className: "space", ariaHidden: "true" });
    this.below = element("tr", { className: "space", ariaHidden: "true" });
    this.address = address;
    this.rows = [];
    this.made = new Map();
    this.active = 0;
    holder.addEventListener("scroll", () => this.render(), { passive: true });
    addEventListener("resize", () => this.measure());
    this.body.addEventListener("click", (event) => this.click(event, onOpen));
    this.body.addEventListener("focusin", (event) => this.focused(event));
  }

  show(rows) {
    this.rows = rows;
    this.made.clear();
    this.active = 0;
    this.body.replaceChildren(this.above, this.below);
    this.table.ariaRowCount = String(rows.length + 1);
    this.holder.scrollTop = 0;
    this.measure();
  }

  // Show rows of which some are new, at the same place and with the focus in the same row.
  update(rows) {
    const { scrollTop } = this.holder;
    const active = this.rows[this.active];
    const hasFocus = this.body.contains(document.activeElement);
    this.show(rows);
    this.holder.scrollTop = scrollTop;
    this.active = Math.max(0, rows.findIndex((row) => row.number === active?.number));
    this.render();
    if (hasFocus) this.focus(this.active);
  }

  // The height of all rows is that of the first: it depends on the width of the window and the size of the font.
  measure() {
    this.render({ first: 0, last: 1 });
    const row = this.made.values().next().value;
    this.rowHeight = row?.offsetHeight || this.rowHeight || 32;
    this.render();
  }

  inView() {
    const first = Math.floor(this.holder.scrollTop / this.rowHeight) - MARGIN_ROWS;
    return { first, last: first + Math.ceil(this.holder.clientHeight / this.rowHeight) + 2 * MARGIN_ROWS };
  }

  render({ first, last } = this.inView()) {
    const from = Math.max(0, first);
    const to = Math.min(this.rows.length, last);
    for (const [position, row] of this.made) {
      if (position >= from && position < to) continue;
      row.remove();
      this.made.delete(position);
    }
    let next = this.below;
    for (let position = to - 1; position >= from; position -= 1) {
      if (!this.made.has(position)) this.insert(position, next);
      next = this.made.get(position);
    }
    this.above.style.height = `${from * (this.rowHeight || 0)}px`;
    this.below.style.height = `${Math.max(0, this.rows.length - to) * (this.rowHeight || 0)}px`;
  }

  insert(position, next) {
    const row = this.rowElement(this.rows[position], position);
    this.made.set(position, row);
    next.before(row);
  }

  rowElement(row, position) {
    const link = element("a", { href: this.address(row) }, row.task);
    const cells = [
      element("td", { className: `outcome ${row.outcome}` }, row.outcome),
      element("th", { scope: "row" }, link, element("small", {}, row.suite), noteMark(row)),
      element("td", { className: "model" }, row.model),
      element("td", { className: "number trial" }, row.trial),
      element("td", { className: "reason" }, row.reason),
      element("td", { className: "number calls" }, row.calls),
      element("td", { className: "number seconds" }, seconds(row.seconds)),
      element("td", { className: "number cost" }, money(row.cost)),
    ];
    const made = element("tr", { ariaRowIndex: String(position + 2) }, cells);
    made.dataset.position = position;
    return made;
  }

  // Give the focus to a row, which may be out of view.
  focus(position) {
    if (this.rows.length === 0) return;
    this.active = Math.min(Math.max(0, position), this.rows.length - 1);
    const top = this.active * this.rowHeight;
    const head = this.table.tHead.offsetHeight;
    const height = this.holder.clientHeight - head - this.rowHeight;
    if (top < this.holder.scrollTop) this.holder.scrollTop = top;
    if (top > this.holder.scrollTop + height) this.holder.scrollTop = top - height;
    this.render();
    this.made.get(this.active)?.querySelector("a").focus({ preventScroll: true });
  }

  focused(event) {
    const row = event.target.closest("tr[data-position]");
    if (row) this.active = Number(row.dataset.position);
  }

  click(event, onOpen) {
    const row = event.target.closest("tr[data-position]");
    if (!row || event.target.closest("a") || getSelection().toString()) return;
    onOpen(this.rows[Number(row.dataset.position)]);
  }
}

// The last note on an attempt, and the number of all.
function noteMark(row) {
  const last = row.notes?.at(-1);
  if (!last) return null;
  const count = row.notes.length > 1 ? `${row.notes.length} notes, last: ` : "note: ";
  return element("small", { className: "note", dir: "auto" }, `${count}${last.text.split("\n")[0].slice(0, 80)}`);
}
