import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanText } from '../../comments/text/clean-text.ts';
import { userError } from '../../core/error-catalogue.ts';
import { writeInside } from '../../runner/disk/write-inside.ts';
import { openUserGit } from '../user-git.ts';

const SHOWN_LINES = 60;
const LINE_CHARS = 300;

/** A file that `init` wants, and what is there. */
export interface PlannedFile {
  path: string;
  text: string;
  /** The text that is there. Undefined if there is no such file; `unreadable` if it is no plain text file. */
  present?: { text: string } | 'unreadable';
}

type Fate = 'written' | 'replaced' | 'unchanged' | 'kept';

export function fateOf({ text, present }: PlannedFile, force: boolean): Fate {
  if (present === undefined) return 'written';
  if (present !== 'unreadable' && plainLines(present.text) === text) return 'unchanged';
  return force ? 'replaced' : 'kept';
}

/** Some editors, and git on Windows, write other line ends and a byte order mark. GitHub reads the same in them. */
function plainLines(text: string): string {
  return text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
}

export async function writeFiles(top: string, files: readonly PlannedFile[]): Promise<void> {
  for (const { path, text } of files) {
    try {
      await writeInside(top, path, { bytes: Buffer.from(text), mode: 0o644 });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Whatever the system refuses is for the user to fix. Anything else is a bug.
      if (code === undefined && !/symbolic link|not a directory/.test(message)) throw error;
      throw userError('file_not_written', { path, directory: top, problem: message });
    }
  }
}

/** The lines that differ, as git shows them, from what is there to what `init` would write. */
export async function describeDifference(
  { path, text, present }: PlannedFile,
  env: Record<string, string>,
): Promise<string[]> {
  if (present === undefined || present === 'unreadable') return [];
  const directory = mkdtempSync(join(tmpdir(), 'autobuild-init-'));
  try {
    writeFileSync(join(directory, 'there'), plainLines(present.text));
    writeFileSync(join(directory, 'new'), text);
    // git ends with 1 where files differ, which is no failure here.
    await openUserGit(env).run(
      directory,
      ...['diff', '--no-index', '--no-color', '--no-ext-diff', '-U1', '--output=difference', 'there', 'new'],
    );
    return shorten(path, readFileSync(join(directory, 'difference'), 'utf8'));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function shorten(path: string, printed: string): string[] {
  const lines = printed.split('\n').filter((line) => /^[-+ @]/.test(line) && !/^(?:---|\+\+\+) /.test(line));
  const more = lines.length - SHOWN_LINES;
  return [
    `  --- ${path} as it is`,
    `  +++ ${path} as init would write it`,
    ...lines.slice(0, SHOWN_LINES).map((line) => `  ${cleanText(line, LINE_CHARS)}`),
    ...(more > 0 ? [`  … and ${more} more lines`] : []),
  ];
}
