// The suite whose results are shown. The buttons work without this script, which keeps the choice in the address.

const suiteButtons = [...document.querySelectorAll(".suites input")];

// Show a suite, or all with "*", and return its name; null if the page has no such suite: then nothing changes.
function showSuite(name) {
  const button = suiteButtons.find((each) => each.value === name);
  if (!button) return null;
  button.checked = true;
  linkContents();
  return name;
}

// Let the contents link to the part of the suite that is shown, so that their addresses name it.
function linkContents() {
  const chosen = suiteButtons.findIndex((each) => each.checked);
  for (const link of document.querySelectorAll("nav a")) {
    link.dataset.section ??= link.hash.slice(1);
    const part = byId(link.dataset.section)?.querySelector(`div.of-suite-${chosen}`);
    link.hash = part?.id ?? link.dataset.section;
  }
}

// Show the part of a suite that an address names, and return the suite; null for any other part of the page.
function showSection(id) {
  const target = byId(id);
  const part = target?.closest(".of-suite");
  const button = part && suiteButtons.find((each) => part.classList.contains(`of-${each.id}`));
  if (!button) return null;
  showSuite(button.value);
  (target === part ? part.closest("section") : target).scrollIntoView();
  return button.value;
}
