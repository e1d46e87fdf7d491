// The suite whose results are shown. The buttons work without this script, which keeps the choice in the address.

const suiteButtons = [...document.querySelectorAll(".suites input")];

// Show a suite, or all with "*", and return its name; null if the page has no such suite: then nothing changes.
function showSuite(name) {
  const button = suiteButtons.find((each) => each.value === name);
  if (!button) return null;
  button.checked = true;
  followChoice();
  return name;
}

// Parse what the chosen suite has, and let the contents link to it, so that their addresses name it.
function followChoice() {
  const chosen = suiteButtons.findIndex((each) => each.checked);
  const isAll = suiteButtons[chosen]?.value === "*" || !CSS.supports("selector(:has(*))");
  parseParts(isAll ? ".of-suite" : `.of-suite-${chosen}`);
  for (const link of document.querySelectorAll("nav a")) {
    link.dataset.section ??= link.hash.slice(1);
    const part = byId(link.dataset.section)?.querySelector(`div.of-suite-${chosen}`);
    link.hash = part?.id ?? link.dataset.section;
  }
}

// Parse parts of the page that are text so far: 80,000 elements of suites that nobody looks at take a second. The markup
// is the page's own, in which all text of others is escaped.
function parseParts(selector) {
  for (const text of document.querySelectorAll(`${selector} > noscript`)) {
    const holder = element("template", { innerHTML: text.textContent });
    text.replaceWith(holder.content);
  }
}

// Show the part of a suite that an address names, and return the suite; null for any other part of the page.
function showSection(id) {
  if (id !== "" && !byId(id)) parseParts(".of-suite");
  const target = byId(id);
  const part = target?.closest(".of-suite");
  const button = part && suiteButtons.find((each) => part.classList.contains(`of-${each.id}`));
  if (!button) return null;
  showSuite(button.value);
  (target === part ? part.closest("section") : target).scrollIntoView();
  return button.value;
}
