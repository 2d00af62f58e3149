import { Task } from '../../core/contracts/task.ts';
import { readFrontMatter } from './front-matter.ts';
import { removeInvisible } from './invisible-characters.ts';
import { readSections } from './task-sections.ts';
import { findVisibleText, type VisibleText } from './visible-text.ts';

const MAX_BYTES = 262_144;
const MAX_FIRST_LINE = 100;
const MAX_TITLE = 300;

/** `hidden_characters` counts the invisible characters that were removed, because people should be told. */
type ReadTask = { ok: true; task: Task; hidden_characters: number } | { ok: false; problem: string };

/**
 * Reads a task file or an issue's body as people see it. Text that is not rendered is not part of the task. An issue
 * also has a title, which is never markup. If the body is empty, the title is the whole task.
 */
export function readTask(
  text: string,
  { id, source, title: beside = '' }: { id: string; source: string; title?: string },
): ReadTask {
  const content = text || beside;
  const unfit = checkText(content);
  if (unfit) return { ok: false, problem: unfit };
  const { text: clean, removed } = removeInvisible(content.replace(/\r\n?/g, '\n'));
  const front = readFrontMatter(clean);
  if ('problem' in front) return { ok: false, problem: front.problem };
  const visible = findVisibleTextSafely(front.body);
  if ('problem' in visible) return { ok: false, problem: visible.problem };
  const body = visible
    .show(0, front.body.length)
    .replace(/\n[ \t]*(?:\n[ \t]*){2,}/g, '\n\n')
    .trim();
  const sections = readSections(visible);
  const own = pickTitle([front.title, sections.title, firstLine(body)]);
  if (own.text === '')
    return {
      ok: false,
      problem: 'The task is empty: nothing in it is shown when it is rendered. Write what to build.',
    };
  const given = pickTitle([beside]);
  const title = given.text === '' ? own : given;
  const task = Task.safeParse({
    id,
    title: title.text,
    body,
    acceptance_criteria: sections.acceptanceCriteria,
    scope: front.scope ?? sections.scope,
    source,
  });
  // If the title is the whole task, its characters were counted twice.
  const inTitles = (text === '' ? 0 : given.removed) + (title === own ? own.removed : 0);
  if (task.success) return { ok: true, task: task.data, hidden_characters: removed + inTitles };
  const [issue] = task.error.issues;
  return { ok: false, problem: `The task's ${issue?.path.join('.')} is not possible: ${issue?.message}.` };
}

function checkText(text: string): string | undefined {
  if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES)
    return `The task has more than ${MAX_BYTES / 1024} KiB: shorten it, and put long material in files of the repository.`;
  if (text.trim() === '') return 'The task is empty: write what to build.';
  const control = text.match(/[\u0001-\u0008\u000e-\u001f\u007f\ufffd]/g)?.length ?? 0;
  if (text.includes('\u0000') || control > text.length / 10)
    return 'The task is not text: it looks like a binary file. Give a Markdown or plain text file in UTF-8.';
  return undefined;
}

/** Deeply nested footnotes overflow the parser's stack. */
function findVisibleTextSafely(body: string): VisibleText | { problem: string } {
  try {
    return findVisibleText(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return {
      problem: 'The text is nested too deep to be read: take some levels of quotes, lists or footnotes out.',
    };
  }
}

/** The first title with visible text. An escape in YAML or an entity in HTML can produce an invisible character. */
function pickTitle(titles: readonly (string | undefined)[]): { text: string; removed: number } {
  let removed = 0;
  for (const title of titles) {
    const clean = removeInvisible(title ?? '');
    removed += clean.removed;
    const text = cut(clean.text.replace(/\s+/g, ' ').trim(), MAX_TITLE);
    if (text !== '') return { text, removed };
  }
  return { text: '', removed };
}

function firstLine(body: string): string {
  const lines = body.split('\n').map((line) => line.replace(/^[\s#>*+-]+/, '').trim());
  return cut(lines.find((line) => line !== '') ?? '', MAX_FIRST_LINE);
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return Array.from(text).slice(0, length).join('').trim();
}
