import { MAX_HELP_CHARS } from '../../core/contracts/agent/help-request.ts';

const OPEN = '<<<NEED_HELP>>>';
const CLOSE = '<<<END_HELP>>>';

export type HelpBlock = { text: string; closed: boolean };
type HelpScanner = {
  feed(text: string): void;
  /** The end of a message: the next text begins on a line of its own. */
  end(): void;
};

/** Returns the index of a marker in the text, or -1. */
type FindMarker = (text: string, marker: string, from: number) => number;

interface ScannerOptions {
  /** A marker within a line is a mention, not a call for help. */
  onMention?: () => void;
  /** A parameter so that a test can count how much text is searched. */
  find?: FindMarker;
}

/** True when the text contains the beginning of a help block. */
export function mentionsHelp(text: string): boolean {
  return text.includes(OPEN);
}

/**
 * Finds help blocks in text that arrives in arbitrary pieces. A block begins at the start of its line. If it is not
 * closed (the message ended, it grew over the cap, another one began), it is delivered too, so that no request of the agent
 * is lost.
 */
export function createHelpScanner(
  onBlock: (block: HelpBlock) => void,
  { onMention, find = (text, marker, from) => text.indexOf(marker, from) }: ScannerOptions = {},
): HelpScanner {
  /** The end of the text fed so far, if it may be the beginning of a marker. */
  let pending = '';
  /** The text of the open block. */
  let body: string | undefined;
  /** True when the line before `pending` has only white space so far. */
  let isLineStart = true;

  function deliver(text: string, closed: boolean): void {
    body = undefined;
    onBlock({ text, closed });
  }

  function scan(text: string): void {
    const opens = createMarkerSearch(text, OPEN, find);
    const closes = createMarkerSearch(text, CLOSE, find);
    /** Text from here on may be the beginning of a marker, and is kept until more text arrives. */
    const certain = text.length - markerStart(text).length;
    const beginsLine = (at: number): boolean => {
      let before = at - 1;
      while (text[before] === ' ' || text[before] === '\t') before -= 1;
      return before < 0 ? isLineStart : text[before] === '\n' || text[before] === '\r';
    };
    /** The first opening marker from here on that begins its line. */
    const nextOpen = (from: number, mentioned?: () => void): number | undefined => {
      let open = opens.next(from);
      while (open !== undefined && !beginsLine(open)) {
        mentioned?.();
        open = opens.next(open + OPEN.length);
      }
      return open;
    };
    let at = 0;
    for (;;) {
      if (body === undefined) {
        const open = nextOpen(at, onMention);
        if (open === undefined) break;
        body = '';
        at = open + OPEN.length;
        continue;
      }
      const open = nextOpen(at);
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
    const kept = Math.max(at, certain);
    isLineStart = endsBlank(text.slice(0, kept), isLineStart);
    pending = text.slice(kept);
  }

  return {
    feed(text) {
      if (body !== undefined || pending !== '' || text.includes('<')) scan(pending + text);
      else isLineStart = endsBlank(text, isLineStart);
    },
    end() {
      if (body !== undefined) deliver(body + pending, false);
      pending = '';
      isLineStart = true;
    },
  };
}

/** Whether the last line of the text has only white space, if the line it continues has. */
function endsBlank(text: string, before: boolean): boolean {
  const newline = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  return text.slice(newline + 1).trim() === '' && (newline >= 0 || before);
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
