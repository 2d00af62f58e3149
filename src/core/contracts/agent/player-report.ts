import * as z from 'zod';
import { BlockedReport } from './blocked-report.ts';
import { type HardBlocker, hardBlocker } from './blockers.ts';
import { RemarkAnswer, tidyAnswer } from './remark-answer.ts';

const REPORT_STATUSES = ['implemented', 'partial', 'failed', 'blocked'] as const;

export const ReportedError = z.object({
  type: z.string(),
  message: z.string().default(''),
  recoverable: z.boolean().optional(),
  recommendation: z.string().nullish(),
});
export type ReportedError = z.infer<typeof ReportedError>;

export const PartialProgress = z.object({
  stage: z.string().optional(),
  details: z.string().optional(),
  phases_completed: z.number().int().nonnegative().optional(),
  phases_total: z.number().int().nonnegative().optional(),
  handoff_path: z.string().nullish(),
});
export type PartialProgress = z.infer<typeof PartialProgress>;

/** The player's report on its turn (K-1). Only `status` is required, so that old reports stay valid (K-6). */
export const PlayerReport = z.object({
  status: z.enum(REPORT_STATUSES),
  /** One line about the turn, shown as its title. */
  summary: z.string().optional(),
  errors: z.array(ReportedError).default([]),
  partial_progress: PartialProgress.nullish(),
  requires_user_review: z.boolean().default(false),
  review_reason: z.string().nullish(),
  blocked_report: BlockedReport.nullish(),
  /** Only debugging turns report a root cause and a fix (G-8). */
  root_cause_found: z.boolean().optional(),
  root_cause: z.string().nullish(),
  fix: z.string().nullish(),
  /** In a round: the answer to each remark (V-3). */
  remarks: z.array(RemarkAnswer).max(500).optional(),
});
export type PlayerReport = z.infer<typeof PlayerReport>;

/** A field that could not be used, with its value and the allowed ones. */
export const ReportProblem = z.object({ field: z.string(), value: z.string(), allowed: z.string() });
export type ReportProblem = z.infer<typeof ReportProblem>;

/** A report after reading: the usable part, the problems with the rest, and the raw text, which is always kept. */
export const ReadReport = z.object({
  report: PlayerReport.optional(),
  problems: z.array(ReportProblem),
  raw: z.string(),
  /** Error types from which `requires_user_review` follows when the player did not set it (K-5). */
  derived_from: z.array(z.string()),
});
export type ReadReport = z.infer<typeof ReadReport>;

/** Characters of the raw report that are kept, so that a person can read an unusable one. */
const RAW_KEPT = 20_000;
const PROBLEMS_KEPT = 20;
const ANSWERS_KEPT = 500;

export function readPlayerReport(text: string): ReadReport {
  const raw = text.length > RAW_KEPT ? `${text.slice(0, RAW_KEPT)}…` : text;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const problem = {
      field: 'report',
      value: clip(text.trim()),
      allowed: `JSON (${(cause as Error).message})`,
    };
    return { problems: [problem], raw, derived_from: [] };
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return {
      problems: [{ field: 'report', value: clip(JSON.stringify(json)), allowed: 'a JSON object' }],
      raw,
      derived_from: [],
    };
  }
  return readReportObject(json as Record<string, unknown>, raw);
}

function readReportObject(json: Record<string, unknown>, raw: string): ReadReport {
  const problems: ReportProblem[] = [];
  // Each field is parsed separately, because one bad field must not invalidate the others. Unusable ones are left out.
  const usable: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(PlayerReport.shape)) {
    const given = tidy(name, withoutNulls(json[name]));
    const read = schema.safeParse(given);
    if (read.success) usable[name] = read.data;
    else if (name === 'errors' && Array.isArray(given)) usable[name] = given.flatMap(salvageError);
    else if (name === 'remarks' && Array.isArray(given))
      usable[name] = given.flatMap(salvageAnswer).slice(0, ANSWERS_KEPT);
    if (!read.success) problems.push(...read.error.issues.map((issue) => describe(name, given, issue)));
  }
  const derived_from: string[] = [];
  for (const error of (usable.errors as ReportedError[] | undefined) ?? []) {
    if (hardBlocker(error.type) && error.recoverable !== true) derived_from.push(error.type);
  }
  // An unreadable flag counts as set, because one question too many is better than one too few (K-5).
  const flagged = usable.requires_user_review !== false;
  usable.requires_user_review = flagged;
  if (!flagged && derived_from.length > 0) usable.requires_user_review = true;
  if (flagged && !usable.review_reason) {
    problems.push({
      field: 'review_reason',
      value: 'nothing',
      allowed: 'one or two sentences, required when requires_user_review is true',
    });
  }
  const report = PlayerReport.safeParse({ ...usable, status: usable.status ?? guessStatus(usable) });
  return {
    report: report.data,
    problems: problems.slice(0, PROBLEMS_KEPT),
    raw,
    derived_from: flagged ? [] : derived_from,
  };
}

/** V-3: agents do not keep to the letter of the contract in every answer. */
function tidy(name: string, given: unknown): unknown {
  return name === 'remarks' && Array.isArray(given) ? given.map(tidyAnswer) : given;
}

/** Agents write `null` for fields they leave out. */
function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** Keeps the type of an error whose other fields are invalid, because the type decides whether a person is needed. */
function salvageError(item: unknown): ReportedError[] {
  const read = ReportedError.safeParse(item);
  if (read.success) return [read.data];
  const type = (item as { type?: unknown } | undefined)?.type;
  return typeof type === 'string' ? [{ type, message: '' }] : [];
}

/** One unreadable answer must not lose the others. */
function salvageAnswer(item: unknown): RemarkAnswer[] {
  const read = RemarkAnswer.safeParse(item);
  return read.success ? [read.data] : [];
}

/** A report with an unreadable status must not count as complete, so it is `partial`, or `blocked` if it has a blocked report. */
function guessStatus(usable: Record<string, unknown>): 'partial' | 'blocked' {
  return usable.blocked_report ? 'blocked' : 'partial';
}

export function hardBlockersOf(report: PlayerReport): HardBlocker[] {
  const found = report.errors.flatMap((error) =>
    error.recoverable === true ? [] : [hardBlocker(error.type)].filter((type) => type !== undefined),
  );
  return [...new Set(found)];
}

function describe(name: string, value: unknown, issue: z.core.$ZodIssue): ReportProblem {
  const field = [name, ...issue.path].reduce<string>(
    (path, part) =>
      typeof part === 'number' ? `${path}[${part}]` : path ? `${path}.${String(part)}` : String(part),
    '',
  );
  const found = issue.path.reduce<unknown>(
    (at, part) => (at as Record<PropertyKey, unknown> | undefined)?.[part],
    value,
  );
  const allowed =
    issue.code === 'invalid_value' ? (issue.values as unknown[]).map(String).join(', ') : issue.message;
  return { field, value: found === undefined ? 'nothing' : clip(JSON.stringify(found)), allowed };
}

function clip(text: string, length = 200): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
