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
  const texts = new Texts();
  const attempts = new Blocks("attempts");
  const given = new Blocks("given");
  const shapes = new Blocks("shapes");
  const search = new TextSearch(texts, attempts, given);
  const document = async (row, numbers) => {
    await texts.inflate(numbers);
    return new Row(row, texts).fill(await shapes.value(row[0]));
  };
  return {
    index: () => new Blocks("index").value(0),
    attempt: async (number) => {
      const row = await attempts.value(number);
      if (row.length === 1) return {}; // an attempt without a record
      const ofGiven = await given.value(row.at(-1));
      const [attempt, offered] = await Promise.all([document(row, textNumbers(row.slice(0, -1))), document(ofGiven, textNumbers(ofGiven))]);
      return { ...attempt, given: offered };
    },
    search: (text, part) => search.search(text, part),
    prepare: () => search.prepare(),
  };
}

// Compressed lists in inert elements of the page; each is inflated once, when something of it is needed.
class Blocks {
  constructor(kind, decode = (stream) => new Response(stream).json()) {
    const elements = document.querySelectorAll(`script[type="application/x-mcpbench-${kind}"]`);
    this.decode = decode;
    this.blocks = Array.from(elements, (holder) => ({ holder, first: Number(holder.dataset.first), values: null }));
  }

  all() {
    return Promise.all(this.blocks.map((block) => this.inflate(block)));
  }

  async value(number) {
    const block = this.blockOf(number);
    return (await this.inflate(block))[number - block.first];
  }

  blockOf(number) {
    return this.blocks.findLast((block) => block.first <= number);
  }

  inflate(block) {
    block.promise ??= this.decode(inflated(block.holder)).then((values) => (block.values = values));
    return block.promise;
  }
}

function inflated({ textContent, dataset }) {
  return new Blob([bytesOf(textContent, Number(dataset.size))]).stream().pipeThrough(new DecompressionStream("deflate"));
}

// basE91: two characters are 13 bits. The alphabet begins with "#" and has "~" in place of "<".
function bytesOf(text, size) {
  const digits = new Uint8Array(128);
  for (let code = 35; code < 126; code += 1) digits[code] = code - 35;
  digits[126] = 25;
  const codes = new TextEncoder().encode(text);
  const bytes = new Uint8Array(size);
  let bits = 0;
  let count = 0;
  for (let at = 0, end = 0; at < codes.length; at += 2) {
    bits = ((bits << 13) | (91 * digits[codes[at]] + digits[codes[at + 1]])) & 0x1fffff;
    for (count += 13; count >= 8; count -= 8, end += 1) bytes[end] = bits >> (count - 8); // what is beyond the end is lost
  }
  return bytes;
}

// All texts of the page, as numbers of words: runs of letters, of digits, and of other characters. 0 ends a text.
class Texts {
  constructor() {
    this.words = new Blocks("words");
    this.blocks = new Blocks("texts", async (stream) => wordNumbers(new Uint8Array(await new Response(stream).arrayBuffer())));
  }

  // Inflate the blocks of some texts.
  async inflate(numbers) {
    await Promise.all([this.words.all(), ...numbers.map((number) => this.blocks.value(number))]);
  }

  // A text of which the block is inflated.
  at(number) {
    const block = this.blocks.blockOf(number);
    return this.text(block.values, number - block.first);
  }

  text({ numbers, starts }, index) {
    const words = this.words.blocks[0].values;
    let text = "";
    for (let at = starts[index]; numbers[at] > 0; at += 1) text += words[numbers[at] - 1];
    return text;
  }
}

// Numbers in LEB128: seven bits a byte, the lowest first; the last byte has no high bit.
function wordNumbers(bytes) {
  const numbers = new Uint32Array(bytes.length);
  const starts = [0];
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    let byte = bytes[at++];
    let number = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) number |= ((byte = bytes[at++]) & 127) << shift;
    numbers[count++] = number;
    if (number === 0) starts.push(count);
  }
  return { numbers, starts };
}

const textNumbers = (row) => row.slice(1).filter((value) => typeof value === "number");

// A packed document: the number of its shape, and the values that its shape has as 0. A number is that of a text.
class Row {
  constructor(values, texts) {
    this.values = values;
    this.texts = texts;
    this.at = 0;
  }

  fill(shape) {
    if (shape === 0) {
      const value = this.values[(this.at += 1)];
      return typeof value === "number" ? this.texts.at(value) : Number(value);
    }
    if (Array.isArray(shape)) return shape.map((each) => this.fill(each));
    if (shape === null || typeof shape !== "object") return shape;
    return Object.fromEntries(Object.entries(shape).map(([name, each]) => [name, this.fill(each)]));
  }
}
