/** Markup that `html` has made. Nothing else is sent as markup, so every other value is escaped. */
export class Html {
  readonly #text: string;
  constructor(made: typeof MADE_HERE, text: string) {
    if (made !== MADE_HERE) throw new TypeError('Only html`…` makes markup.');
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

const MADE_HERE = Symbol('made by html`…`');

export type HtmlValue = Html | string | number | undefined | null | false | readonly HtmlValue[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** A template whose values are escaped, for text and for attributes in quotes. Nothing, `null` and `false` are left out. */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += show(value) + (strings[index + 1] ?? '');
  return new Html(MADE_HERE, text);
}

function show(value: HtmlValue): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(show).join('');
  return String(value).replace(/[&<>"'`]/g, (character) => ESCAPES[character] ?? character);
}

/** Text of our own files that is markup already, such as the style sheet. Never for a value from outside. */
export function ownMarkup(text: string): Html {
  return new Html(MADE_HERE, text);
}
