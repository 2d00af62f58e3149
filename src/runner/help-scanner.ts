import { MAX_HELP_CHARS } from '../core/help-request.ts';

const OPEN = '<<<NEED_HELP>>>';
const CLOSE = '<<<END_HELP>>>';

export type HelpBlock = { text: string; closed: boolean };
export type HelpScanner = { feed(text: string): void; end(): void };

/**
 * Finds help blocks in text that comes in any pieces. A block that is not closed (the stream ended, it grew
 * over the cap, another one began) is delivered too, so that nothing the agent asked is lost.
 */
export function createHelpScanner(onBlock: (block: HelpBlock) => void): HelpScanner {
  /** The end of what was fed, when it may be the beginning of a marker. */
  let pending = '';
  /** The text of the open block. */
  let body: string | undefined;

  function deliver(text: string, closed: boolean): void {
    body = undefined;
    onBlock({ text, closed });
  }

  /** Takes one step through the text and returns what is left, or undefined when more text is needed. */
  function step(text: string): string | undefined {
    const open = text.indexOf(OPEN);
    if (body === undefined) {
      if (open === -1) {
        pending = markerStart(text);
        return undefined;
      }
      body = '';
      return text.slice(open + OPEN.length);
    }
    const close = text.indexOf(CLOSE);
    const found = close === -1 ? open : open === -1 ? close : Math.min(open, close);
    const certain = found === -1 ? text.length - markerStart(text).length : found;
    const room = MAX_HELP_CHARS - body.length;
    if (certain > room) {
      deliver(body + text.slice(0, room), false);
      return text.slice(room);
    }
    body += text.slice(0, certain);
    if (found === -1) {
      pending = text.slice(certain);
      return undefined;
    }
    deliver(body, found === close);
    // Another block's opening marker is left where it is: the next step finds it.
    return found === close ? text.slice(found + CLOSE.length) : text.slice(found);
  }

  return {
    feed(text) {
      if (body === undefined && pending === '' && !text.includes('<')) return;
      let rest: string | undefined = pending + text;
      pending = '';
      while (rest !== undefined) rest = step(rest);
    },
    end() {
      if (body !== undefined) deliver(body + pending, false);
      pending = '';
    },
  };
}

/** The longest end of the text that is the beginning of a marker. */
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
