// The rows of the index: decoded, filtered by facets, sorted.

const FACETS = {
  suite: (row) => [row.suite],
  model: (row) => [row.model],
  outcome: (row) => [row.outcome],
  cause: (row) => (row.cause ? [row.cause] : []),
  label: (row) => row.labels,
  tool: (row) => row.tools,
  tag: (row) => row.tagTexts,
};

function decodeRows(index) {
  const tagTexts = index.tables.tags.map((tags) => Object.entries(tags).map(([name, value]) => `${name}: ${value}`));
  return index.rows.map((values, number) => {
    const row = { number };
    index.fields.forEach((field, at) => {
      row[field] = field in index.tables ? index.tables[field][values[at]] : values[at];
    });
    row.tagTexts = tagTexts[values[index.fields.indexOf("tags")]];
    return row;
  });
}

// The rows that fit all facets but one (`except`) and were found by the search.
function filterRows(rows, state, found, except = "") {
  const wanted = Object.keys(FACETS).filter((name) => name !== except && state[name] !== "");
  return rows.filter(
    (row) =>
      (found === null || found.has(row.number)) && wanted.every((name) => FACETS[name](row).includes(state[name])),
  );
}

// Value of a facet -> number of rows that choosing it would show.
function facetCounts(rows, state, found, name) {
  const counts = new Map();
  for (const row of filterRows(rows, state, found, name)) {
    for (const value of FACETS[name](row)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

// `sort` is a field, with a hyphen before it for descending order; rows of equal value keep the order of the page.
// Without a field, failed attempts of models come first and agents without a model last.
function sortRows(rows, sort) {
  if (sort === "") return rows.toSorted((left, right) => left.rank - right.rank);
  const field = sort.replace(/^-/, "");
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = (left, right) => {
    if (isUnknown(left) || isUnknown(right)) return isUnknown(left) - isUnknown(right);
    return sign * (typeof left === "number" ? left - right : naturalOrder.compare(left, right));
  };
  return rows.toSorted((left, right) => compare(left[field], right[field]));
}

const naturalOrder = new Intl.Collator("en", { numeric: true });
