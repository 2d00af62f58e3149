import { appendFileSync } from 'node:fs';
import { formatOutput } from '../runner/output/workflow-commands.ts';
import { ActionError } from './action-error.ts';

/** Kept from the `pre` step for the main step. The runner holds it in its memory and gives it to no other action. */
interface StepState {
  nonce: string;
  /** When the job began, in milliseconds. */
  began: number;
}

export function saveStepState(
  file: string | undefined,
  { nonce, began }: StepState,
  newWord: () => string,
): void {
  if (!file)
    throw new ActionError(
      'GITHUB_STATE is not set, so the claim cannot be kept for the main step.',
      'Update the runner: the action needs one that has state files.',
    );
  const text = formatOutput('nonce', nonce, newWord()) + formatOutput('began', String(began), newWord());
  appendFileSync(file, text);
}

/** Empty if there was no `pre` step. The runner has none for an action that is part of the workflow's own repository. */
export function loadStepState(env: Readonly<Record<string, string | undefined>>): Partial<StepState> {
  const began = Number(env.STATE_began);
  return { nonce: env.STATE_nonce || undefined, began: began > 0 ? began : undefined };
}
