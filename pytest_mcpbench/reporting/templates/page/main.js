// State of the page, and what keys and controls do to it.

class Page {
  constructor(source) {
    this.source = source;
    this.form = byId("filters");
    this.article = byId("attempt");
    this.state = { ...STATE };
    this.found = null;
    this.open = null;
    this.list = new AttemptList(byId("list"), {
      address: (row) => formatAddress(this.state, row),
      onOpen: (row) => this.go(row),
    });
  }

  async start() {
    this.showAddressed(); // before the attempts are read, so that the page does not jump later
    this.takeOver(await this.source.index());
    for (const part of [this.form, this.list.holder, ...document.querySelectorAll(".keys")]) part.hidden = false;
    this.listen();
    await this.readAddress();
    this.source.watch?.((index) => this.update(index));
  }

  // Take over attempts and notes that are new, without moving what the reader looks at.
  async update(index) {
    this.takeOver(index);
    const isSearch = this.state.text.trim() !== "";
    const state = this.state;
    const found = isSearch ? new Set(await this.source.search(state.text, state.part)) : null;
    if (this.state !== state) return; // the reader has changed the list meanwhile
    this.found = found;
    this.list.update(sortRows(filterRows(this.rows, state, found), state.sort));
    this.drawForm();
    if (this.open === null) return;
    if (this.open.models) return;
    this.open = this.byKey.get(rowKey(this.open)) ?? this.open;
    this.notes?.update(this.open);
  }

  takeOver(index) {
    this.rows = decodeRows(index);
    this.byKey = new Map(this.rows.map((row) => [rowKey(row), row]));
  }

  listen() {
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.readForm());
    this.form.elements.clear.addEventListener("click", () => this.setState({ ...STATE, sort: this.state.sort, show: this.state.show }));
    this.prepareSearch();
    this.list.table.tHead.addEventListener("click", (event) => this.sort(event.target.closest("button")));
    for (const button of suiteButtons) {
      button.addEventListener("change", () => {
        followChoice();
        this.setState({ ...this.state, show: button.value });
      });
    }
    addEventListener("hashchange", () => this.readAddress());
    document.addEventListener("keydown", (event) => this.key(event));
    document.querySelector(".skip").addEventListener("click", (event) => this.skip(event));
  }

  // Prepare the search once its field is in view, so that readers of the first screen do not pay for it.
  prepareSearch() {
    const seen = new IntersectionObserver(([field]) => {
      if (!field.isIntersecting) return;
      seen.disconnect();
      (window.requestIdleCallback ?? setTimeout)(() => this.source.prepare?.()); // Safari has no idle callbacks
    });
    seen.observe(this.form.elements.text);
  }

  // Skip to the first row, without losing the state in the address.
  skip(event) {
    event.preventDefault();
    if (this.open) this.article.focus();
    else this.list.focus(this.list.active);
  }

  // Show the suite that the address names, or the suite of the section that it names.
  showAddressed() {
    followChoice(); // browsers keep a choice when a page is loaded again
    const address = parseAddress(location.hash);
    const shown = address === null ? showSection(decoded(location.hash.slice(1))) : showSuite(address.state.show);
    if (shown !== null) this.state = { ...this.state, show: shown };
  }

  async readAddress() {
    this.showAddressed();
    const address = parseAddress(location.hash);
    if (address === null) return this.openSection();
    address.state.show ||= this.state.show; // links to attempts keep the suite that is shown
    const isSame = Object.entries(address.state).every(([name, value]) => this.state[name] === value);
    if (!isSame || this.list.rows.length === 0) await this.apply(address.state);
    const row = this.byKey.get(address.attempt);
    if (row) await this.show(row);
    else if (address.task !== null) await this.showTask(...address.task);
    else if (address.attempt !== null) this.missing(attemptNames(address.attempt));
    else if (this.open !== null) this.close();
    else if (isFiltered(address.state)) byId("attempts").scrollIntoView();
  }

  async openSection() {
    if (this.list.rows.length === 0) await this.apply(this.state);
    const name = decoded(location.hash.slice(1));
    if (name !== "" && !byId(name)) return this.missing(`"${name}"`);
    if (this.open === null) return;
    this.close();
    showSection(decoded(location.hash.slice(1)));
  }

  readForm() {
    const value = (name) => this.form.elements[name].value;
    const names = [...Object.keys(FACETS), "text", "part"];
    return this.setState({ ...this.state, ...Object.fromEntries(names.map((name) => [name, value(name)])) });
  }

  setState(state) {
    history.replaceState(null, "", formatAddress(state, this.open));
    return this.apply(state);
  }

  async apply(state) {
    const isSearch = state.text.trim() !== "";
    this.state = state;
    const found = isSearch ? new Set(await this.source.search(state.text, state.part)) : null;
    if (this.state !== state) return; // the reader has typed on
    this.found = found;
    this.list.show(sortRows(filterRows(this.rows, state, found), state.sort));
    this.drawForm();
  }

  drawForm() {
    for (const name of Object.keys(FACETS)) this.drawFacet(name);
    const { text, part } = this.form.elements;
    if (text.value !== this.state.text) text.value = this.state.text;
    part.value = this.state.part;
    byId("count").textContent = `${grouped(this.list.rows.length)} of ${grouped(this.rows.length)} attempts`;
    for (const button of this.list.table.tHead.querySelectorAll("button")) {
      const direction = { [button.dataset.sort]: "ascending", [`-${button.dataset.sort}`]: "descending" }[this.state.sort];
      button.closest("th").ariaSort = direction ?? "none";
    }
  }

  drawFacet(name) {
    const select = this.form.elements[name];
    const chosen = this.state[name];
    const counts = facetCounts(this.rows, this.state, this.found, name);
    if (chosen !== "" && !counts.has(chosen)) counts.set(chosen, 0);
    const values = [...counts.keys()].sort(naturalOrder.compare);
    const options = values.map((value) => element("option", { value }, `${value} (${grouped(counts.get(value))})`));
    select.replaceChildren(element("option", { value: "" }, "all"), ...options);
    select.value = chosen;
    select.closest("label").hidden = values.length < 2 && chosen === "";
  }

  sort(button) {
    if (!button) return;
    const field = button.dataset.sort;
    const next = { "": field, [field]: `-${field}`, [`-${field}`]: "" };
    this.setState({ ...this.state, sort: next[this.state.sort] ?? field });
  }

  go(row) {
    location.hash = formatAddress(this.state, row);
  }

  async show(row) {
    if (this.open === null) this.scrolled = scrollY;
    this.open = row;
    const attempt = await this.source.attempt(row.number);
    if (this.open !== row) return; // another one was opened meanwhile
    const others = this.rows.filter((other) => other.suite === row.suite && other.task === row.task);
    const address = (other) => formatAddress(this.state, other);
    this.notes = this.source.addNote ? new NotesView(row, this.source.addNote) : null;
    this.article.replaceChildren(
      this.bar(row), ...attemptView(row, attempt, { others, address }), ...(this.notes ? [this.notes.section] : []));
    this.setReading(true);
    scrollTo(0, 0);
    this.article.focus({ preventScroll: true });
  }

  // The calls and answers of all attempts at a task, side by side.
  async showTask(suite, task) {
    const rows = this.rows.filter((row) => row.suite === suite && row.task === task);
    if (rows.length === 0) return this.missing(`${suite} / ${task}`);
    if (this.open === null) this.scrolled = scrollY;
    const open = (this.open = { suite, task, models: rows.length });
    const attempts = await Promise.all(rows.map((row) => this.source.attempt(row.number)));
    if (this.open !== open) return; // something else was opened meanwhile
    this.notes = null;
    const names = element("h2", {}, task, element("small", {}, `${suite} · ${rows.length} attempts side by side`));
    const leave = element("button", { type: "button" }, "← All attempts");
    leave.addEventListener("click", () => this.leave());
    const pairs = rows.map((row, index) => [row, attempts[index]]);
    this.article.replaceChildren(
      element("header", { className: "bar" }, element("p", { className: "buttons" }, leave), names),
      ...taskView(pairs, (row) => formatAddress(this.state, row)));
    this.setReading(true);
    scrollTo(0, 0);
    this.article.focus({ preventScroll: true });
  }

  bar(row) {
    const button = (text, action) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", action);
      return made;
    };
    const buttons = element("p", { className: "buttons" },
      button("← All attempts", () => this.leave()),
      button("Previous", () => this.step(-1)),
      button("Next", () => this.step(1)));
    const names = element("h2", {}, row.task, element("small", {}, `${row.suite} · ${row.model} · trial ${row.trial}`));
    return element("header", { className: "bar" }, buttons, names);
  }

  missing(what) {
    this.close();
    byId("count").textContent = `This report has nothing at this address: ${what}.`;
    byId("attempts").scrollIntoView();
  }

  leave() {
    const address = formatAddress(this.state, null);
    // Without its fragment the page would be loaded again, so that only the address is changed.
    history.pushState(null, "", address === "#" ? location.pathname + location.search : address);
    this.readAddress();
  }

  close() {
    if (this.open === null) return;
    const row = this.open;
    this.open = null;
    this.setReading(false);
    this.article.replaceChildren();
    scrollTo(0, this.scrolled);
    this.list.measure();
    this.list.focus(Math.max(0, this.list.rows.indexOf(row)));
  }

  setReading(isReading) {
    document.body.classList.toggle("reading", isReading);
    this.article.hidden = !isReading;
  }

  step(direction) {
    if (this.open === null) return this.list.focus(this.isInList() ? this.list.active + direction : this.list.active);
    const next = this.list.rows[this.list.rows.indexOf(this.open) + direction];
    if (next) this.go(next);
  }

  isInList() {
    return this.list.body.contains(document.activeElement);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target.matches("input[type=search], input[type=text], select, textarea");
    if (event.key === "Escape") return isTyping ? event.target.blur() : this.open && this.leave();
    if (isTyping) return;
    const actions = { j: () => this.step(1), k: () => this.step(-1), "/": () => this.form.elements.text.focus() };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}

const remote = document.querySelector("meta[name=mcpbench-source]");
const page = new Page(remote ? remoteSource(remote.content) : inlineSource());
page.start();
