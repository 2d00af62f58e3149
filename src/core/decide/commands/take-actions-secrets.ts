import type { ActionsSecret } from '../../contracts/actions-secret.ts';
import type { InputRef } from '../../contracts/command.ts';
import type { Escalation } from '../../contracts/escalation.ts';
import type { HelpInput } from '../../contracts/help-request.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { Rules } from '../../contracts/rules.ts';
import type { RunState } from '../../contracts/run-state.ts';
import { type Decision, refuse } from '../decision.ts';
import { stillMissing } from '../refusals.ts';
import { type ResumeOptions, resumeRun } from './resume-run.ts';

/** P-9: `/continue` while nothing but secrets is missing says that they are in Actions secrets. */
export function takeActionsSecrets(
  state: RunState,
  pending: Escalation,
  input: CommandInput,
  rules: Rules,
  { missing, ...options }: ResumeOptions & { missing: HelpInput[] },
): Decision {
  const looked = missing.flatMap((wanted) => {
    const secret = wanted.secret ? input.actions_secrets?.[wanted.key] : undefined;
    return secret ? [{ key: wanted.key, ...secret }] : [];
  });
  if (looked.length < missing.length) return refuse(input, stillMissing(missing, pending.inputs.length));
  const absent = looked.filter(({ found }) => found === 'no');
  if (absent.length > 0) {
    return refuse(input, {
      title: `Nothing changed: there is no Actions secret ${names(absent)}.`,
      detail:
        'Add it in the repository under Settings, Secrets and variables, Actions; then reply `/continue`.',
    });
  }
  const inputs: Record<string, InputRef> = Object.fromEntries(
    // One reference for each time it is given: a job that began before may not have it.
    looked.map(({ key, name }) => [
      key,
      { ref: `actions-secret:${pending.id}:${name}`, length: 0, actions_secret: name },
    ]),
  );
  const { at, by } = input;
  return resumeRun(state, pending, input, rules, {
    ...options,
    before: [{ type: 'inputs_given', at, escalation: pending.id, inputs, by }],
    inputs,
    reply: { tone: 'taken', title: `Taken: ${names(looked)} from Actions secrets.`, detail: howSure(looked) },
  });
}

function howSure(looked: ActionsSecret[]): string {
  const unseen = looked.filter(({ found }) => found === 'unknown');
  const pass = `The Autobuild step of the workflow has to pass ${looked.length === 1 ? 'it' : 'them'} under \`env\`.`;
  if (unseen.length === 0) return pass;
  return `Whether ${names(unseen)} exists could not be checked: the App lacks \`secrets: read\`. ${pass}`;
}

function names(secrets: { name: string }[]): string {
  return secrets.map(({ name }) => `\`${name}\``).join(', ');
}
