import type { BaseUpdate, Remark, Revision } from '../core/contracts/revision.ts';

/** Longer words are cut, so that 200 remarks fit into a prompt. */
const MAX_TEXT = 4_000;
const MAX_CODE = 1_500;
const MAX_LOG = 6_000;
const MAX_REMARKS = 200;
const MAX_THREAD = 20;
const MAX_ALL = 200_000;
const MAX_CONFLICTS = 100;
const MAX_COMMITS = 6;
const MAX_LINE = 300;

type Fence = (text: string) => string;

/** V-3: the remarks and failures of the round. Words of reviewers stand between the marks like all words of others. */
export function roundPart(round: Revision | null, fence: Fence): string | undefined {
  if (!round) return undefined;
  const { number, by, remarks, ci, update, unpublished, instruction, head } = round;
  const what = head === undefined ? 'work that was done' : 'a pull request that was ready';
  const others = head === undefined ? 'changes' : 'commits';
  return [
    `## Round ${number}: changes to ${what}`,
    `The work so far is in the worktree, with ${others} of others if there are any. ${by} asked for this round. Change only what it is about, keep the rest, and report \`implemented\` when it is done.`,
    unpublished &&
      'Changes of the round before that are not on the pull request yet are in the worktree, too. Keep them.',
    instruction && `What ${by} wrote:\n\n${fence(cut(instruction, MAX_TEXT))}`,
    update && describeUpdate(update, fence),
    ci && ci.length > 0 && describeCi(ci, fence),
    remarks.length > 0 && describeRemarks(remarks, fence),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const ANSWER = `Answer every remark in your report: \`"remarks": [{"id": "R1", "result": "fixed" | "declined" | "question", "note": "one sentence for the reviewer"}]\`. \`fixed\` counts only if you changed the remark's file. Decline what is wrong, with the reason. Use \`question\` only if a person has to decide.`;

function describeRemarks(remarks: readonly Remark[], fence: Fence): string {
  const shown: string[] = [];
  let length = 0;
  for (const remark of remarks.slice(0, MAX_REMARKS)) {
    const text = describeRemark(remark, fence);
    length += text.length;
    if (length > MAX_ALL) break;
    shown.push(text);
  }
  const left = remarks.length - shown.length;
  const more = left > 0 ? [`${left} more remarks do not fit here. Leave them unanswered.`] : [];
  return [
    `### ${remarks.length === 1 ? 'The remark' : `The ${remarks.length} remarks`}`,
    ANSWER,
    ...shown,
    ...more,
  ].join('\n\n');
}

function describeRemark(remark: Remark, fence: Fence): string {
  const { id, author, code, text, thread_before = [], suggestion } = remark;
  const said = [
    placeOf(remark),
    code && `code:\n${cut(code, MAX_CODE)}`,
    ...thread_before.slice(-MAX_THREAD).map((word) => `${word.author}: ${cut(word.text, MAX_TEXT)}`),
    `${author}: ${cut(text, MAX_TEXT)}`,
    suggestion && `${sayReplacement(remark)}:\n${cut(suggestion.replacement, MAX_TEXT)}`,
  ];
  return `**${id}**\n\n${fence(said.filter(Boolean).join('\n\n'))}`;
}

/** Lines that have changed since may need another replacement, and have no number of their own. */
function sayReplacement({ applied, now }: Remark): string {
  if (applied) return 'this replacement is in the worktree already';
  return now ? `suggested replacement of ${lines(now)}` : 'suggested replacement of the lines as they were';
}

/** Where it pointed, and where that is now. */
function placeOf({ path, now, written, left }: Remark): string | undefined {
  if (path === undefined) return undefined;
  const file = `file: ${path}`;
  if (now) return `${file}, ${lines(now)}${left ? ' of the base, which the change removes' : ''}`;
  const side = left ? ' of the base' : '';
  if (written)
    return `${file}, ${lines(written)}${side} as of ${written.commit.slice(0, 7)}; these lines have changed since, or the file is gone`;
  return `${file}, the whole file`;
}

function lines({ line, start_line }: NonNullable<Remark['now']>): string {
  return start_line !== undefined && start_line !== line ? `lines ${start_line} to ${line}` : `line ${line}`;
}

function describeCi(ci: NonNullable<Revision['ci']>, fence: Fence): string {
  const failed = ci.map(({ name, step, log }) => {
    const head = step ? `${name}, step ${step}` : name;
    return fence(log ? `${head}\n\n${tail(log, MAX_LOG)}` : head);
  });
  return ['### The repository’s CI fails', ...failed].join('\n\n');
}

function describeConflict(sides: BaseUpdate['sides'] = [], branch: string) {
  return (path: string) => {
    const side = sides.find((one) => one.path === path);
    const lines = (name: string, commits: string[] = []) =>
      commits.slice(0, MAX_COMMITS).map((line) => `  ${name}: ${cut(line, MAX_LINE)}`);
    return [`- ${path}`, ...lines('pull request', side?.head), ...lines(branch, side?.base)].join('\n');
  };
}

function describeUpdate({ branch, conflicts, sides }: BaseUpdate, fence: Fence): string {
  const what = `The commits of \`${branch}\` are merged into the worktree.`;
  if (conflicts.length === 0) return `### Update\n\n${what} There are no conflicts.`;
  const files = fence(conflicts.slice(0, MAX_CONFLICTS).map(describeConflict(sides, branch)).join('\n'));
  return `### Update\n\n${what} These files conflict. They have conflict markers, \`pull-request\` above and \`base-branch\` below, with the common version between, or are as one side has them. A name that ends with \`~pull-request\` or \`~base-branch\` is a file for which the other side has a directory: move or merge it. Resolve them so that both sides keep their meaning, and leave no marker and no such name:\n\n${files}`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

function tail(text: string, length: number): string {
  return text.length > length ? `…${text.slice(-length)}` : text;
}
