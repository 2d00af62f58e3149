import { onTestFinished } from 'vitest';
import type { ScriptedModel } from './model-servers/scripted-model.ts';

const LAST_CHARS = 6_000;

/** Real programs are slow to try again: the log of a failed test alone has to tell how far things came. */
export function explainFailure(describe: () => string): void {
  onTestFinished(({ task }) => {
    if (task.result?.state === 'fail') process.stderr.write(`${task.name}\n${describe()}\n`);
  });
}

export function describeRequests({ requests, lastRequest }: ScriptedModel): string {
  return `${requests.length} requests to the model, the last one ends with: ${lastRequest().slice(-LAST_CHARS)}`;
}
