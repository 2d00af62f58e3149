import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod';
import { DispatchInputs } from '../core/ports/dispatch.ts';
import { ActionError } from './action-error.ts';

/** The inputs of a dispatch have at most 65,535 characters. The rest of the event describes the repository. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;
const TEMPLATE = 'Start it by label, and keep the inputs of the workflow as `autobuild init` wrote them.';

/** Reads the inputs by which the App started this workflow. They come from the event file only. */
export function readDispatch(eventPath: string | undefined): DispatchInputs {
  if (!eventPath)
    throw new ActionError(
      'GITHUB_EVENT_PATH is not set, so there is no event to work on.',
      'This program is an action: run it in a GitHub Actions workflow.',
    );
  const event = z
    .object({ inputs: z.record(z.string(), z.unknown()).nullish() })
    .safeParse(readEvent(eventPath));
  if (!event.success || !event.data.inputs)
    throw new ActionError('The workflow was not started by workflow_dispatch with inputs.', TEMPLATE);
  const inputs = DispatchInputs.safeParse(event.data.inputs);
  if (inputs.success) return inputs.data;
  // Shows names only, because one of the values is the ticket.
  const names = [...new Set(inputs.error.issues.map((issue) => String(issue.path[0])))];
  throw new ActionError(
    `These inputs of the dispatch are missing or not valid: ${names.join(', ')}.`,
    TEMPLATE,
  );
}

function readEvent(file: string): unknown {
  try {
    if (statSync(file).size > MAX_EVENT_BYTES) throw new Error(`it has more than ${MAX_EVENT_BYTES} bytes`);
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A parser's message quotes the text, which contains the ticket.
    const why = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message;
    throw new ActionError(`The event file ${file} cannot be read: ${why}.`, TEMPLATE);
  }
}
