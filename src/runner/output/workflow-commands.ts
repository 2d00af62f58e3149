import { createSecretHider } from '../../core/secrets/hide-secrets.ts';
import { secretForms } from '../../core/secrets/secret-forms.ts';

/** Shorter values are not masked, because that would mask many ordinary words in the log. */
const MIN_MASKED = 4;
const MAX_LINE = 4_096;
const MAX_LOG_CHARACTERS = 20 * 1024 * 1024;

const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
/** Control, zero-width and bidirectional characters, except the tab. Without ESC, escape sequences have no effect. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** The log of an Actions step. Only this process can issue workflow commands in it, whatever text is printed. */
export interface ActionLog {
  /** For untrusted text: the agent's, the repository's, or text that quotes either. */
  print(text: string): void;
  group(title: string): void;
  endGroup(): void;
  /** Hides the value, also in its usual encodings, in everything printed from now on. */
  mask(value: string): void;
  /** The text without the values that are masked, for other places than the log. */
  hide(text: string): string;
  annotate(level: 'error' | 'warning' | 'notice', text: string): void;
  /** Enables workflow commands again, for the steps after this one. */
  close(): void;
}

/**
 * The runner treats a line as a command if it begins with `::` after blanks, or contains `##[`. There are two defences: no
 * printed line has either, and `stop-commands` disables all commands until a token that only this process knows.
 */
export function createActionLog(write: (text: string) => void, newToken: () => string): ActionLog {
  let token: string | undefined;
  let grouped = false;
  let left = MAX_LOG_CHARACTERS;
  const masked = new Set<string>();
  /** The runner masks a value only as it is written, not with other characters in between. */
  let hider = createSecretHider(masked);
  const resumeCommands = () => (token === undefined ? '' : `::${token}::\n`);
  const stopCommands = () => {
    token = newToken();
    return `::stop-commands::${token}\n`;
  };
  /** One write, so that no other output gets between enabling and disabling commands. */
  const command = (...lines: string[]) => {
    if (lines.length > 0)
      write(`${resumeCommands()}${lines.map((line) => `${line}\n`).join('')}${stopCommands()}`);
  };
  write(stopCommands());
  return {
    print(text) {
      if (left <= 0) return;
      const lines = neutralise(hider.hide(text));
      left -= lines.reduce((sum, line) => sum + line.length, 0);
      write(lines.map((line) => `${line}\n`).join(''));
      if (left <= 0) write('The rest is not shown: the log is full.\n');
    },
    group(title) {
      command(...(grouped ? ['::endgroup::'] : []), `::group::${escapeData(oneLine(hider.hide(title)))}`);
      grouped = true;
    },
    endGroup() {
      if (grouped) command('::endgroup::');
      grouped = false;
    },
    hide: (text) => hider.hide(text),
    mask(value) {
      masked.add(value);
      hider = createSecretHider(masked);
      // The runner masks line by line, so each line of a value needs its own mask.
      const forms = secretForms(value, { shortest: MIN_MASKED, shortestLine: MIN_MASKED });
      command(...forms.map((form) => `::add-mask::${escapeData(form)}`));
    },
    annotate(level, text) {
      command(
        `::${level} title=Autobuild::${escapeData(cutTo(hider.hide(text).replace(CONTROL, ''), MAX_LINE))}`,
      );
    },
    close() {
      write(`${resumeCommands()}${grouped ? '::endgroup::\n' : ''}`);
      token = undefined;
      grouped = false;
    },
  };
}

/** Prefixes each line with a bar, so that no version of the runner treats it as a command. */
function neutralise(text: string): string[] {
  const lines = text.split(LINE_BREAK);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `│ ${cutTo(line.replace(CONTROL, ''), MAX_LINE).replaceAll('##[', '## [')}`);
}

/** A line for `GITHUB_OUTPUT`. The delimiter is removed from the value, because it would end the value early. */
export function formatOutput(name: string, value: string, delimiter: string): string {
  return `${name}<<${delimiter}\n${oneLine(value).replaceAll(delimiter, '')}\n${delimiter}\n`;
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
