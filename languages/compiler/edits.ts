// Changes of a source text at places of that text, which may lie within each other.
type Edit = { start: number; end: number; text: string };

export class Edits {
  #pending: Edit[] = [];
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  replace(start: number, end: number, text: string): void {
    this.#pending.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  /** The text between two places with all changes there, which are made with this. */
  take(start: number, end: number): string {
    const isWithin = (edit: Edit) => edit.start >= start && edit.end <= end;
    const within = this.#pending.filter(isWithin).toSorted((one, other) => one.start - other.start);
    this.#pending = this.#pending.filter((edit) => !isWithin(edit));
    let text = '';
    let at = start;
    for (const edit of within) {
      text += this.source.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return text + this.source.slice(at, end);
  }
}
