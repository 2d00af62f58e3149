/** A start, end or empty-element tag. Text, comments and CDATA are skipped. */
export type XmlTag = { kind: 'open' | 'close' | 'empty'; name: string; attributes: Map<string, string> };

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * The tags of an XML text, in one pass. Other log text around the XML is tolerated. Against entity attacks, only the five
 * predefined entities are decoded, and nothing is yielded after a DOCTYPE.
 */
export function* readXmlTags(text: string): Generator<XmlTag> {
  let at = text.indexOf('<');
  while (at >= 0) {
    const skipped = skipNonTag(text, at);
    if (skipped === undefined) return;
    if (skipped > at) {
      at = text.indexOf('<', skipped);
      continue;
    }
    const end = findTagEnd(text, at + 1);
    if (end < 0) return;
    const tag = parseTag(text.slice(at + 1, end));
    if (tag) yield tag;
    // Continues after the scanned text, because rescanning would be quadratic for stray quotes in a log.
    at = text.indexOf('<', text[end] === '<' ? end : end + 1);
  }
}

/** The position after a comment, CDATA or instruction; `at` itself if a tag starts there; undefined if reading must stop. */
function skipNonTag(text: string, at: number): number | undefined {
  for (const [start, stop] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ] as const) {
    if (!text.startsWith(start, at)) continue;
    const end = text.indexOf(stop, at + start.length);
    return end < 0 ? undefined : end + stop.length;
  }
  return text.startsWith('<!', at) ? undefined : at;
}

const TAG_CHARS = 16_384;

/** The position of the closing `>` outside quotes. The search is bounded, because text in a log may look like an open tag. */
function findTagEnd(text: string, from: number): number {
  let quote = '';
  const limit = Math.min(text.length, from + TAG_CHARS);
  for (let at = from; at < limit; at += 1) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '>' || char === '<') return at;
  }
  return limit < text.length ? limit : -1;
}

function parseTag(body: string): XmlTag | undefined {
  const name = /^\/?([A-Za-z_][\w.:-]{0,99})(?=[\s/]|$)/.exec(body)?.[1];
  if (!name) return undefined;
  if (body.startsWith('/')) return { kind: 'close', name, attributes: new Map() };
  const attributes = new Map<string, string>();
  for (const [, key, double, single] of body.matchAll(
    /\s([A-Za-z_][\w.:-]{0,99})\s?=\s?(?:"([^"]*)"|'([^']*)')/g,
  ))
    attributes.set(key ?? '', decode(double ?? single ?? ''));
  return { kind: body.endsWith('/') ? 'empty' : 'open', name, attributes };
}

function decode(value: string): string {
  return value.replace(/&(lt|gt|amp|quot|apos);/g, (_, entity: string) => ENTITIES[entity] ?? '');
}
