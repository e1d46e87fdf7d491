// The view of one attempt: verdict, calls beside the reference, conversation, worlds, timeline, and the other attempts.

function attemptView(row, attempt, { others, address }) {
  return [
    element("p", { className: "facts" }, factsOf(row, attempt)),
    part("Request", attempt.turns?.length ? preformatted(attempt.turns[0]) : null),
    attempt.error && element("div", { className: "problem" },
      element("h3", {}, `Error (${attempt.error.kind})`), preformatted(attempt.error.message)),
    otherAttempts(row, others, address),
    part("Scores", scoreTable(attempt.scores)),
    part("Calls, expected and actual", callTable(attempt.comparison)),
    part("Conversation", conversation(attempt)),
    part("Reference", attempt.expected?.length ? preformatted(attempt.expected.join("\n")) : null),
    part("Changes of the worlds", worldTables(attempt.worlds ?? [])),
    part("Read after the attempt", (attempt.verified ?? []).map((each) => [preformatted(each.check), preformatted(each.result)])),
    part("Verdicts of the judge", verdictTable(attempt.verdicts ?? [])),
    part("Timeline", timeline(attempt)),
    part("Details", details(row, attempt)),
    part("Run it again", command(row, attempt)),
  ].filter(Boolean);
}

function part(title, content) {
  const present = [content].flat(2).filter(Boolean);
  return present.length ? element("section", { className: "part" }, element("h3", {}, title), present) : null;
}

function factsOf(row, attempt) {
  const { input, output, cost } = attempt.usage ?? {};
  const facts = [
    element("strong", { className: row.outcome }, row.outcome),
    `${row.calls} ${row.calls === 1 ? "call" : "calls"}`,
    seconds(row.seconds),
    attempt.usage && `${tokens(input)} + ${tokens(output)} tokens`,
    attempt.usage && (cost == null ? "cost unknown" : money(cost)),
    attempt.user && `user: ${attempt.user}, ${tokens(attempt.userUsage.input)} + ${tokens(attempt.userUsage.output)} tokens, ${money(attempt.userUsage.cost)}`,
    attempt.stop && `stopped: ${attempt.stop.replaceAll("_", " ")}`,
  ].filter(Boolean);
  return facts.flatMap((fact, index) => (index ? [" · ", fact] : [fact]));
}

// Attempts at the same task: a row for each model, a column for each trial.
function otherAttempts(row, others, address) {
  if (others.length < 2) return null;
  const trials = [...new Set(others.map((other) => other.trial))].sort((left, right) => left - right);
  const models = [...new Set(others.map((other) => other.model))];
  const cell = (model, trial) => {
    const other = others.find((each) => each.model === model && each.trial === trial);
    if (!other) return element("td", {}, "–");
    const link = element("a", { href: address(other), className: other.outcome }, other.outcome);
    if (other === row) link.ariaCurrent = "page";
    return element("td", {}, link);
  };
  const line = (model) =>
    element("tr", {}, element("th", { scope: "row" }, model), trials.map((trial) => cell(model, trial)));
  const headings = ["model", ...trials.map((trial) => `trial ${trial}`)];
  const together = element("p", {}, element("a", { href: `#${[row.suite, row.task].map(encodeURIComponent).join("/")}` }, "Calls and answers side by side"));
  return part("All attempts at this task", [scrollable(labelledTable("Outcome by model and trial", headings, models.map(line), "others")), together]);
}

const scrollable = (table) => element("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: table.caption?.textContent }, table);

// All attempts at a task, each with its calls and its last words.
function taskView(pairs, address) {
  const [, first] = pairs.find(([, attempt]) => attempt.turns?.length) ?? pairs[0];
  return [
    part("Request", first.turns?.length ? preformatted(first.turns[0]) : null),
    part("Reference", first.expected?.length ? preformatted(first.expected.join("\n")) : null),
    element("div", { className: "side-by-side" }, pairs.map(([row, attempt]) => attemptCard(row, attempt, address(row)))),
  ].filter(Boolean);
}

function attemptCard(row, attempt, href) {
  const steps = attempt.steps ?? [];
  const calls = steps.flatMap((step) => step.calls);
  const answer = steps.findLast((step) => step.text)?.text ?? "";
  const call = (each) => element("li", { className: each.isError ? "failed" : "" }, element("code", {}, each.name), " ", each.arguments);
  return element("section", { className: "part" },
    element("h3", {}, element("a", { href }, `${row.model}, trial ${row.trial}`), " ", element("small", { className: row.outcome }, row.outcome)),
    row.reason && element("p", { className: "muted", dir: "auto" }, row.reason),
    calls.length ? element("ol", { className: "calls", dir: "auto" }, calls.map(call)) : element("p", { className: "muted" }, "no call"),
    answer ? longText(answer) : element("p", { className: "muted" }, "no answer"));
}

// Text of which a long one shows its beginning and is unfolded.
const LONG = 1200;

function longText(text, className = "") {
  if (text.length <= LONG) return preformatted(text, className);
  return folded(`${text.slice(0, 160).replaceAll("\n", " ")} … ${grouped(text.length)} characters`, preformatted(text, className));
}

function scoreTable(scores) {
  if (!scores?.length) return null;
  const line = (each) => {
    const value = isUnknown(each.value) ? (each.applies ? "unscored" : "n/a") : score(each.value);
    const reasons = [each.unscored, ...each.reasons].filter(Boolean);
    return element("tr", { className: each.isShort ? "short" : "" },
      element("th", { scope: "row" }, each.metric),
      element("td", { className: "number" }, value),
      element("td", { className: "number" }, isUnknown(each.floor) ? "" : `≥ ${each.floor}`),
      element("td", { className: "reasons" }, reasons.map((reason) => element("p", { dir: "auto" }, reason))));
  };
  const withoutFloor = scores.filter((each) => isUnknown(each.floor));
  const decisive = scores.filter((each) => !isUnknown(each.floor));
  const table = (caption, list) => scrollable(labelledTable(caption, ["metric", "score", "floor", "reasons"], list.map(line), "scores"));
  return [
    decisive.length > 0 && table("Metrics that decide the outcome", decisive),
    withoutFloor.length > 0 && folded(`${withoutFloor.length} more metrics`, table("Metrics without a floor", withoutFloor)),
  ];
}

// A row is coloured if a metric below its floor speaks of its tool, and names that metric.
function callTable(rows) {
  if (!rows?.length) return null;
  const line = (row) => {
    const decides = row.metrics.length > 0;
    const verdict = element("th", { scope: "row", className: decides ? "failed" : row.verdict === "same" ? "passed" : "" },
      row.verdict, row.metrics.map((metric) => element("small", {}, metric)));
    return element("tr", { className: decides ? "short" : row.verdict }, verdict,
      element("td", { className: "call" }, row.expected || "—"),
      element("td", { className: "call" }, row.actual || "—",
        row.reasons.map((reason) => element("p", { className: decides ? "failed" : "muted" }, reason))));
  };
  return scrollable(labelledTable("Calls of the reference beside those of the agent", ["", "expected", "actual"], rows.map(line), "sides"));
}

function conversation(attempt) {
  const steps = attempt.steps ?? [];
  const given = attempt.given ?? { system: "", tools: [] };
  return element("ol", { className: "conversation" },
    given.system && message("system", "system prompt", folded(`${grouped(given.system.length)} characters`, preformatted(given.system))),
    given.tools.length > 0 && message("system", "tools", folded(`${given.tools.length} tools offered`, given.tools.map(toolView))),
    (attempt.turns ?? []).flatMap((turn, index) => [
      message("user", userName(attempt, index), preformatted(turn)),
      ...steps.filter((step) => step.turn === index).map((step) => stepView(step, steps.indexOf(step))),
    ]),
    steps.filter((step) => step.turn >= (attempt.turns ?? []).length).map((step) => stepView(step, steps.indexOf(step))),
    attempt.userEnd && element("li", { className: "muted" }, `The user ended the conversation: ${attempt.userEnd.replaceAll("_", " ")}.`),
    !attempt.error && steps.length === 0 && element("li", { className: "muted" }, "The agent did nothing."));
}

// The first message is the task's own; who writes the others is said.
function userName(attempt, index) {
  return attempt.user && index > 0 ? `user, played by ${attempt.user}` : "user";
}

function message(role, name, ...content) {
  return element("li", { className: role }, element("h4", {}, name), ...content);
}

function toolView(tool) {
  return folded(`${tool.server} / ${tool.name}`,
    element("p", { className: "description", dir: "auto" }, tool.description), preformatted(tool.schema));
}

function stepView(step, index) {
  const facts = [seconds(step.seconds), `${tokens(step.usage.input)} + ${tokens(step.usage.output)} tokens`];
  if (!isUnknown(step.firstToken)) facts.push(`first token after ${seconds(step.firstToken)}`);
  if (step.finish) facts.push(`model stopped: ${step.finish}`);
  if (step.retries) facts.push(`${step.retries} requests repeated`);
  if (step.format) facts.push(`parsed as ${step.format}`);
  const heading = element("h4", {}, `agent, step ${index + 1}`, element("small", {}, facts.join(" · ")));
  const problem = step.problem && element("p", { className: "failed" }, `The reply could not be read: ${step.problem}.`);
  return element("li", { className: "agent" }, heading, problem, step.text && preformatted(step.text),
    step.format && folded(`${grouped(step.raw.length)} characters as the model wrote them`, preformatted(step.raw)),
    step.searches?.map(searchView), step.reads?.map(readView), step.calls.map(callView));
}

function readView(read) {
  const heading = [read.kind === "skill" ? "load skill" : read.kind, read.target, read.server && `(${read.server})`].filter(Boolean).join(" ");
  return element("div", { className: read.isError ? "called bad" : "called" }, element("h5", {}, heading),
    preformatted(isUnknown(read.result) ? "not made" : read.result, read.isError ? "result bad" : "result"));
}

function searchView(search) {
  const found = isUnknown(search.found) ? `not made${search.problem && `: ${search.problem}`}` : search.found.length ? search.found.join("\n") : "(no tool found)";
  return element("div", { className: "called" }, element("h5", {}, "search for tools"), preformatted(search.query, "arguments"), preformatted(found, search.found?.length ? "result" : "result bad"));
}

function callView(call) {
  const name = element("h5", {}, call.server ? `${call.server} / ${call.name}` : call.name,
    call.problem && element("strong", { className: "failed" }, call.problem.replaceAll("_", " ")),
    element("small", {}, seconds(call.seconds)));
  const result = isUnknown(call.result)
    ? element("p", { className: "muted" }, "not sent")
    : longText(call.result || "(empty result)", call.isError ? "result bad" : "result");
  return element("div", { className: call.isError ? "called bad" : "called" }, name, preformatted(call.arguments, "arguments"), (call.elicitations ?? []).map(elicitationView), (call.samplings ?? []).map(samplingView),
    (call.news ?? []).map((text) => element("p", { className: "elicited", dir: "auto" }, text)), result);
}

// What the server asked a model during a call.
function samplingView(sampled) {
  return element("div", { className: "elicited", dir: "auto" }, "the server asks a model:", preformatted(sampled.prompt, "arguments"),
    `${sampled.model} replies:`, element("small", {}, seconds(sampled.seconds)), preformatted(sampled.reply, "result"));
}

// What the server asked the user during a call.
function elicitationView(asked) {
  return element("p", { className: "elicited", dir: "auto" }, "the server asks: ", asked.question, element("br"),
    `the user (${asked.by}): `, element("strong", {}, asked.answer), element("small", {}, seconds(asked.seconds)));
}

function worldTables(worlds) {
  return worlds.map((world) => {
    const changes = world.changes.map((change) => stateRow(change.kind, change.path, change));
    const observed = world.observations.map((each) => stateRow(each.doubt ? `doubtful: ${each.doubt}` : "observed", each.path, each));
    return scrollable(labelledTable(`World of ${world.name}`, ["", "path", "before", "after"], [...changes, ...observed], "worlds"));
  });
}

function stateRow(kind, path, { before, after }) {
  const value = (text) => element("td", {}, isUnknown(text) ? "—" : preformatted(text));
  return element("tr", {}, element("th", { scope: "row" }, kind), element("td", { className: "path" }, path), value(before), value(after));
}

function verdictTable(verdicts) {
  if (verdicts.length === 0) return null;
  const line = (verdict) => element("tr", {},
    element("th", { scope: "row", className: verdict.label === null ? "error" : verdict.score === 0 ? "failed" : "" },
      verdict.label ?? "no verdict"),
    element("td", { className: "number" }, score(verdict.score)),
    element("td", { className: "reasons", dir: "auto" }, verdict.statement ?? ""),
    element("td", { className: "reasons" }, [verdict.error, verdict.reason].filter(Boolean).map((text) => element("p", { dir: "auto" }, text))),
    element("td", { className: "judge" }, verdict.judge));
  // A panel's verdict stands above those of its members.
  const lines = verdicts.flatMap((verdict) => [verdict, ...(verdict.votes ?? [])].map(line));
  return scrollable(labelledTable("Answers to the questions of metrics", ["verdict", "score", "question", "reason", "judge"], lines, "scores"));
}

// Calls of one step run side by side: they start together, when the model has answered.
function timeline(attempt) {
  const spans = timeSpans(attempt.steps ?? []);
  const total = Math.max(0, ...spans.map((span) => span.start + span.seconds));
  if (total === 0) return null;
  const line = (span) => {
    const bar = element("span", { className: `bar ${span.kind}` });
    bar.style.marginLeft = `${(100 * span.start) / total}%`;
    bar.style.width = `${(100 * span.seconds) / total}%`;
    return element("tr", {}, element("th", { scope: "row" }, span.name),
      element("td", { className: "bars" }, bar),
      element("td", { className: "number" }, seconds(span.seconds)),
      element("td", { className: "number" }, span.usage ? tokens(span.usage.input) : ""),
      element("td", { className: "number" }, span.usage ? tokens(span.usage.output) : ""));
  };
  const headings = ["", "", "time", "tokens read", "tokens written"];
  return scrollable(labelledTable(`Time of the model and of its tools, ${seconds(total)} together`, headings, spans.map(line), "timeline"));
}

function timeSpans(steps) {
  let now = 0;
  return steps.flatMap((step, index) => {
    const asked = { name: `step ${index + 1}: model`, kind: "model", start: now, seconds: step.seconds, usage: step.usage };
    const start = now + step.seconds;
    const called = step.calls.map((call) => ({ name: call.name, kind: "tool", start, seconds: call.seconds }));
    now = start + Math.max(0, ...called.map((span) => span.seconds));
    return [asked, ...called];
  });
}

function details(row, attempt) {
  const facts = [
    ["suite", row.suite], ["task", row.task], ["model", row.model], ["trial", row.trial], ["started", attempt.started],
    ...(attempt.tags ?? []), ...(attempt.labels ?? []), ...(attempt.notes ?? []),
    ...(attempt.missingTools ?? []).map((tool) => ["tool that no server offers", tool]),
  ];
  const judge = attempt.judgeUsage;
  if (judge && judge.input !== 0) facts.push(["judge", `${tokens(judge.input)} + ${tokens(judge.output)} tokens, ${money(judge.cost)}`]);
  return element("dl", {}, facts.filter(([, value]) => value !== "").map(([name, value]) =>
    element("div", {}, element("dt", {}, name.replaceAll("_", " ")), element("dd", {}, value))));
}

function command(row, attempt) {
  if (!attempt.node) return null;
  const text = `pytest ${shellQuoted(attempt.node.replace(/\[[^[]*\]$/, ""))} --model=${shellQuoted(attempt.model)}`;
  const shown = element("code", { className: "command" }, text);
  const button = element("button", { type: "button" }, "Copy as pytest command");
  button.addEventListener("click", () => copy(text, shown, button));
  return [element("p", {}, button), shown];
}

const shellQuoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

// Where the clipboard is closed to the page, the command is selected instead, ready to be copied.
async function copy(text, shown, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(shown);
    button.textContent = "Selected: press Ctrl+C";
  }
}
