import { type Token, Tokenizer, TokenizerMode } from 'parse5';
import { ELEMENTS, PLAIN_ATTRIBUTES, RAW_ELEMENTS, UNSEEN_ELEMENTS, VOID_ELEMENTS } from './html-elements.ts';
import { HtmlWriter } from './html-writer.ts';
import { removeInvisible } from './invisible-characters.ts';
import type { OutlineEntry } from './outline.ts';

export interface Walked {
  text: string;
  outline: OutlineEntry[];
  /** The lines of plain paragraphs that are in no quote, list or folded part. */
  paragraphs: string[];
  /** Parts that nobody sees, and invisible characters. */
  hidden: { parts: number; characters: number };
  /** Names between angles that GitHub takes for unknown tags. They are kept as text. */
  tags: string[];
}

/** More names between angles are not kept, because they are named to the reader. */
const MAX_TAGS = 20;
const NAME_AS_TEXT = /^<[A-Za-z][\w.:]*(?:-[\w.:]+)?(?:\s+[A-Za-z_][\w.]*){0,3}\s*\/?>$/;
const MAX_NAME_AS_TEXT = 60;
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:opacity|font-size)\s*:\s*0|color\s*:\s*(?:transparent|white|#fff)/i;

/** The text that a reader of this HTML sees, written as markdown. One pass, as a browser reads it. */
export function walkHtml(html: string): Walked {
  const walk = new HtmlWalk(html);
  const tokenizer = new Tokenizer({ sourceCodeLocationInfo: true }, walk);
  walk.readRaw = (mode) => {
    tokenizer.state = mode;
  };
  tokenizer.write(html, true);
  return walk.finish();
}

/** Decides which parts of the HTML a reader sees, and passes those on. */
class HtmlWalk {
  /** Tells the tokenizer that the element's content is not markup. */
  readRaw: (mode: typeof Tokenizer.prototype.state) => void = () => undefined;
  readonly #html: string;
  readonly #lower: string;
  readonly #writer = new HtmlWriter();
  readonly #tags = new Set<string>();
  readonly #tagNames = new Set<string>();
  readonly #lastClose = new Map<string, number>();
  readonly #hidden = { parts: 0, characters: 0 };
  /** The element that hides everything in it, and how many of its name are open. */
  #hiding: { name: string; depth: number } | undefined;
  /** Text up to the next tag, because the tokenizer passes on words and white space one by one. */
  #text = '';
  #isOver = false;

  constructor(html: string) {
    this.#html = html;
    this.#lower = html.toLowerCase();
  }

  finish(): Walked {
    if (!this.#isOver) this.#hidden.parts += 1;
    this.#writeText();
    const { hiddenAddresses, ...written } = this.#writer.finish();
    this.#hidden.parts += hiddenAddresses;
    return { ...written, hidden: this.#hidden, tags: [...this.#tags] };
  }

  onComment(): void {
    if (!this.#hiding) this.#hidden.parts += 1;
  }

  onDoctype(): void {
    this.onComment();
  }

  onEof(): void {
    this.#isOver = true;
  }

  onNullCharacter(): void {
    this.#hidden.characters += 1;
  }

  onWhitespaceCharacter({ chars }: Token.CharacterToken): void {
    if (!this.#hiding) this.#text += chars;
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (!this.#hiding) this.#text += chars;
  }

  #writeText(): void {
    if (this.#text === '') return;
    const { text, removed } = removeInvisible(this.#text);
    this.#text = '';
    this.#hidden.characters += removed;
    this.#writer.write(text);
  }

  onStartTag(token: Token.TagToken): void {
    const { tagName: name } = token;
    this.#writeText();
    if (this.#hiding) {
      if (this.#hiding.name === name && !VOID_ELEMENTS.has(name)) this.#hiding.depth += 1;
      return;
    }
    if (this.#hides(token)) {
      this.#hidden.parts += 1;
      this.#hiding = { name, depth: 1 };
      if (RAW_ELEMENTS.has(name)) this.readRaw(TokenizerMode.RAWTEXT);
      return;
    }
    if (this.#isText(token)) {
      this.#sayTag(token);
      return;
    }
    if (token.attrs.some((attribute) => !PLAIN_ATTRIBUTES.has(attribute.name) && attribute.value !== ''))
      this.#hidden.parts += 1;
    this.#writer.start(name, token);
  }

  onEndTag(token: Token.TagToken): void {
    const { tagName: name } = token;
    this.#writeText();
    if (this.#hiding) {
      if (this.#hiding.name === name) this.#hiding.depth -= 1;
      if (this.#hiding.depth === 0) this.#hiding = undefined;
      return;
    }
    if (this.#tagNames.size > 0) {
      const written = this.#written(token);
      if (this.#tagNames.has(written.slice(2).replace(/\s*>$/, ''))) {
        this.#writer.write(written, { exact: true });
        return;
      }
    }
    if (!ELEMENTS.has(name) || token.attrs.length > 0) this.#hidden.parts += 1;
    if (ELEMENTS.has(name)) this.#writer.end(name);
  }

  #hides({ tagName: name, attrs, location }: Token.TagToken): boolean {
    if (VOID_ELEMENTS.has(name)) return false;
    if (RAW_ELEMENTS.has(name)) return this.#isClosedLater(name, location?.endOffset ?? 0);
    if (UNSEEN_ELEMENTS.has(name)) return true;
    return attrs.some(
      (attribute) =>
        attribute.name === 'hidden' || (attribute.name === 'style' && HIDING_STYLE.test(attribute.value)),
    );
  }

  /** Searches for each name once from behind, because searching after every tag would be quadratic. */
  #isClosedLater(name: string, from: number): boolean {
    const last = this.#lastClose.get(name) ?? this.#lower.lastIndexOf(`</${name}`);
    this.#lastClose.set(name, last);
    return last >= from;
  }

  /** `<Button>` and `List<A>` are code that somebody forgot to mark; `<DIV>` is HTML. */
  #isText(token: Token.TagToken): boolean {
    if (!ELEMENTS.has(token.tagName) || RAW_ELEMENTS.has(token.tagName)) return true;
    const at = token.location?.startOffset ?? 0;
    return isCapital(this.#html, at + 1) && !isCapital(this.#html, at + 2);
  }

  #written({ location }: Token.TagToken): string {
    return this.#html.slice(location?.startOffset, location?.endOffset);
  }

  #sayTag(token: Token.TagToken): void {
    const whole = this.#written(token);
    const name = /^<([^\s/>]*)/.exec(whole)?.[1] ?? '';
    const isShort = whole.length <= MAX_NAME_AS_TEXT && NAME_AS_TEXT.test(whole);
    const written = isShort ? whole : `<${name}>`;
    const fits = written.length <= MAX_NAME_AS_TEXT && NAME_AS_TEXT.test(written);
    if (!isShort) this.#hidden.parts += 1;
    if (!fits || (!this.#tags.has(written) && this.#tags.size >= MAX_TAGS)) {
      if (isShort) this.#hidden.parts += 1;
      return;
    }
    this.#tags.add(written);
    this.#tagNames.add(name);
    this.#writer.write(written, { exact: true });
  }
}

function isCapital(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 65 && code <= 90;
}
