// The address of the page: `#radar/email-002/claude/2?outcome=failed` names an attempt and the state of the list,
// `#radar/email-002` all attempts at a task side by side.

const STATE = { suite: "", model: "", outcome: "", cause: "", label: "", tool: "", tag: "", text: "", part: "all", sort: "", show: "" };

function parseAddress(hash) {
  const [path, query = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const parts = path.split("/");
  if (path !== "" && parts.length !== 4 && parts.length !== 2) return null; // the address of a section
  const given = new URLSearchParams(query);
  const state = Object.fromEntries(Object.entries(STATE).map(([name, none]) => [name, given.get(name) ?? none]));
  return { state, task: parts.length === 2 ? parts.map(decoded) : null, attempt: parts.length === 4 ? parts.map(decoded).join("\n") : null };
}

function formatAddress(state, row) {
  const changed = Object.entries(state).filter(([name, value]) => value !== STATE[name]);
  const query = new URLSearchParams(changed).toString();
  return `#${row ? rowAddress(row) : ""}${query ? `?${query}` : ""}`;
}

// Whether a state shows some of the attempts only; the choice of a suite and the order do not.
const isFiltered = (state) => Object.keys(STATE).some((name) => !["show", "sort"].includes(name) && state[name] !== STATE[name]);

const rowAddress = (row) => [row.suite, row.task, row.model, row.trial].map(encodeURIComponent).join("/");

const attemptNames = (key) => {
  const [suite, task, model, trial] = key.split("\n");
  return `no attempt at ${suite} / ${task} by ${model}, trial ${trial}`;
};

// The names that identify an attempt; no name contains a line break.
const rowKey = (row) => [row.suite, row.task, row.model, row.trial].join("\n");

function splitOnce(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
