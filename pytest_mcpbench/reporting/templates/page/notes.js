// Notes of people on an attempt, with a form for a new one.

class NotesView {
  constructor(row, add) {
    this.list = element("ul", { className: "notes" });
    this.field = element("textarea", { name: "note", rows: 3, maxLength: 10000 });
    this.button = element("button", { type: "submit" }, "Add note");
    this.status = element("p", { className: "failed", role: "alert" });
    const form = element("form", { className: "note" }, element("label", {}, "New note ", this.field), this.button, this.status);
    form.addEventListener("submit", (event) => this.submit(event, row.number, add));
    this.section = element("section", { className: "part" }, element("h3", {}, "Notes"), this.list, form);
    this.update(row);
  }

  update(row) {
    this.list.replaceChildren(...row.notes.map((note) =>
      element("li", {}, element("small", {}, `${note.author}, ${note.time.replace("T", " ").replace("+00:00", " UTC")}`),
        element("p", { dir: "auto" }, note.text))));
    this.list.hidden = row.notes.length === 0;
  }

  async submit(event, number, add) {
    event.preventDefault();
    const text = this.field.value.trim();
    if (text === "") return;
    this.button.disabled = true;
    this.status.textContent = "";
    try {
      await add(number, text);
      this.field.value = "";
    } catch (error) {
      this.status.textContent = `The note was not stored: ${error.message}`;
    } finally {
      this.button.disabled = false;
    }
  }
}
