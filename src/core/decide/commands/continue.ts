import type { ActionsSecret } from '../../contracts/actions-secret.ts';
import type { HelpInput } from '../../contracts/agent/help-request.ts';
import { type InputRef, isAtTerminal } from '../../contracts/command.ts';
import type { Effect, Reply } from '../../contracts/effect.ts';
import { missingInputs } from '../../contracts/escalation.ts';
import type { CommandInput } from '../../contracts/input.ts';
import type { RevisionSource } from '../../contracts/revision.ts';
import type { RunState } from '../../contracts/run-state.ts';
import type { CommandOf, GivenAnswer, GivenCommand } from '../answer/given-command.ts';
import { resumeRun } from '../answer/resume-run.ts';
import { steerRun } from '../answer/steer-run.ts';
import { stillMissing } from '../answer/still-missing.ts';
import { type Decision, refuse } from '../decision.ts';
import { replyTo } from '../reply-to.ts';
import { fixCi } from '../revise/answer-ci.ts';
import { askRevision } from '../revise/ask-revision.ts';
import type { CommandRule } from './command-rule.ts';
import { REFUSED_LATE, refuseWithoutQuestion } from './refused.ts';

/** G-6 */
export const continueRule: CommandRule<CommandOf<'continue'>> = {
  ...REFUSED_LATE,
  listed: { paused: 'first', resting: 'first' },
  resting: reviseFor,
  asked(answer) {
    const { state, pending, input, command } = answer;
    const refusal = unknownAgent(state, command.agent);
    if (refusal) return refuse(input, refusal);
    const missing = missingInputs(pending, state.given);
    return withUpdate(
      answer,
      missing.length === 0 ? resumeRun(answer, optionsOf(answer)) : takeActionsSecrets(answer, missing),
    );
  },
  /** V-2: what is asked for while a round runs waits for the next. At a terminal there are no remarks to wait for. */
  working(given) {
    const isForNext = given.state.revision || given.command.update;
    return isForNext && !isAtTerminal(given.input.via) ? reviseFor(given) : refuseWithoutQuestion(given);
  },
  paused(given) {
    const { state, input, command } = given;
    const refusal = unknownAgent(state, command.agent);
    if (refusal) return refuse(input, refusal);
    const steered = steerRun(given, {
      instruction: instruct(given),
      growth: command,
      agent: command.agent,
    });
    return withUpdate(given, steered);
  },
};

/** V-6: the update is made once the work is ready, because until then there is nothing to verify. */
function withUpdate(
  { input, command }: GivenCommand<CommandOf<'continue'>>,
  { events, effects }: Decision,
): Decision {
  const isTaken = events.length > 0 && !events.some(({ type }) => type === 'command_refused');
  if (!command.update || !isTaken) return { events, effects };
  const { at, by } = input;
  if (isAtTerminal(input.via)) return { events, effects: addToReply(effects, NO_UPDATE) };
  return {
    events: [...events, { type: 'revision_asked', at, by, source: 'update' }],
    effects: addToReply(effects, UPDATE_FOLLOWS),
  };
}

const UPDATE_FOLLOWS = 'The update with the base follows in a round of its own, once this work is ready.';
const NO_UPDATE =
  'Nothing is updated: at a terminal, you merge. Use `git merge <branch>` when the run has ended.';

function addToReply(effects: readonly Effect[], sentence: string): Effect[] {
  return effects.map((effect) => {
    if (effect.type !== 'reply') return effect;
    const { reply } = effect;
    return { ...effect, reply: { ...reply, detail: [reply.detail, sentence].filter(Boolean).join('\n') } };
  });
}

/** V-2: every open remark. */
function reviseFor(given: GivenCommand<CommandOf<'continue'>>): Decision {
  const { state, input, command } = given;
  const { at, by, said_at } = input;
  if (command.update && isAtTerminal(input.via))
    return refuse(input, {
      title: 'Nothing changed: at a terminal, you merge.',
      detail: 'Use `git merge <branch>`, commit the result, then ask for a round: it builds on that.',
      suggestion: '/guide <what to change>',
    });
  if (command.agent !== undefined)
    return refuse(input, {
      title: 'Nothing changed: a round begins with the agent of the run.',
      detail: 'Give it to another one once it has begun.',
      suggestion: '/continue',
    });
  const named = input.via === 'tick' ? 'box' : 'command';
  const ask = (source: RevisionSource = named) =>
    askRevision(state, { at, by, said_at, source }, (reply) => replyTo(input, reply));
  // V-6: failing CI waits for a round of its own, because the base may have the fix.
  if (command.update) return ask('update');
  return fixCi(given, ask);
}

function optionsOf(answer: GivenAnswer<CommandOf<'continue'>>) {
  const { pending, command } = answer;
  return {
    instruction: instruct(answer),
    growth: command,
    agent: command.agent,
    // An answer to a question for values says that they are in Actions secrets, and nothing about other triggers.
    settles: pending.inputs.length > 0 ? ('help' as const) : ('everything' as const),
  };
}

/** P-9: `/continue` while nothing but secrets is missing says that they are in Actions secrets. */
function takeActionsSecrets(answer: GivenAnswer<CommandOf<'continue'>>, missing: HelpInput[]): Decision {
  const { pending, input } = answer;
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
        'Add it in the repository under Settings → Secrets and variables → Actions, then reply `/continue`.',
    });
  }
  const inputs: Record<string, InputRef> = Object.fromEntries(
    // The reference names the question, because a job that began before this answer may not have the secret.
    looked.map(({ key, name }) => [
      key,
      { ref: `actions-secret:${pending.id}:${name}`, length: 0, actions_secret: name },
    ]),
  );
  const { at, by } = input;
  return resumeRun(answer, {
    ...optionsOf(answer),
    before: [{ type: 'inputs_given', at, escalation: pending.id, inputs, by }],
    inputs,
    reply: {
      tone: 'taken',
      title: `Got it: ${names(looked)} from ${placeOf(looked)}.`,
      detail: howSure(looked),
    },
  });
}

function placeOf([first]: ActionsSecret[]): string {
  return first?.shared ? `the Actions secret \`${first.shared}\`` : 'Actions secrets';
}

function howSure(looked: ActionsSecret[]): string {
  if (looked.every(({ shared }) => shared))
    return `The job checks that ${looked.length === 1 ? 'its line is' : 'their lines are'} there, and asks again if not.`;
  const unseen = looked.filter(({ found }) => found === 'unknown');
  const pass = `The workflow must pass ${looked.length === 1 ? 'it' : 'them'} to the Autobuild step under \`env\`.`;
  if (unseen.length === 0) return pass;
  return `Could not check whether ${names(unseen)} exists: the App lacks \`secrets: read\`. ${pass}`;
}

function names(secrets: { name: string }[]): string {
  return secrets.map(({ name }) => `\`${name}\``).join(', ');
}

function instruct({ state, input, command }: GivenCommand<CommandOf<'continue'>>): string {
  const approach = command.new_approach
    ? ['Try a different approach than previous iterations.', ...triedBefore(state)]
    : [];
  return [...whereSecretsAre(input), ...approach].join('\n');
}

/** P-9: secrets are in the job's environment, and the desk has never seen them. */
function whereSecretsAre({ actions_secrets = {} }: CommandInput): string[] {
  const places = Object.entries(actions_secrets).map(([key, { name }]) => `${key} in $${name}`);
  if (places.length === 0) return [];
  return [
    `The values you asked for are in the environment: ${places.join(', ')}. They are also in the inputs file; never print them.`,
  ];
}

function triedBefore(state: RunState): string[] {
  const tried = state.turns.filter((turn) => turn.kind === 'normal' && turn.title).slice(-5);
  if (tried.length === 0) return [];
  return ['Already tried, do not repeat:', ...tried.map((turn) => `- turn ${turn.turn}: ${turn.title}`)];
}

function unknownAgent(state: RunState, agent: string | undefined): Omit<Reply, 'tone'> | undefined {
  if (agent === undefined || state.agents.includes(agent)) return undefined;
  return {
    title: `Nothing changed: there is no agent ${agent}.`,
    detail: `Available: ${state.agents.join(', ')}.`,
    suggestion: `/continue agent=${state.agents[0] ?? state.agent}`,
  };
}
