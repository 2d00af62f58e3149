import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { readTask } from '../commands/reading/read-task.ts';
import type { Task } from '../core/contracts/task.ts';
import { userError } from '../core/error-catalogue.ts';
import { type CliOptions, usage } from './options.ts';
import { isIssueAddress, readIssue } from './read-issue.ts';
import { readTextFile } from './read-text-file.ts';

const MAX_TASK_BYTES = 1024 * 1024;
const STANDARD_INPUT = 0;

/** The task of a run: a file, standard input (`-`), `--task`, or an issue's address. */
export async function loadTask(options: CliOptions, env: Record<string, string>): Promise<Task> {
  const [source, ...extra] = options.operands;
  if (extra.length > 0) throw usage(`autobuild run takes one task, not also ${extra.join(' ')}.`);
  if (options.task !== undefined) {
    if (source !== undefined) throw usage(`autobuild run takes --task or ${source}, not both.`);
    return understand(options.task, { id: 'task', source: '--task', isOwn: true });
  }
  if (source === undefined)
    throw usage(
      'autobuild run needs a task: a file, - for standard input, --task TEXT, or the address of an issue.',
    );
  if (source === '-')
    return understand(readStandardInput(), { id: 'task', source: 'standard input', isOwn: true });
  if (!isIssueAddress(source)) return understand(readFile(source), { id: idOf(source), source, isOwn: true });
  const read = await readIssue(source, env);
  if (!read.ok) throw userError('task_file_unusable', { file: source, problem: `${read.problem}.` });
  const { title, body, number } = read.issue;
  return understand(body, { id: `issue-${number}`, source, title });
}

function understand(text: string, place: Parameters<typeof readTask>[1]): Task {
  const read = readTask(text, place);
  if (!read.ok) throw userError('task_file_unusable', { file: place.source, problem: read.problem });
  return read.task;
}

function readFile(file: string): string {
  const content = readTextFile(resolve(file), MAX_TASK_BYTES);
  if ('text' in content) return content.text;
  if (content.missing) throw userError('task_file_missing', { file, reason: content.problem });
  throw userError('task_file_unusable', { file, problem: `${content.problem}.` });
}

function readStandardInput(): string {
  const bytes = readFileSync(STANDARD_INPUT);
  if (bytes.length <= MAX_TASK_BYTES) return bytes.toString('utf8');
  const problem = `it has ${bytes.length} bytes, at most ${MAX_TASK_BYTES} are allowed.`;
  throw userError('task_file_unusable', { file: 'standard input', problem });
}

function idOf(file: string): string {
  const id = basename(file)
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100);
  return id || 'task';
}
