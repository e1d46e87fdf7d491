// Review of tasks: a list with filter and progress, the task that is open, and the form of the decision.

const embedded = byId("data");
const isFile = embedded !== null;
const made = new Map(); // in a file: task -> line of the decision, to be downloaded
let review = null;
let open = null; // id of the task that is open
let isEditing = false;
let isSaving = false;
let isSaved = true;

const reviewer = () => (isFile ? byId("name").value.trim() : review.reviewer);
const ownDecision = (task) => task.decisions.find((each) => each.is_own && !each.is_stale);
const isStale = (task) => task.decisions.some((each) => each.is_stale);
const words = (task) => [task.id, ...task.requests, ...task.tags, ...task.calls.map((call) => call.name)].join("\n").toLowerCase();

function matches(task) {
  const show = byId("show").value;
  const isShown = show === "all" || (show === "todo" ? !ownDecision(task) : show === "stale" ? isStale(task) : task.verdict === show);
  const text = words(task);
  return isShown && byId("search").value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function state(task) {
  const own = ownDecision(task);
  const about = own ? `you: ${own.decision}` : isStale(task) ? "stale decision" : "to decide";
  return own && task.verdict !== "open" ? `${about} · ${task.verdict}` : about;
}

function listed() {
  const shown = review.tasks.filter((task) => task.id === open || matches(task));
  return shown;
}

function showList() {
  const rows = listed().map((task) => element("li", {}, element(
    "button", { type: "button", "aria-current": task.id === open ? "true" : null, onclick: () => choose(task.id, true) },
    task.id, element("small", {}, state(task)),
  )));
  byId("tasks").replaceChildren(...rows);
  byId("tasks").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  const decided = review.tasks.filter(ownDecision).length;
  const count = (verdict) => review.tasks.filter((task) => task.verdict === verdict).length;
  byId("progress").textContent = `You have decided on ${decided} of ${review.tasks.length} tasks. `
    + `Accepted ${count("accepted")}, rejected ${count("rejected")}, disputed ${count("disputed")}, open ${count("open")}.`;
  byId("bar").max = review.tasks.length || 1;
  byId("bar").value = decided;
}

function choose(id, focus = false) {
  if (id !== open && isUnsaved() && !confirm("Leave the task without storing the decision?")) return;
  open = id;
  isEditing = false;
  showTask();
  showList();
  if (focus) byId("task").focus({ preventScroll: true });
}

function move(by) {
  const ids = listed().map((task) => task.id);
  const next = ids[Math.min(Math.max(ids.indexOf(open) + by, 0), ids.length - 1)];
  if (next !== undefined && next !== open) choose(next, true);
}

const current = () => review.tasks.find((task) => task.id === open);

function showTask() {
  const task = current();
  if (!task) return byId("task").replaceChildren(element("p", {}, "No task is left in this selection."));
  byId("task").replaceChildren(
    element("h2", {}, task.id),
    element("p", { className: "muted" }, [...task.tags, task.is_edited ? "edited" : ""].filter(Boolean).join(" · ")),
    element("h3", {}, task.requests.length > 1 ? "Requests" : "Request"),
    ...task.requests.map((text, index) => isEditing && task.edit
      ? labelledArea(`Request ${index + 1}`, "edited-request text", task.edit.requests[index])
      : preformatted(text, "request")),
    ...(task.context.length ? [element("h3", {}, "Context")] : []),
    ...task.context.map((part) => part.text.length > 300
      ? folded(part.title, preformatted(part.text)) : element("div", {}, element("h4", {}, part.title), preformatted(part.text))),
    element("h3", {}, "Reference"),
    task.problem ? element("p", { className: "refused" }, `The reference cannot be played: ${task.problem}`) : "",
    ...(task.calls.length ? task.calls.map((call, index) => callPart(task, call, index))
      : [element("p", { className: "muted" }, "There are no reference calls.")]),
    element("h3", {}, "Checks"),
    task.checks.length ? element("ul", {}, task.checks.map((line) => element("li", {}, preformatted(line))))
      : element("p", { className: "muted" }, "The reference calls are the only check."),
    decisionForm(task),
  );
}

function callPart(task, call, index) {
  const about = task.requests.length > 1 ? `turn ${call.turn}, step ${call.step}` : `step ${call.step}`;
  return element(
    "section", { className: "call" },
    element("h4", {}, call.name, element("small", {}, about)),
    isEditing && task.edit
      ? labelledArea(`Arguments of call ${index + 1}`, "edited-arguments", JSON.stringify(task.edit.arguments[index], null, 2))
      : preformatted(call.arguments),
    call.similar_tools.length ? element("p", { className: "muted" }, `or: ${call.similar_tools.join(", ")}`) : null,
    call.matchers.length ? element("p", { className: "muted" }, `accepted: ${call.matchers.join("; ")}`) : null,
    call.result === null ? element("p", { className: "muted" }, "No result is recorded.")
      : folded("Result", preformatted(call.result)),
  );
}

const labelledArea = (name, className, value) => element("textarea", { className, "aria-label": name, value, dir: "auto" });

function decisionForm(task) {
  const own = ownDecision(task);
  // Others' decisions appear after the own one, so that reviewers judge independently.
  const shown = task.decisions.filter((each) => own || each.is_own);
  const hidden = task.decisions.length - shown.length;
  return element(
    "section", { className: "decide", "aria-label": "Your decision" },
    element("h3", {}, "Your decision"),
    shown.length ? element("ul", { className: "decisions" }, shown.map(decisionLine)) : null,
    hidden ? element("p", { className: "muted" }, `${hidden} of others, shown after yours.`) : null,
    ...review.dimensions.map((dimension) => scoreField(dimension, own?.scores[dimension.key])),
    element("label", { className: "block" }, "Reason (needed to reject)",
      element("textarea", { id: "reason", className: "text", value: own?.reason ?? "", maxLength: 10000 })),
    element("p", { className: "refused", id: "refused", role: "alert" }),
    element("div", { className: "buttons" }, isEditing ? editButtons() : decideButtons(task)),
  );
}

function decideButtons(task) {
  return [
    button("Accept", () => decide("accept"), "accept"),
    button("Reject", () => decide("reject"), "reject"),
    task.edit && !isFile ? button("Edit", edit, "edit") : null,
    task.edit && !isFile ? null : element("span", { className: "muted" }, isFile ? "A file cannot edit tasks." : "Tasks of this file cannot be edited here."),
  ];
}

const editButtons = () => [
  button("Store the edited task", () => decide("edit"), "store"),
  button("Cancel", () => showForm(false), "cancel"),
];

const button = (text, onclick, id) => element("button", { type: "button", onclick, id }, text);

function decisionLine(each) {
  const scores = Object.values(each.scores).join(", ");
  const stale = each.is_stale ? element("strong", { className: "stale" }, "stale, the task has changed since: ") : null;
  return element("li", {}, stale, `${each.reviewer}: ${each.decision}${scores ? ` (${scores})` : ""}${each.reason ? ` – ${each.reason}` : ""}`);
}

function scoreField({ key, name }, chosen) {
  const options = [1, 2, 3, 4, 5].map((value) => element("label", {},
    element("input", { type: "radio", name: `score-${key}`, value: String(value), checked: chosen === value }), ` ${value}`));
  return element("fieldset", { className: "score" }, element("legend", {}, name), options);
}

function scores() {
  const found = {};
  for (const { key } of review.dimensions) {
    const chosen = document.querySelector(`input[name="score-${key}"]:checked`);
    if (chosen) found[key] = Number(chosen.value);
  }
  return found;
}

function isUnsaved() {
  const task = current();
  if (!task || !byId("reason")) return false;
  const own = ownDecision(task);
  return isEditing || byId("reason").value !== (own?.reason ?? "")
    || JSON.stringify(scores()) !== JSON.stringify(Object.fromEntries(review.dimensions.filter(({ key }) => own?.scores[key]).map(({ key }) => [key, own.scores[key]])));
}

function edit() {
  if (!current()?.edit || isFile) return;
  showForm(true);
  byId("task").querySelector("textarea").focus();
}

// Scores and a reason that are chosen but not stored stay.
function showForm(editing) {
  const chosen = scores();
  const reason = byId("reason").value;
  isEditing = editing;
  showTask();
  for (const [key, value] of Object.entries(chosen)) document.querySelector(`input[name="score-${key}"][value="${value}"]`).checked = true;
  byId("reason").value = reason;
}

function editedParts() {
  const values = (selector) => Array.from(byId("task").querySelectorAll(selector), (area) => area.value);
  return { requests: values(".edited-request"), arguments: values(".edited-arguments").map((text, index) => argumentsOf(text, index)) };
}

function argumentsOf(text, index) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`the arguments of call ${index + 1} are not JSON: ${error.message}`);
  }
}

async function decide(decision) {
  const task = current();
  if (!task || isSaving) return;
  isSaving = true;
  try {
    const body = { task: task.id, hash: task.hash, decision, scores: scores(), reason: byId("reason").value.trim() };
    if (decision === "edit") body.edit = editedParts();
    const changed = isFile ? keep(task, body) : await send(body);
    review.tasks[review.tasks.indexOf(task)] = changed;
    isEditing = false;
    afterDecision(changed);
  } catch (error) {
    byId("refused").textContent = `Not stored: ${error.message}`;
  } finally {
    isSaving = false;
  }
}

function afterDecision(task) {
  const position = review.tasks.indexOf(task);
  const rest = [...review.tasks.slice(position + 1), ...review.tasks.slice(0, position)];
  const next = byId("show").value === "todo" ? rest.find(matches) : null;
  open = next ? next.id : task.id;
  showTask();
  showList();
  byId("task").focus();
  scrollTo({ top: 0 });
}

async function send(body) {
  const answer = await fetch("decisions", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const content = await answer.json().catch(() => ({ error: `the server answers ${answer.status}` }));
  if (!answer.ok) throw new Error(content.error);
  return content;
}

// The rules of the server, for decisions that nobody checks until they are added.
function keep(task, body) {
  const given = Object.values(body.scores);
  if (!reviewer()) throw new Error("write your name above");
  if (given.length && given.length < review.dimensions.length) throw new Error("score all dimensions, or none");
  if (body.decision !== "reject" && given.some((score) => score < review.least)) throw new Error(`an accepted task has a score of at least ${review.least} in every dimension`);
  if (body.decision !== "reject" && !given.length && review.reviewers > 1) throw new Error(`with ${review.reviewers} reviewers an acceptance has scores`);
  if (body.decision === "reject" && !body.reason) throw new Error("a rejection has a reason");
  const line = { ...body, reviewer: reviewer(), time: new Date().toISOString().replace(/\.\d+Z/, "+00:00") };
  made.set(task.id, line);
  isSaved = false;
  const others = task.decisions.filter((each) => !each.is_own);
  return { ...task, decisions: [...others, { ...line, is_own: true, is_stale: false }] };
}

function download() {
  const lines = Array.from(made.values(), (line) => `${JSON.stringify(line)}\n`).join("");
  const link = element("a", { download: "decisions.jsonl", href: URL.createObjectURL(new Blob([lines], { type: "application/jsonl" })) });
  link.click();
  isSaved = true;
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=radio])")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const actions = {
    j: () => move(1), k: () => move(-1), a: () => isEditing || decide("accept"), e: edit, "/": () => byId("search").focus(),
    r: () => isEditing || (byId("reason")?.value.trim() ? decide("reject") : byId("reason")?.focus()),
  };
  if (!Object.hasOwn(actions, event.key) || !review) return;
  event.preventDefault();
  actions[event.key]();
}

function select() {
  if (!isUnsaved()) {
    open = review.tasks.find(matches)?.id ?? null;
    isEditing = false;
    showTask();
  }
  showList();
}

async function load() {
  if (isFile) return JSON.parse(embedded.textContent);
  const answer = await fetch("tasks");
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  return answer.json();
}

async function main() {
  try {
    review = await load();
  } catch (error) {
    byId("problems").replaceChildren(element("p", {}, `The tasks cannot be loaded: ${error.message}`));
    return;
  }
  byId("problems").replaceChildren(...review.problems.map((text) => element("p", {}, text)));
  byId("name-label").hidden = byId("download").hidden = !isFile;
  byId("name").value = review.reviewer;
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("search").addEventListener("input", select);
  byId("show").addEventListener("change", select);
  byId("download").addEventListener("click", download);
  document.addEventListener("keydown", onKey);
  addEventListener("beforeunload", (event) => { if (!isSaved || isUnsaved()) event.preventDefault(); });
  if (!review.tasks.some(matches)) byId("show").value = "all";
  select();
}

main();
