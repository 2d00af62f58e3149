import { StringDecoder } from 'node:string_decoder';
import { EMPTY_LINE, editLine, readKeys, type TypedLine, textOf } from './line-editor.ts';

/** A terminal that supports it marks the beginning and the end of a paste. Others ignore this. */
const MARK_PASTES = '\x1b[?2004h';
const MARK_NO_PASTES = '\x1b[?2004l';
const LINES_KEPT = 20;

/** The line that is typed while the agent works. */
export interface LiveInput {
  /** Undefined while nothing is read. */
  line(): TypedLine | undefined;
  onLine(handler: (line: string) => void): void;
  onChange(handler: () => void): void;
  /** Reads what is typed from now on. */
  open(): void;
  /** Stops reading. Returns what was typed but not sent. */
  pause(): string;
  close(): void;
}

export function createLiveInput(
  input: NodeJS.ReadStream,
  output: NodeJS.WritableStream,
  onInterrupt: () => void,
): LiveInput {
  let line = EMPTY_LINE;
  let unread = '';
  let isOpen = false;
  let isClosed = false;
  let decoder = new StringDecoder('utf8');
  let send: ((line: string) => void) | undefined;
  let changed: (() => void) | undefined;
  /** Lines that came before anybody could take them. */
  const waiting: string[] = [];

  function receive(chunk: Buffer): void {
    const { keys, rest } = readKeys(unread + decoder.write(chunk));
    unread = rest;
    for (const key of keys) {
      const edited = editLine(line, key);
      line = edited.line;
      if (edited.key === 'interrupt') onInterrupt();
      if (edited.key === 'enter') {
        const text = textOf(line);
        line = EMPTY_LINE;
        if (send) send(text);
        else if (waiting.length < LINES_KEPT) waiting.push(text);
      }
    }
    changed?.();
  }

  function pause(): string {
    if (!isOpen) return '';
    isOpen = false;
    input.off('data', receive);
    output.write(MARK_NO_PASTES);
    input.setRawMode(false);
    input.pause();
    const typed = textOf(line);
    line = EMPTY_LINE;
    unread = '';
    decoder = new StringDecoder('utf8');
    return typed;
  }

  return {
    line: () => (isOpen ? line : undefined),
    onLine(handler) {
      send = handler;
      for (const text of waiting.splice(0)) handler(text);
    },
    onChange(handler) {
      changed = handler;
    },
    open() {
      if (isOpen || isClosed || input.readableEnded || input.destroyed) return;
      isOpen = true;
      input.setRawMode(true);
      output.write(MARK_PASTES);
      input.on('data', receive);
      input.resume();
    },
    pause,
    close() {
      isClosed = true;
      pause();
    },
  };
}
