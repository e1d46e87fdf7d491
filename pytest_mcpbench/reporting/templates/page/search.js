// Search in all texts of a page in one file. Each text is stored once, so it is also searched once: the items that
// contain a word are marked first, then the attempts that refer to a marked item.

class TextSearch {
  constructor(items, attempts) {
    this.items = items;
    this.attempts = attempts;
  }

  // Inflate everything and make it lower case. It is called ahead of the first search, when the browser is idle.
  prepare() {
    this.prepared ??= this.build();
    return this.prepared;
  }

  async build() {
    this.texts = (await this.items.all()).map((values, at) => new JoinedTexts(values, this.items.blocks[at].first));
    this.parts = this.texts.flatMap((texts) => texts.parts);
    this.count = this.texts.reduce((sum, texts) => sum + texts.count, 0);
    this.references = [];
    for (const documents of await this.attempts.all()) {
      for (const { given, ...outcome } of documents) {
        this.references.push({ given, numbers: Int32Array.from(itemNumbers(outcome)) });
      }
    }
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

// The texts of a block in lower case as one string, which the browser searches faster than many.
class JoinedTexts {
  constructor(values, first) {
    const texts = values.map((value) => (typeof value === "string" ? value.toLowerCase() : ""));
    this.first = first;
    this.count = values.length;
    this.joined = texts.join("\u0000");
    this.starts = new Int32Array(texts.length + 1);
    texts.forEach((text, index) => (this.starts[index + 1] = this.starts[index] + text.length + 1));
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
