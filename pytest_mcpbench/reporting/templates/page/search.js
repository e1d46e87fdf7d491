// Search in all texts of a page in one file. Each text is stored once, so it is also searched once: the items that
// contain a word are marked first, then the attempts that refer to a marked item.

class TextSearch {
  constructor(items, attempts) {
    this.items = items;
    this.attempts = attempts;
  }

  // Inflate everything and make it lower case. It is called ahead of the first search, when its field comes into view.
  prepare() {
    this.prepared ??= this.build();
    return this.prepared;
  }

  async build() {
    this.texts = (await this.items.all()).map((values, at) => new JoinedTexts(values, this.items.blocks[at].first));
    this.parts = this.texts.flatMap((texts) => texts.parts);
    this.count = this.texts.reduce((sum, texts) => sum + texts.count, 0);
    this.references = (await this.attempts.texts()).flatMap(documentReferences);
  }

  async search(text, part) {
    await this.prepare();
    const marks = searchWords(text).map((word) => this.marked(word));
    const isFound = ({ given, numbers }) =>
      marks.every((marked) => (part === "all" && marked[given]) || numbers.some((number) => marked[number]));
    return this.references.flatMap((reference, number) => (isFound(reference) ? [number] : []));
  }

  // A 1 for each item that contains the word or refers to one that does. Items refer only to items before them.
  marked(word) {
    const marked = new Uint8Array(this.count);
    for (const texts of this.texts) texts.mark(word, marked);
    for (const { number, references } of this.parts) {
      if (references.some((reference) => marked[reference])) marked[number] = 1;
    }
    return marked;
  }
}

// For each packed document in the JSON of a list: the item that `given`, its last member, refers to, and all others.
// Items are the numbers outside of strings, and no string has an escape. Parsing would take several times as long.
function documentReferences(json) {
  const found = [];
  let numbers = [];
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 34) at = json.indexOf('"', at + 1);
    else if (code === 91 || code === 123) depth += 1; // [ {
    else if (code === 93 || code === 125) {
      depth -= 1;
      if (depth !== 1) continue;
      const given = numbers.pop();
      found.push({ given, numbers: Int32Array.from(numbers) });
      numbers = [];
    } else if (code >= 48 && code <= 57) {
      let number = code - 48;
      for (let next; (next = json.charCodeAt(at + 1) - 48) >= 0 && next <= 9; at += 1) number = 10 * number + next;
      numbers.push(number);
    }
  }
  return found;
}

// The texts of a block in lower case as one string, which the browser searches faster than many.
class JoinedTexts {
  constructor(values, first) {
    this.first = first;
    this.count = values.length;
    // No text has the separator: control characters are shown by their code points. Lower case can be longer.
    this.joined = values.map((value) => (typeof value === "string" ? value : "")).join("\u0000").toLowerCase();
    this.starts = new Int32Array(values.length + 1);
    for (let index = 1, at = -1; index < values.length; index += 1) {
      at = this.joined.indexOf("\u0000", at + 1);
      this.starts[index] = at + 1;
    }
    this.starts[values.length] = this.joined.length + 1;
    this.parts = values.flatMap((value, index) =>
      typeof value === "string" ? [] : [{ number: first + index, references: itemNumbers(value) }],
    );
  }

  mark(word, marked) {
    for (let at = this.joined.indexOf(word); at >= 0; ) {
      const index = this.indexAt(at);
      marked[this.first + index] = 1;
      at = this.joined.indexOf(word, this.starts[index + 1]);
    }
  }

  // Index of the text at a position, by bisection.
  indexAt(position) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

// Words in lower case; words between quotation marks stay together.
function searchWords(text) {
  return Array.from(text.toLowerCase().matchAll(/"([^"]+)"?|(\S+)/g), ([, phrase, word]) => phrase ?? word);
}
