import { MAX_HELP_CHARS } from '../../core/contracts/agent/help-request.ts';

const OPEN = '<<<NEED_HELP>>>';
const CLOSE = '<<<END_HELP>>>';

export type HelpBlock = { text: string; closed: boolean };
type HelpScanner = { feed(text: string): void; end(): void };

/** Returns the index of a marker in the text, or -1. */
type FindMarker = (text: string, marker: string, from: number) => number;

/**
 * Finds help blocks in text that arrives in arbitrary pieces. A block that is not closed (the stream ended, it grew
 * over the cap, another one began) is delivered too, so that no request of the agent is lost.
 * `find` is a parameter so that a test can count how much text is searched.
 */
export function createHelpScanner(
  onBlock: (block: HelpBlock) => void,
  find: FindMarker = (text, marker, from) => text.indexOf(marker, from),
): HelpScanner {
  /** The end of the text fed so far, if it may be the beginning of a marker. */
  let pending = '';
  /** The text of the open block. */
  let body: string | undefined;

  function deliver(text: string, closed: boolean): void {
    body = undefined;
    onBlock({ text, closed });
  }

  function scan(text: string): void {
    const opens = createMarkerSearch(text, OPEN, find);
    const closes = createMarkerSearch(text, CLOSE, find);
    /** Text from here on may be the beginning of a marker, and is kept until more text arrives. */
    const certain = text.length - markerStart(text).length;
    let at = 0;
    for (;;) {
      const open = opens.next(at);
      if (body === undefined) {
        if (open === undefined) break;
        body = '';
        at = open + OPEN.length;
        continue;
      }
      const close = closes.next(at);
      const found = Math.min(open ?? text.length, close ?? text.length);
      const until = Math.max(at, Math.min(found, certain));
      const room = MAX_HELP_CHARS - body.length;
      if (until - at > room) {
        deliver(body + text.slice(at, at + room), false);
        at += room;
        continue;
      }
      body += text.slice(at, until);
      at = until;
      if (found === text.length) break;
      // Another block's opening marker is not skipped, because the next round must find it.
      if (found === close) at += CLOSE.length;
      deliver(body, found === close);
    }
    pending = text.slice(Math.max(at, certain));
  }

  return {
    feed(text) {
      if (body === undefined && pending === '' && !text.includes('<')) return;
      scan(pending + text);
    },
    end() {
      if (body !== undefined) deliver(body + pending, false);
      pending = '';
    },
  };
}

/** Caches the last hit, so that each part of the text is searched once. Searching after every marker would be quadratic. */
function createMarkerSearch(text: string, marker: string, find: FindMarker) {
  let last = -1;
  return {
    /** The first marker at or after `from`, which never decreases. */
    next(from: number): number | undefined {
      if (last < from) {
        const index = find(text, marker, from);
        last = index === -1 ? Number.POSITIVE_INFINITY : index;
      }
      return Number.isFinite(last) ? last : undefined;
    },
  };
}

/** The longest suffix of the text that is a prefix of a marker. */
function markerStart(text: string): string {
  const from =
    text.lastIndexOf('<<<') !== -1 || text.endsWith('<') ? Math.max(0, text.length - OPEN.length + 1) : -1;
  if (from === -1) return '';
  for (let at = from; at < text.length; at++) {
    const end = text.slice(at);
    if (OPEN.startsWith(end) || CLOSE.startsWith(end)) return end;
  }
  return '';
}
