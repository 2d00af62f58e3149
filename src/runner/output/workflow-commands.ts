import { secretForms } from '../../core/secrets/secret-forms.ts';

/** Shorter values are no secrets, and hiding them would hide every other word of the log. */
const MIN_MASKED = 4;
const MAX_LINE = 4_096;
const MAX_LOG_CHARACTERS = 20 * 1024 * 1024;

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** All but the tab; escape sequences lose their effect with their first character. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The log of an Actions step. Commands in it are ours alone, whatever else is printed. */
export interface ActionLog {
  /** Text of the agent, of the repository, or with either of them in it. */
  print(text: string): void;
  group(title: string): void;
  endGroup(): void;
  /** Hides the value in everything that is printed from now on, also in the usual encodings. */
  mask(value: string): void;
  annotate(level: 'error' | 'warning' | 'notice', text: string): void;
  /** Lets commands through again: for the steps after this one. */
  close(): void;
}

/**
 * The runner takes a line for a command when it begins with `::` after blanks, or holds `##[` anywhere. Two walls: no printed
 * line has either, and the runner is told to listen to nothing but a word that only this process knows.
 */
export function createActionLog(write: (text: string) => void, newWord: () => string): ActionLog {
  let word: string | undefined;
  let grouped = false;
  let left = MAX_LOG_CHARACTERS;
  const listen = () => (word === undefined ? '' : `::${word}::\n`);
  const deafen = () => {
    word = newWord();
    return `::stop-commands::${word}\n`;
  };
  /** One write, so that nothing comes between. */
  const command = (...lines: string[]) => {
    if (lines.length > 0) write(`${listen()}${lines.map((line) => `${line}\n`).join('')}${deafen()}`);
  };
  write(deafen());
  return {
    print(text) {
      if (left <= 0) return;
      const lines = neutralise(text);
      left -= lines.reduce((sum, line) => sum + line.length, 0);
      write(lines.map((line) => `${line}\n`).join(''));
      if (left <= 0) write('The rest is not shown: the log is full.\n');
    },
    group(title) {
      command(...(grouped ? ['::endgroup::'] : []), `::group::${escapeData(oneLine(title))}`);
      grouped = true;
    },
    endGroup() {
      if (grouped) command('::endgroup::');
      grouped = false;
    },
    mask(value) {
      // The runner hides line by line.
      const forms = secretForms(value, { shortest: MIN_MASKED, shortestLine: MIN_MASKED });
      command(...forms.map((form) => `::add-mask::${escapeData(form)}`));
    },
    annotate(level, text) {
      command(`::${level} title=Autobuild::${escapeData(cutTo(text.replace(CONTROL, ''), MAX_LINE))}`);
    },
    close() {
      write(`${listen()}${grouped ? '::endgroup::\n' : ''}`);
      word = undefined;
      grouped = false;
    },
  };
}

/** Lines that no version of the runner takes for a command: each begins with a bar. */
function neutralise(text: string): string[] {
  const lines = text.split(LINE_BREAK);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `│ ${cutTo(line.replace(CONTROL, ''), MAX_LINE).replaceAll('##[', '## [')}`);
}

/** For `GITHUB_OUTPUT`; the word must not occur in the value. */
export function formatOutput(name: string, value: string, word: string): string {
  return `${name}<<${word}\n${oneLine(value).replaceAll(word, '')}\n${word}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function oneLine(text: string): string {
  return cutTo(text.split(LINE_BREAK).join(' ').replace(CONTROL, ''), MAX_LINE);
}

function cutTo(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
