// Elements of the document. Text is only ever set as text: nothing that a task, tool or model wrote is parsed as HTML.

function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child || child === 0));
  return made;
}

const byId = (id) => document.getElementById(id);

const preformatted = (text, className = "") => element("pre", { className, tabIndex: 0, dir: "auto" }, text);

function labelledTable(caption, headings, rows, className = "") {
  const head = element("tr", {}, headings.map((heading) => element("th", { scope: "col" }, heading)));
  return element(
    "table", { className }, element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, rows),
  );
}

function folded(summary, ...content) {
  return element("details", {}, element("summary", {}, summary), ...content);
}
