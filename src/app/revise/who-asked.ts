import type { CommandName } from '../../core/contracts/command.ts';
import { hasRole, neededRole, type Permission } from '../../core/contracts/role.ts';
import type { AskedRevision, RunState } from '../../core/contracts/run-state.ts';
import { isNobodysWord } from '../../core/decide/revise/start-revision.ts';
import type { ReviewedPull } from '../../core/ports/github/review-port.ts';
import type { GitHub } from '../../core/ports/github-port.ts';
import type { RunTarget } from '../../core/ports/run-target.ts';
import { type Freeze, touchedAt } from './frozen-words.ts';

interface Context {
  github: GitHub;
  state: RunState;
  target: RunTarget;
}

interface WhoAsked {
  /** Those who asked and may still do so. */
  asked: AskedRevision[];
  /** Those who have lost the role since. A round may begin hours after it was asked for. */
  unheard: string[];
  /** Whether the author's remarks are part of the round. */
  isHeard(author: { login: string; type: string }): boolean;
  /** Absent: only words of people with the role are heard. */
  frozen?: Freeze;
}

/**
 * V-2: whose words count, by the roles that people have when the round begins. A review begins a round with remarks of people who
 * may give commands. The word of such a person takes every open remark, those of bots too.
 */
export async function whoAsked(
  { github, state, target }: Context,
  { threads, reviews }: ReviewedPull,
  all: readonly AskedRevision[],
): Promise<WhoAsked> {
  const known = new Map<string, Permission>();
  const may = async (login: string, command: CommandName): Promise<boolean> => {
    const permission = known.get(login) ?? (await github.permission(login));
    known.set(login, permission);
    return hasRole(permission, neededRole(target.roles, command));
  };
  const [asked, unheard]: [AskedRevision[], string[]] = [[], []];
  for (const ask of all) {
    const isAllowed =
      isNobodysWord(ask, state) || (await may(ask.by, ask.instruction === undefined ? 'continue' : 'guide'));
    if (isAllowed) asked.push(ask);
    else unheard.push(ask.by);
  }
  const said = [...threads.flatMap(({ comments }) => comments), ...reviews].filter(
    ({ author_type }) => author_type === 'User',
  );
  const allowedOf = async (words: typeof said) => {
    const allowed = new Set<string>();
    for (const login of new Set(words.map(({ author }) => author)))
      if (await may(login, 'continue')) allowed.add(login);
    return allowed;
  };
  // CI is nobody's word, and an update is not about remarks.
  const forAll = asked.filter(({ source }) => source !== 'review' && source !== 'ci' && source !== 'update');
  if (forAll.length > 0) {
    const at = Math.max(...forAll.map((ask) => Date.parse(ask.said_at ?? ask.at)));
    // Authors without later words are heard with or without the role, so that nobody has to look them up.
    const except = await allowedOf(said.filter((word) => touchedAt(word) > at));
    return { asked, unheard, isHeard: () => true, frozen: { at: new Date(at).toISOString(), except } };
  }
  const allowed = await allowedOf(said);
  return { asked, unheard, isHeard: ({ login, type }) => type === 'User' && allowed.has(login) };
}
