// Sources of attempts. A source has these functions, and the rest of the script knows nothing else about the data:
//   index()            promise of {fields, tables, rows}: one short row for each attempt, in the order of the page
//   attempt(number)    promise of the whole document of the attempt in that row
//   search(text, part) promise of the numbers of the attempts that contain all words of the text; `part` is "all" or
//                      "conversation", which leaves out system prompts and definitions of tools
// A source on a server has two more:
//   watch(onChange)       calls onChange(index) whenever attempts or notes are new
//   addNote(number, text) stores a note on an attempt

function remoteSource(address) {
  const json = async (path, options) => {
    const response = await fetch(address + path, options);
    const answer = await response.json().catch(() => ({}));
    if (!response.ok) throw new Error(answer.error ?? `${path}: the server answers ${response.status}`);
    return answer;
  };
  const rows = new RemoteRows(json);
  return {
    index: () => rows.load(),
    attempt: (number) => json(`attempts/${number}`),
    search: (text, part) => json(`search?${new URLSearchParams({ text, part })}`),
    watch: (onChange) => rows.watch(onChange),
    addNote: async (number, text) => {
      const headers = { "Content-Type": "application/json" };
      await json("notes", { method: "POST", headers, body: JSON.stringify({ number, text }) });
      await rows.changed();
    },
  };
}

function inlineSource() {
  const items = new Blocks("items");
  const attempts = new Blocks("attempts");
  const texts = new TextSearch(items, attempts);
  return {
    index: () => new Blocks("index").value(0),
    attempt: async (number) => {
      const packed = await attempts.value(number);
      await inflateItems(packed, items);
      return unpack(packed, items);
    },
    search: (text, part) => texts.search(text, part),
    prepare: () => texts.prepare(),
  };
}

// Compressed lists in inert elements of the page; each is inflated once, when something of it is needed.
class Blocks {
  constructor(kind) {
    const elements = document.querySelectorAll(`script[type="application/x-mcpbench-${kind}"]`);
    this.blocks = Array.from(elements, (holder) => ({ holder, first: Number(holder.dataset.first), values: null }));
  }

  all() {
    return Promise.all(this.blocks.map((block) => this.inflate(block)));
  }

  // The JSON of all blocks, of a kind that is not needed as values.
  texts() {
    return Promise.all(this.blocks.map((block) => inflateText(block.holder.textContent)));
  }

  async value(number) {
    const block = this.blockOf(number);
    return (await this.inflate(block))[number - block.first];
  }

  // A value of a block that is inflated already.
  at(number) {
    const block = this.blockOf(number);
    return block.values[number - block.first];
  }

  blockOf(number) {
    return this.blocks.findLast((block) => block.first <= number);
  }

  inflate(block) {
    block.promise ??= inflateText(block.holder.textContent).then((text) => (block.values = JSON.parse(text)));
    return block.promise;
  }
}

async function inflateText(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64); // ten times faster, where the browser has it
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

// Inflate the blocks of all items that a packed value refers to, itself or through items.
async function inflateItems(packed, items) {
  const found = await Promise.all(itemNumbers(packed).map((number) => items.value(number)));
  const parts = found.filter((item) => typeof item !== "string");
  await Promise.all(parts.map((part) => inflateItems(part, items)));
}

function itemNumbers(packed, found = []) {
  if (typeof packed === "number") found.push(packed);
  else if (packed !== null && typeof packed === "object") {
    for (const each of Object.values(packed)) itemNumbers(each, found);
  }
  return found;
}

// In packed values a number stands for the item of that number, and a text for a number.
function unpack(value, items) {
  if (typeof value === "number") {
    const item = items.at(value);
    return typeof item === "string" ? item : unpack(item, items);
  }
  if (typeof value === "string") return Number(value);
  if (Array.isArray(value)) return value.map((each) => unpack(each, items));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unpack(each, items)]));
}
