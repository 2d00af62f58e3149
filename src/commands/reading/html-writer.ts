import type { Token } from 'parse5';
import { BREAKS, QUIET_ELEMENTS } from './html-elements.ts';
import { removeInvisible } from './invisible-characters.ts';
import { Outline, type OutlineEntry } from './outline.ts';
import { type Piece, ShownText } from './shown-text.ts';
import { TableRows } from './table-rows.ts';

const MAX_ADDRESS = 500;
const MARKS: Readonly<Record<string, string>> = {
  ...{ em: '*', i: '*', strong: '**', b: '**', s: '~~', del: '~~', strike: '~~' },
};
const HEADINGS: Readonly<Record<string, number>> = { h1: 1, h2: 2, h3: 3, h4: 4, h5: 5, h6: 6 };

/** Writes elements and their text as markdown. */
export class HtmlWriter {
  readonly #shown = new ShownText();
  readonly #outline = new Outline();
  readonly #tables = new TableRows(this.#shown);
  readonly #paragraphs: string[] = [];
  readonly #marks = new Map<string, string[]>();
  readonly #lists: { next: number | undefined }[] = [];
  #paragraph: string | undefined;
  #quiet = 0;
  #quotes = 0;
  #notes = 0;
  #pre: { language: string; text: string } | undefined;
  #code: string | undefined;
  #link: { address: string; opening: Piece; pieces: Piece[] } | undefined;
  /** Links whose address is too long to be shown. */
  #hiddenAddresses = 0;

  finish(): { text: string; outline: OutlineEntry[]; paragraphs: string[]; hiddenAddresses: number } {
    this.#endPre();
    this.#endCode();
    this.#endLink();
    const outline = this.#outline.finish();
    const text = this.#shown
      .toString()
      .replace(/[^\S\n]+$/gm, '')
      .trim();
    return { text, outline, paragraphs: this.#paragraphs, hiddenAddresses: this.#hiddenAddresses };
  }

  write(text: string, { exact = false } = {}): void {
    if (this.#pre) this.#pre.text += text;
    else if (this.#code !== undefined) this.#code += text;
    else this.#say(text, { exact });
  }

  #say(text: string, { isMark = false, exact = false } = {}): void {
    if (this.#tables.betweenCells && text.trim() === '') return;
    const inCell = this.#tables.inCell ? text.replace(/\s*\n\s*/g, ' ') : text;
    const pieces = exact ? this.#shown.writeExactly(inCell, isMark) : this.#shown.write(inCell, isMark);
    this.#outline.add(pieces);
    this.#link?.pieces.push(...pieces);
    if (this.#paragraph !== undefined && !this.#quiet) this.#paragraph += text;
  }

  #break(lines: number): void {
    if (this.#tables.inCell) this.#shown.write(' ');
    else this.#shown.break(lines);
  }

  start(name: string, token: Token.TagToken): void {
    if (this.#pre) return;
    if (QUIET_ELEMENTS.has(name)) this.#quiet += 1;
    const lines = BREAKS[name];
    if (lines !== undefined && name !== 'li') this.#break(this.#lists.length > 0 && isList(name) ? 1 : lines);
    const heading = HEADINGS[name];
    if (heading) {
      this.#startHeading(heading);
      return;
    }
    if (MARKS[name]) {
      this.#startMark(name, attribute(token, 'm'));
      return;
    }
    switch (name) {
      case 'p':
        this.#paragraph = '';
        break;
      case 'br':
        this.#say('\n');
        break;
      case 'hr':
        this.#shown.writeExactly('---');
        this.#break(2);
        break;
      case 'blockquote':
        this.#quotes += 1;
        this.#shown.open('> ', '> ');
        break;
      case 'ul':
        this.#lists.push({ next: undefined });
        break;
      case 'ol':
        this.#lists.push({ next: listStart(attribute(token, 'start')) });
        break;
      case 'li':
        this.#startItem();
        break;
      case 'x-note':
        this.#notes += 1;
        this.#shown.open(`[^${listStart(attribute(token, 'n'))}]: `, '    ');
        break;
      case 'pre':
        this.#pre = { language: attribute(token, 'lang'), text: '' };
        break;
      case 'code':
        this.#code ??= '';
        break;
      case 'a':
        this.#startLink(attribute(token, 'href'));
        break;
      case 'img':
        this.#say(`![image](${plainAddress(attribute(token, 'src')) ?? ''})`, { exact: true });
        break;
      case 'table':
        this.#tables.startTable();
        break;
      case 'tr':
        this.#tables.startRow();
        break;
      case 'td':
      case 'th':
        this.#tables.startCell();
        break;
    }
  }

  end(name: string): void {
    if (name === 'pre') {
      this.#endPre();
      return;
    }
    if (this.#pre) return;
    if (QUIET_ELEMENTS.has(name)) this.#quiet = Math.max(0, this.#quiet - 1);
    if (MARKS[name]) {
      this.#endMark(name);
      return;
    }
    switch (name) {
      case 'p':
        this.#endParagraph();
        break;
      case 'blockquote':
        if (this.#quotes > 0) this.#shown.close();
        this.#quotes = Math.max(0, this.#quotes - 1);
        break;
      case 'x-note':
        if (this.#notes > 0) this.#shown.close();
        this.#notes = Math.max(0, this.#notes - 1);
        break;
      case 'ul':
      case 'ol':
        this.#lists.pop();
        break;
      case 'li':
        this.#endItem();
        break;
      case 'code':
        this.#endCode();
        break;
      case 'a':
        this.#endLink();
        break;
      case 'td':
      case 'th':
        this.#tables.endCell();
        break;
      case 'tr':
        this.#tables.endRow();
        break;
      case 'table':
        this.#tables.endTable();
        break;
    }
    if (HEADINGS[name]) this.#outline.end('heading');
    const lines = BREAKS[name];
    if (lines !== undefined) this.#break(this.#lists.length > 0 && isList(name) ? 1 : lines);
  }

  #startHeading(depth: number): void {
    this.#shown.writeExactly(`${'#'.repeat(depth)} `);
    this.#outline.start({ kind: 'heading', depth, text: '' }, { isQuoted: this.#quotes > 0 });
  }

  #startItem(): void {
    const list = this.#lists.at(-1);
    const mark = list?.next === undefined ? '- ' : `${list.next}. `;
    if (list?.next !== undefined) list.next += 1;
    this.#break(1);
    this.#shown.open(mark, ' '.repeat(mark.length));
    this.#outline.start({ kind: 'item', text: '' }, { isQuoted: this.#quotes > 0 });
  }

  #endItem(): void {
    if (this.#outline.end('item')) this.#shown.close();
  }

  #endParagraph(): void {
    if (this.#paragraph !== undefined && this.#quiet === 0)
      for (const line of this.#paragraph.split('\n')) this.#paragraphs.push(line.trim());
    this.#paragraph = undefined;
  }

  #startMark(name: string, written: string): void {
    const mark = /^(?:\*{1,2}|_{1,2}|~{1,2})$/.test(written) ? written : (MARKS[name] ?? '');
    const open = this.#marks.get(name);
    if (open) open.push(mark);
    else this.#marks.set(name, [mark]);
    this.#say(mark, { isMark: true });
  }

  #endMark(name: string): void {
    const mark = this.#marks.get(name)?.pop();
    if (mark) this.#say(mark, { isMark: true, exact: true });
  }

  #endPre(): void {
    if (!this.#pre) return;
    const { language, text } = this.#pre;
    this.#pre = undefined;
    this.#quiet = Math.max(0, this.#quiet - 1);
    const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
    this.#say(`${fence}${language}\n${text.replace(/^\n/, '').replace(/\n?$/, '\n')}${fence}`, {
      exact: true,
    });
    this.#break(2);
  }

  #endCode(): void {
    const text = this.#code;
    this.#code = undefined;
    if (text === undefined || text === '') return;
    const fence = '`'.repeat(longestRun(text) + 1);
    const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
    this.#say(`${fence}${pad}${text}${pad}${fence}`, { exact: true });
  }

  #startLink(address: string): void {
    if (this.#link) return;
    const pieces = this.#shown.write('[', true);
    const opening = pieces.at(-1);
    if (!opening) return;
    this.#outline.add(pieces);
    this.#link = { address, opening, pieces: [] };
  }

  /** An address that is its own text is written once. */
  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (!link) return;
    const text = link.pieces.map((piece) => piece.text).join('');
    const address = plainAddress(link.address);
    if (address === undefined) this.#hiddenAddresses += 1;
    if (address && address !== text && address !== `mailto:${text}`)
      this.#say(`](${address})`, { isMark: true, exact: true });
    else link.opening.text = '';
  }
}

function attribute(token: Token.TagToken, name: string): string {
  return token.attrs.find((each) => each.name === name)?.value ?? '';
}

function isList(name: string): boolean {
  return name === 'ul' || name === 'ol';
}

function listStart(written: string): number {
  return /^\d{1,9}$/.test(written) ? Number(written) : 1;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length).slice(0, 10_000));
}

function plainAddress(url: string): string | undefined {
  if (url.length > MAX_ADDRESS) return undefined;
  return removeInvisible(url).text.replace(
    /[\s<>()]/g,
    (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
