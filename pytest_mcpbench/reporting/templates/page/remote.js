// The index of a server, of which only the rows that have changed are fetched again.

const MILLISECONDS_BETWEEN_LOOKS = 2000;
const MOST_OF_THE_TIME = 0.05; // that a look and what it changes may take

class RemoteRows {
  constructor(json) {
    this.json = json;
    this.version = 0;
    this.rows = new Map();
  }

  // Fetch what has changed, and return the whole index; null if nothing has.
  async look() {
    const answer = await this.json(`index?since=${this.version}`);
    this.isComplete = answer.complete;
    this.wasIncomplete ||= !answer.complete;
    if (answer.version === this.version && this.index) return null;
    this.version = answer.version;
    const number = answer.fields.indexOf("number");
    for (const row of answer.rows) this.rows.set(row[number], row);
    this.index = { fields: answer.fields, tables: answer.tables, rows: this.inOrder(answer) };
    return this.index;
  }

  async load() {
    return (await this.look()) ?? this.index;
  }

  // The order of the page: suite, task, model, trial.
  inOrder({ fields, rows }) {
    if (rows.length === this.rows.size) return rows;
    const [suite, task, model, trial] = ["suite", "task", "model", "trial"].map((field) => fields.indexOf(field));
    return Array.from(this.rows.values()).sort((left, right) =>
      left[suite] - right[suite] || naturalOrder.compare(left[task], right[task])
        || left[model] - right[model] || left[trial] - right[trial]);
  }

  // Each change costs more the more attempts there are: 100,000 that are still being read would keep a processor busy.
  watch(onChange) {
    this.onChange = onChange;
    const look = async () => {
      const started = performance.now();
      if (!document.hidden) await this.changed();
      const pause = (performance.now() - started) / MOST_OF_THE_TIME;
      setTimeout(look, Math.max(MILLISECONDS_BETWEEN_LOOKS, pause));
    };
    setTimeout(look, MILLISECONDS_BETWEEN_LOOKS);
  }

  // Look once at a time: a server that reads a long run may need longer than the interval.
  async changed() {
    if (this.looking) return this.looking;
    this.looking = this.look();
    try {
      const index = await this.looking;
      if (index) await this.onChange?.(index);
      this.problem(null);
    } catch (error) {
      this.problem(error);
    } finally {
      this.looking = null;
    }
  }

  problem(error) {
    const status = byId("live");
    const read = this.wasIncomplete ? "All records are read. Load the page again for the tables." : "";
    if (error) status.textContent = `The server does not answer: ${error.message}`;
    else status.textContent = this.isComplete ? read : "The records are still being read.";
    status.hidden = status.textContent === "";
  }
}
