import { ADDED_AS_SECRET, ADDED_AS_SECRETS } from '../../core/contracts/actions-secret.ts';
import type { Evidence, Option, Progress } from '../../core/contracts/guard.ts';
import { isPlainPath } from '../../core/work/path-pattern.ts';
import { sensitivitiesOf } from '../../core/work/sensitive-path.ts';
import { askedContent } from '../../core/work/work-approvals.ts';

/** All choices that guards offer. Ticking one is the same as typing its command. */

/** The order of options in every list. `#` is any number. Cancel is last, even after Terminate (G-13). */
const ORDER = [
  'approve-#',
  'approve-path',
  'approve-dir',
  'stay',
  'continue',
  'continue-#',
  'continue-#-new',
  'continue-#min',
  'new-approach',
  'retry',
  'debug',
  'skip',
  'pause',
  'accept',
  'review',
  'terminate',
  'cancel',
];

const rank = (option: Option) => ORDER.indexOf(option.id.replace(/\d+/, '#'));

export function orderOptions(options: readonly Option[]): Option[] {
  return options.toSorted((a, b) => rank(a) - rank(b));
}

/** Merges the options of several guards. The first of those with the same command is kept. */
export function mergeOptions(lists: readonly (readonly Option[])[]): Option[] {
  const byCommand = new Map<string, Option>();
  for (const option of lists.flat()) {
    if (!byCommand.has(option.command)) byCommand.set(option.command, option);
  }
  return orderOptions([...byCommand.values()]);
}

/** `next` is the lowest limit that allows the proposed files. */
export function approveFiles(next: number, proposed: number): Option[] {
  const round = Math.floor(next / 10) * 10 + 10;
  return [
    {
      id: `approve-${next}`,
      label: approveLabel(proposed),
      description: 'ask again for the next file.',
      command: `/approve files=${next}`,
    },
    {
      id: `approve-${round}`,
      label: `Approve up to ${round} files`,
      description: `ask again only beyond ${round}.`,
      command: `/approve files=${round}`,
    },
  ];
}

const PATHS_NAMED = 5;

/** The box of a folder is offered only where none of its files is sensitive. It covers no sensitive file later on either. */
export function approvePaths({ proposed: writes = [], examined = [] }: Evidence): Option[] {
  const paths = writes.map(({ path }) => path);
  const isSensitive = writes.some(
    ({ path, guarded_by = [] }) => guarded_by.length > 0 || sensitivitiesOf(path).length > 0,
  );
  const folders = [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))];
  const [folder] = folders;
  const digestOf = askedContent(examined);
  const isBound = writes.every((write) => digestOf(write) !== undefined);
  const options: Option[] = [
    {
      id: 'approve-path',
      label: approveLabel(paths.length),
      description: isBound
        ? 'the proposed content only; ask again if it changes, and for the next file.'
        : `whatever the agent writes to ${paths.length > 1 ? 'them' : 'it'}; ask again for the next file.`,
      // Without arguments it approves only the proposed files. After `paths=` their names would be read as patterns.
      command: '/approve',
    },
  ];
  if (folders.length === 1 && folder && isPlainPath(folder) && !isSensitive) {
    options.push({
      id: 'approve-dir',
      label: `Approve \`${folder}/**\``,
      description: "don't ask again for this folder, except for protected files.",
      command: `/approve paths=${folder}/**`,
    });
  }
  return options;
}

/** Offers no permanent approval, because each edit that bypasses the gate has to be reviewed. */
export function approveUnasked(count: number): Option {
  return {
    id: 'approve-path',
    label: count > 1 ? `Approve these ${count} edits` : 'Approve this edit',
    description: `apply ${count > 1 ? 'them' : 'it'}; ask again for the next one.`,
    command: '/approve',
  };
}

export function refuseUnasked(paths: readonly string[]): Option {
  return {
    id: 'stay',
    label: paths.length > 1 ? 'Refuse them' : 'Refuse it',
    description: `${paths.length > 1 ? 'the edits stay' : 'the edit stays'} reverted, the rest continues.`,
    command: `/guide Continue without the change to ${nameOr(paths, 'the files that were reverted')}`,
  };
}

export const approveLabel = (count: number) =>
  count > 1 ? `Approve these ${count} files` : 'Approve this file';

export function stayWithin(what: string): Option {
  return {
    id: 'stay',
    label: `Stay within ${what}`,
    description: 'the edit is refused, the rest continues.',
    command: '/guide Finish without changing any other file',
  };
}

/** Names the files if their names are safe in a command. */
export function finishWithout(paths: readonly string[]): Option {
  return {
    id: 'stay',
    label: paths.length > 1 ? 'Continue without them' : 'Continue without it',
    description: 'the agent reverts the change and finishes.',
    command: `/guide Undo the change to ${nameOr(paths, 'every file that needs approval')} and finish without it`,
  };
}

function nameOr(paths: readonly string[], otherwise: string): string {
  const named = paths.length <= PATHS_NAMED && paths.every(isPlainPath);
  return named ? paths.join(', ') : otherwise;
}

export function inActionsSecrets(values: number): Option {
  return {
    id: 'continue',
    label: values === 1 ? ADDED_AS_SECRET : ADDED_AS_SECRETS,
    description: 'check again.',
    command: '/continue',
  };
}

export function continueTurns(turns: number): Option[] {
  return [
    {
      id: `continue-${turns}`,
      label: `Continue +${turns}`,
      description: `${turns} more turns, same approach.`,
      command: `/continue +${turns}`,
    },
    {
      id: `continue-${turns}-new`,
      label: `Continue +${turns} (new approach)`,
      description: 'the agent is told what was tried and not to repeat it.',
      command: `/continue +${turns} new-approach`,
    },
  ];
}

export function continueMinutes(minutes: number): Option {
  return {
    id: `continue-${minutes}min`,
    label: `Continue +${minutes}min`,
    description: `${minutes} more minutes.`,
    command: `/continue +${minutes}min`,
  };
}

/** `what` is the limit that is granted once more: "$2.00", "10 verifications". */
export function allowAnother(what: string): Option {
  return {
    id: 'continue',
    label: 'Continue',
    description: `allow another ${what}.`,
    command: '/continue',
  };
}

export function tryDifferently(turns: readonly number[]): Option {
  const [first, last] = [Math.min(...turns), Math.max(...turns)];
  const which =
    turns.length === 0 ? 'was tried' : first === last ? `turn ${last} tried` : `turns ${first}–${last} tried`;
  return {
    id: 'new-approach',
    label: 'Try a different approach',
    description: `the agent is told what ${which} and not to repeat it.`,
    command: '/continue new-approach',
  };
}

export const retryWithContext: Option = {
  id: 'retry',
  label: 'Retry with context',
  description: 'retry, with the error history.',
  command: '/retry',
};

export const handInAgain: Option = {
  id: 'retry',
  label: 'Retry',
  description: 'another turn, which hands the work in again.',
  command: '/retry',
};

export const debugFirst: Option = {
  id: 'debug',
  label: 'Debug first',
  description: 'one turn to find the root cause, no code changes.',
  command: '/debug',
};

export function retryNow({ turn }: Progress): Option {
  return {
    id: 'retry',
    label: 'Retry',
    description: `continue from turn ${Math.max(1, turn)}, once it works again.`,
    command: '/retry',
  };
}

/** With `progress` the failing tests are skipped, without it the one error or blocker of the question. */
export function skipAndContinue(progress?: Progress): Option {
  const score = progress?.score;
  const failing = score ? score.total - score.passed : 0;
  const what =
    !score || failing <= 0
      ? 'it'
      : failing === 1
        ? `the ${score.unit.slice(0, -1)}`
        : `the ${failing} ${score.unit}`;
  return {
    id: 'skip',
    label: 'Skip and continue',
    description: `list ${what} as a known issue, finish the rest.`,
    command: '/skip',
  };
}

export const checkpointAndPause: Option = {
  id: 'pause',
  label: 'Checkpoint & pause',
  description: 'no reminders; decide later.',
  command: '/pause',
};

export function acceptCurrent({ score }: Progress): Option {
  const what =
    score && score.total > 0 ? `with ${score.passed}/${score.total} ${score.unit} passing` : 'as it is';
  return {
    id: 'accept',
    label: 'Accept current',
    description: `open the pull request ${what}, marked partial.`,
    command: '/accept',
  };
}

/** V-1: in a round there is a pull request already, and only `/terminate` ends more than the round. */
export function inRound(options: readonly Option[], { round }: Progress): Option[] {
  if (round === undefined) return [...options];
  const described: Record<string, string> = {
    accept: `end round ${round} with what it has, marked partial; if it changed nothing, the pull request stays as it is.`,
    cancel: `end round ${round}; the pull request stays as it was before.`,
  };
  return options.map((option) => ({ ...option, description: described[option.id] ?? option.description }));
}

export const review: Option = {
  id: 'review',
  label: 'Review',
  description: 'show the full history, then ask again.',
  command: '/review',
};

export const cancel: Option = {
  id: 'cancel',
  label: 'Cancel',
  description: 'stop here; the branch is kept.',
  command: '/cancel',
};

export const terminate: Option = {
  id: 'terminate',
  label: 'Terminate',
  description: 'end this run; the branch is kept.',
  command: '/terminate',
};
