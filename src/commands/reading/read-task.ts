import { Task } from '../../core/contracts/task.ts';
import { readFrontMatter } from './front-matter.ts';
import { removeInvisible } from './invisible-characters.ts';
import { readSections } from './task-sections.ts';
import { readVisibleText } from './visible-text.ts';

const MAX_BYTES = 262_144;
const MAX_FIRST_LINE = 100;
const MAX_TITLE = 300;

type ReadTask = { ok: true; task: Task } | { ok: false; problem: string };

interface TaskPlace {
  id: string;
  source: string;
  /** The title of an issue, which is never markup. If the body is empty, it is the whole task. */
  title?: string;
  /** True for a file of the person who starts the run: nothing that is written in it is hidden from its author. */
  isOwn?: boolean;
}

/** Reads an issue's text as people see it on GitHub, or a task file. `task.hidden` counts what was removed. */
export function readTask(text: string, place: TaskPlace): ReadTask {
  const { id, source, title: beside = '', isOwn = false } = place;
  const content = text || beside;
  const unfit = checkText(content);
  if (unfit) return { ok: false, problem: unfit };
  const { text: clean, removed } = removeInvisible(content.replace(/\r\n?/g, '\n'));
  const front = readFrontMatter(clean);
  if ('problem' in front) return { ok: false, problem: front.problem };
  const visible = readVisibleText(front.body);
  if ('problem' in visible) return { ok: false, problem: visible.problem };
  const body = isOwn ? front.body.trim() : visible.text;
  const sections = readSections(visible.outline);
  const own = pickTitle([front.title, sections.title, firstLine(visible.text)]);
  if (own.text === '')
    return {
      ok: false,
      problem: 'The task is empty: nothing of it shows when rendered. Write what to build.',
    };
  const given = pickTitle([beside]);
  const title = given.text === '' ? own : given;
  // If the title is the whole task, its characters were counted twice.
  const inTitles = (text === '' ? 0 : given.removed) + (title === own ? own.removed : 0);
  const characters = removed + inTitles + (isOwn ? 0 : visible.hidden.characters);
  const hidden = isOwn
    ? { parts: 0, characters, tags: [] }
    : { parts: visible.hidden.parts, characters, tags: visible.tags };
  const task = Task.safeParse({
    id,
    title: title.text,
    body,
    acceptance_criteria: sections.acceptanceCriteria,
    scope: front.scope ?? sections.scope,
    source,
    ...(hidden.parts + hidden.characters + hidden.tags.length > 0 ? { hidden } : {}),
  });
  if (task.success) return { ok: true, task: task.data };
  const [issue] = task.error.issues;
  return { ok: false, problem: `The task's ${issue?.path.join('.')} is invalid: ${issue?.message}.` };
}

function checkText(text: string): string | undefined {
  if (text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES)
    return `The task is larger than ${MAX_BYTES / 1024} KiB: shorten it, and put long material into files of the repository.`;
  if (text.trim() === '') return 'The task is empty: write what to build.';
  const control = text.match(/[\u0001-\u0008\u000e-\u001f\u007f\ufffd]/g)?.length ?? 0;
  if (text.includes('\u0000') || control > text.length / 10)
    return 'The task is not text: it looks like a binary file. Give a Markdown or plain text file in UTF-8.';
  return undefined;
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
