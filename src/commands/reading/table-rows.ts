import type { ShownText } from './shown-text.ts';

interface Table {
  /** The number of cells in the row. */
  columns: number;
  rows: number;
  inCell: boolean;
}

/** Writes the bars of tables, also of tables in tables. */
export class TableRows {
  readonly #shown: ShownText;
  readonly #tables: Table[] = [];

  constructor(shown: ShownText) {
    this.#shown = shown;
  }

  get inCell(): boolean {
    return this.#tables.at(-1)?.inCell ?? false;
  }

  /** White space between the cells is not shown. */
  get betweenCells(): boolean {
    return this.#tables.at(-1)?.inCell === false;
  }

  startTable(): void {
    this.#tables.push({ columns: 0, rows: 0, inCell: false });
  }

  endTable(): void {
    this.#tables.pop();
  }

  startRow(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    table.columns = 0;
    table.inCell = false;
  }

  startCell(): void {
    const table = this.#tables.at(-1);
    if (!table) return;
    this.#shown.writeExactly(table.columns === 0 ? '| ' : ' | ');
    table.columns += 1;
    table.inCell = true;
  }

  endCell(): void {
    const table = this.#tables.at(-1);
    if (table) table.inCell = false;
  }

  endRow(): void {
    const table = this.#tables.at(-1);
    if (!table || table.columns === 0) return;
    table.inCell = false;
    table.rows += 1;
    this.#shown.writeExactly(table.rows === 1 ? ` |\n|${'---|'.repeat(table.columns)}` : ' |');
  }
}
