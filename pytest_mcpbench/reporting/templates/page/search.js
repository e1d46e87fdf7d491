// Search in all texts of a page in one file. Words are looked for in the list of all words, then in the texts as numbers
// of words, of which each is stored once; last come the attempts that refer to a text that was found.

const RUNS = /[A-Za-z\u00c0-\u024f\u0370-\u052f]+|\d+|[^A-Za-z\u00c0-\u024f\u0370-\u052f\d]+/g; // as the page was written

class TextSearch {
  constructor(texts, attempts, given) {
    this.texts = texts;
    this.attempts = attempts;
    this.given = given;
  }

  // Inflate everything. It is called ahead of the first search, when its field comes into view.
  prepare() {
    this.prepared ??= this.build();
    return this.prepared;
  }

  async build() {
    const { words, blocks } = this.texts;
    const [[list], , attempts, given] = await Promise.all([words.all(), blocks.all(), this.attempts.all(), this.given.all()]);
    this.words = list.map((word) => word.toLowerCase());
    this.rows = attempts.flat().map((row) => ({ given: row.at(-1), numbers: textNumbers(row.slice(0, -1)) }));
    this.givenRows = given.flat().map(textNumbers);
    const last = blocks.blocks.at(-1);
    this.count = last ? last.first + last.values.starts.length - 1 : 0;
  }

  async search(text, part) {
    await this.prepare();
    const marks = searchWords(text).map((word) => {
      const marked = this.marked(word);
      const isMarked = (number) => marked[number] === 1;
      return { isMarked, given: this.givenRows.map((numbers) => part === "all" && numbers.some(isMarked)) };
    });
    const isFound = ({ given, numbers }) => marks.every((mark) => mark.given[given] || numbers.some(mark.isMarked));
    return this.rows.flatMap((row, number) => (isFound(row) ? [number] : []));
  }

  // A 1 for each text that contains what is looked for.
  marked(wanted) {
    const marked = new Uint8Array(this.count);
    const runs = wanted.match(RUNS).slice(0, 8);
    const all = 2 ** runs.length - 1;
    // Bits of the runs that a word contains. A text that lacks one of them does not contain what is looked for.
    const bits = Uint8Array.from(this.words, (word) => runs.reduce((sum, run, at) => sum | (word.includes(run) << at), 0));
    for (const { first, values } of this.texts.blocks.blocks) {
      const { numbers, starts } = values;
      for (let index = 0; index < starts.length - 1; index += 1) {
        let found = 0;
        for (let at = starts[index]; found !== all && numbers[at] > 0; at += 1) found |= bits[numbers[at] - 1];
        if (found !== all) continue;
        if (runs.length > 1 && !this.texts.text(values, index).toLowerCase().includes(wanted)) continue;
        marked[first + index] = 1;
      }
    }
    return marked;
  }
}

// Words in lower case; words between quotation marks stay together.
function searchWords(text) {
  return Array.from(text.toLowerCase().matchAll(/"([^"]+)"?|(\S+)/g), ([, phrase, word]) => phrase ?? word);
}
