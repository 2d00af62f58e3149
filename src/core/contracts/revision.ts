import * as z from 'zod';

/** The cause of a round of work on a pull request that was ready. */
export const RevisionSource = z.enum(['review', 'command', 'box', 'ci', 'update']);
export type RevisionSource = z.infer<typeof RevisionSource>;

/** A replacement that a reviewer wrote for whole lines. */
const Suggestion = z.object({
  start: z.number().int().positive(),
  end: z.number().int().positive(),
  /** The lines as they were when the reviewer saw them. */
  original: z.string(),
  replacement: z.string(),
});

const Place = z.object({
  line: z.number().int().positive(),
  start_line: z.number().int().positive().optional(),
});

/** The newest comment of a thread, or the review, when the round began; and the time of its last change. */
const WordsRead = z.object({ id: z.number().int().nonnegative(), at: z.string() });
export type WordsRead = z.infer<typeof WordsRead>;

/** One open remark, frozen when the round began: what a reader sees of it, and where it points. */
export const Remark = z.object({
  /** The name by which the agent answers: `R1`, `R2`, … */
  id: z.string().regex(/^R\d{1,4}$/),
  /** The thread that gets the reply. Absent for the words of a review as a whole. */
  thread: z.string().optional(),
  url: z.string().optional(),
  author: z.string(),
  path: z.string().optional(),
  /** Where it points in the head of the round. Absent if the lines are gone, or if it is about the whole file. */
  now: Place.optional(),
  /** Where it pointed when it was written. */
  written: Place.extend({ commit: z.string() }).optional(),
  /** The lines of the base are meant, which the pull request removes. */
  left: z.literal(true).optional(),
  /** The end of the diff above the remark, as GitHub shows it. */
  code: z.string().optional(),
  text: z.string(),
  /** Earlier words in the same thread, oldest first. */
  thread_before: z.array(z.object({ author: z.string(), text: z.string() })).optional(),
  suggestion: Suggestion.optional(),
  /** For the agent: the suggestion is in the worktree already. */
  applied: z.literal(true).optional(),
  /** The number of parts and characters that readers do not see, so that the text is without them. */
  hidden: z.number().int().positive().optional(),
  /** Later words are for the next round. Absent in rounds of older versions. */
  read: WordsRead.optional(),
});
export type Remark = z.infer<typeof Remark>;

/** A remark at the end of its round. `unchanged`: the agent says it is fixed, but the file is the same as before. */
export const SettledRemark = z.object({
  id: z.string(),
  result: z.enum(['fixed', 'applied', 'declined', 'question', 'unchanged', 'unanswered']),
  note: z.string().optional(),
});
export type SettledRemark = z.infer<typeof SettledRemark>;

/** A failing check of the repository's own CI, for the agent. */
const FailedCi = z.object({
  name: z.string(),
  step: z.string().optional(),
  log: z.string().optional(),
  url: z.string().optional(),
});

/** The base branch moved on, and the round brings its commits into the branch (V-6). */
const BaseUpdate = z.object({
  branch: z.string(),
  /** The commit of the base that is merged. The files of the round are a change of it. */
  sha: z.string(),
  /** For the desk, files that both sides changed; for the agent, files that are left in conflict. */
  conflicts: z.array(z.string()),
  /**
   * Files of the pull request that the base did not change, as they are in the head: with this content they are nobody's change.
   * By the digest that approvals have, too.
   */
  kept: z.array(z.object({ path: z.string(), digest: z.string() })).optional(),
  /** For the agent: how a file conflicts, and the commits that changed it on each side. */
  sides: z
    .array(z.object({ path: z.string(), head: z.array(z.string()), base: z.array(z.string()) }))
    .optional(),
});
export type BaseUpdate = z.infer<typeof BaseUpdate>;

/** A round of work in the same run, on the same branch, after the pull request was ready. The build itself is round 1. */
export const Revision = z.object({
  number: z.number().int().min(2),
  by: z.string(),
  source: RevisionSource,
  /** The review or comment that asked for it. */
  url: z.string().optional(),
  /** The head of the pull request on which the round builds, whoever made it. Absent at a terminal. */
  head: z.string().optional(),
  /** The words of a person, given with `/guide`. */
  instruction: z.string().optional(),
  remarks: z.array(Remark),
  ci: z.array(FailedCi).optional(),
  update: BaseUpdate.optional(),
  /** The work of the round before is not on the pull request, and this round begins with it. */
  unpublished: z.literal(true).optional(),
});
export type Revision = z.infer<typeof Revision>;

/** `unchanged`: accepted as it was, and it had changed nothing, so that the run rests on the work before. */
export const RevisionOutcome = z.enum(['done', 'partial', 'unchanged', 'cancelled', 'failed', 'merged']);
export type RevisionOutcome = z.infer<typeof RevisionOutcome>;

/** How a failing check does on the base branch. `since`: the oldest commit of the failures in a row that were looked at. */
const OnBase = z.object({
  result: z.enum(['passes', 'fails', 'unknown']),
  since: z.object({ sha: z.string(), at: z.iso.datetime() }).optional(),
});

/** A check of the repository's own CI that fails on the head of the pull request. */
export const FailedCheck = z.object({
  name: z.string(),
  url: z.string().optional(),
  /** The step of the job that failed. */
  step: z.string().optional(),
  failed_at: z.iso.datetime().optional(),
  /** The end of the log up to the failure, or the check's own notes while there is no log. */
  log: z.string().optional(),
  /** The first error in it, for people; and without its volatile parts, to compare heads. */
  error: z.string().optional(),
  signature: z.string(),
  base: OnBase,
});
export type FailedCheck = z.infer<typeof FailedCheck>;

/** The repository's CI on one head, once all of it is over. */
export const CiReport = z.object({
  head: z.string(),
  /** The branch that the pull request goes to. */
  base: z.string(),
  /** How many checks there are. */
  total: z.number().int().nonnegative(),
  failed: z.array(FailedCheck),
  /** Names of checks that failed on this commit and passed when they were run again. */
  flaky: z.array(z.string()),
  /** Workflows that do not run until a maintainer approves them. */
  waiting: z.array(z.object({ name: z.string(), url: z.string().optional() })),
  /** Nothing ran, because the pull request conflicts with its base. */
  conflict: z.boolean(),
});
export type CiReport = z.infer<typeof CiReport>;

/** One box under a report: its name in the record, and the command that a tick gives. */
export const CI_BOXES = { fix: '/continue', ignore: '/skip' } as const;
