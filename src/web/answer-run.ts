import { parseComment } from '../commands/parse-comment.ts';
import type { ActionsSecret } from '../core/contracts/actions-secret.ts';
import type { Command, SealedCommand } from '../core/contracts/command.ts';
import { hasRole, neededRole } from '../core/contracts/role.ts';
import type { Rules } from '../core/contracts/rules.ts';
import { pendingEscalation, type RunState } from '../core/contracts/run-state.ts';
import { handle } from '../core/decide/handle.ts';
import type { HostedStore } from '../core/ports/hosted-store.ts';
import type { RunTarget } from '../core/ports/run-target.ts';
import { looksLikeCredential } from '../core/secrets/looks-like-credential.ts';
import { sealCommand } from '../core/secrets/seal-command.ts';
import type { Logger } from './log.ts';
import type { Access } from './sign-in/access.ts';

const RUN_ID = /^[\w.-]{1,100}$/;
export const MAX_VALUE_CHARS = 32 * 1024;
const SHOWN_KEYS = 20;

/** Why nothing was changed, for scripts (`problem`) and for people (`error`). */
interface Problem {
  status: 403 | 404 | 409 | 410 | 422;
  problem:
    | 'no_such_run'
    | 'role_needed'
    | 'nothing_asked'
    | 'already_answered'
    | 'not_asked_for'
    | 'refused'
    | 'used_up';
  error: string;
  unknown?: string[];
  asked?: string[];
}

type Answered = { status: 200; state: RunState; missing: string[] } | Problem;

interface Given {
  run: string;
  by: string;
  /** The question that the person saw. Absent: the one that is open. */
  escalation?: string;
  /** A key that is used up by this answer. A second answer with it changes nothing. */
  once?: string;
}

export interface AnswerDependencies {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  now(): Date;
  access: Access;
  /** The Actions secrets that a `/continue` may have meant (P-9). */
  actionsSecrets?(run: string, command: SealedCommand): Promise<Record<string, ActionsSecret> | undefined>;
}

export type RunAnswers = ReturnType<typeof createAnswers>;

/** The way from pages and scripts into a run: the same door and the same rules as for comments. */
export function createAnswers({ store, rules, log, now, access, actionsSecrets }: AnswerDependencies) {
  async function find(run: string): Promise<{ target: RunTarget; state: RunState } | undefined> {
    const target = RUN_ID.test(run) ? await store.runs.target(run) : undefined;
    const { state } = target ? await store.runs.load(run) : { state: undefined };
    return target && state ? { target, state } : undefined;
  }

  async function answer(
    given: Given,
    command: Command,
    pick?: (state: RunState) => Problem | undefined,
  ): Promise<Answered> {
    const { run, by } = given;
    const found = await find(run);
    const permission = found ? await access.now(found.target, by) : 'none';
    if (!found || permission === 'none') return NO_SUCH_RUN;
    const { target, state } = found;
    const needed = neededRole(target.roles, command.name);
    if (!hasRole(permission, needed)) {
      const error = `/${command.name} requires the ${needed} role on ${target.owner}/${target.repo}.`;
      return { status: 403, problem: 'role_needed', error };
    }
    const problem = pick?.(state);
    if (problem) return problem;
    const pending = pendingEscalation(state);
    const sealed = await sealCommand(store.vault, run, command);
    const decided = await handle(
      store.runs,
      rules,
      run,
      {
        type: 'command',
        at: now().toISOString(),
        command: sealed,
        by,
        via: 'form',
        escalation: given.escalation ?? pending?.id,
        actions_secrets: await actionsSecrets?.(run, sealed),
      },
      { seen: given.once ? [given.once] : [] },
    );
    if (!decided) return NO_SUCH_RUN;
    if (decided.duplicate) return USED_UP;
    const refused = decided.events.find((event) => event.type === 'command_refused');
    if (refused) {
      // Somebody else was faster if the question was open when this answer was read.
      const late = pending !== undefined && pendingEscalation(decided.state)?.id !== pending.id;
      return late
        ? { status: 410, problem: 'already_answered', error: refused.reason }
        : { status: 409, problem: 'refused', error: refused.reason };
    }
    const keys = command.name === 'provide' ? Object.keys(command.inputs) : undefined;
    log.info({ run, by, command: command.name, keys }, 'answered by page or API');
    const open = pendingEscalation(decided.state);
    const missing = (open?.inputs ?? []).map(({ key }) => key).filter((key) => !(key in decided.state.given));
    return { status: 200, state: decided.state, missing };
  }

  return {
    find,

    /** P-5, P-6: values that were asked for. */
    async provide(given: Given, inputs: Record<string, string>): Promise<Answered> {
      return answer(given, { name: 'provide', inputs }, (state) => {
        const pending = pendingEscalation(state);
        if (!pending || pending.inputs.length === 0) return NOTHING_ASKED;
        if (given.escalation !== undefined && given.escalation !== pending.id) return NOTHING_ASKED;
        const asked = pending.inputs.map(({ key }) => key);
        const keys = Object.keys(inputs);
        const unknown = keys.filter((key) => !asked.includes(key));
        if (keys.length > 0 && unknown.length === 0) return undefined;
        const shown = unknown.slice(0, SHOWN_KEYS).map((key) => key.slice(0, 64));
        return {
          status: 422,
          problem: 'not_asked_for',
          error: 'Only what is asked for is taken.',
          unknown: shown,
          asked,
        };
      });
    },

    /** A command as a comment would have it, from an option's button or a person's own words. */
    async command(given: Given, text: string): Promise<Answered> {
      const parsed = parseComment(text, { isOwn: true });
      if (parsed.kind !== 'command') {
        const error = parsed.kind === 'reply' ? parsed.problem : 'That is not a command.';
        return { status: 422, problem: 'refused', error };
      }
      // P-9: the text of a command is stored and shown to others, so one with a secret in it is refused, as in a comment.
      if (parsed.command.name !== 'provide' && looksLikeCredential(text)) return HOLDS_SECRET;
      return answer(given, parsed.command);
    },
  };
}

const NO_SUCH_RUN: Problem = { status: 404, problem: 'no_such_run', error: 'There is no such run.' };
const NOTHING_ASKED: Problem = {
  ...{ status: 410, problem: 'nothing_asked' },
  error: 'Nothing is asked for at the moment.',
};
const HOLDS_SECRET: Problem = {
  ...{ status: 422, problem: 'refused' },
  error:
    'That looks like a credential, and everybody who can read the issue would see it. Send it without the secret.',
};
const USED_UP: Problem = { status: 410, problem: 'used_up', error: 'This form was used before.' };
