// Formats of numbers, as in the tables of the report: what is unknown is "?", never 0.

const grouped = new Intl.NumberFormat("en-US").format;
const isUnknown = (value) => value === null || value === undefined;

function seconds(value) {
  if (isUnknown(value)) return "?";
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  return value < 120 ? `${value.toFixed(1)} s` : `${(value / 60).toFixed(1)} min`;
}

function money(dollars) {
  if (isUnknown(dollars)) return "?";
  return dollars === 0 ? "$0" : `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;
}

const tokens = (number) => (isUnknown(number) ? "?" : grouped(number));

function score(value) {
  return isUnknown(value) ? "" : value.toFixed(3);
}
