import { type Place, runOf } from './handle-command.ts';

/** Which numbers are copied, how the repository and the issue of a copy are computed from `n`, and the run they are copies of. */
interface Copies {
  of: Place;
  most: number;
  /** A condition on `n`. */
  which: string;
  repo_id: string;
}

/**
 * Every table that has rows of a run, with its columns. Text that names the run or its place is changed by replacing their numbers,
 * which therefore stand nowhere else.
 */
const COLUMNS: Record<string, { text: string; other?: string }> = {
  runs: { text: 'run state summary place', other: 'version phase repo_id issue slot_ms queued_ms ended_ms' },
  seen: { text: 'key run', other: 'repo_id issue at_ms' },
  timers: { text: 'run timer', other: 'at at_ms due_ms attempts' },
  inbox: { text: 'id lane', other: 'kind body put_ms state due_ms attempts' },
  dispatches: {
    text: 'op run verification outcome',
    other:
      'job kind decided_ms requested_ms answered_ms claimed_ms working_ms heard_ms ended_ms actions_run attempt',
  },
  sent_comments: { text: 'op run', other: 'kind tried_ms comment_id node_id body_hash escalation minimised' },
  publications: { text: 'run body', other: 'repo_id pull' },
  labellings: { text: 'run', other: 'event at' },
  cursors: { text: 'key body', other: 'name at_ms' },
  tickets: { text: 'hash run op', other: 'job kind expires_ms revoked actions_run attempt nonce' },
  tokens: { text: 'hash run op', other: 'job kind' },
  own_commits: { text: 'sha', other: 'repo_id issue' },
};
/** How the rows of a run are found where it is not by the column `run`. */
const RUN_OF: Record<string, (of: Place) => string> = {
  inbox: ({ repo_id, issue }) => `lane = '${repo_id}#${issue}'`,
  cursors: (of) => `key = '${runOf(of)}'`,
  own_commits: ({ repo_id, issue }) => `repo_id = ${repo_id} and issue = ${issue}`,
};
/** Ids of GitHub, which differ for every copy. */
const IDS = ['comment_id', 'actions_run', 'event'];
const MOST_ROWS = 100;

/** SQL that copies a run with all its rows, because deciding so many would take an hour. The bodies of its journal stay empty. */
export function copyStatements(copies: Copies): string[] {
  const { of, most, which, repo_id } = copies;
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${most})`;
  const renamed = (column: string) =>
    `replace(replace(${column}, '${of.issue}', cast(n as text)), '${of.repo_id}', cast(${repo_id} as text))`;
  const other = (column: string) => {
    if (column === 'issue' || column === 'pull') return 'n';
    if (column === 'repo_id') return repo_id;
    return IDS.includes(column) ? `n * ${MOST_ROWS} + ${column} % ${MOST_ROWS}` : column;
  };
  const isOf = (table: string) => RUN_OF[table]?.(of) ?? `run = '${runOf(of)}'`;
  const tables = Object.entries(COLUMNS).map(([table, columns]) => {
    const texts = columns.text.split(' ');
    const others = columns.other?.split(' ') ?? [];
    // A hash names nothing, so the number is put behind it.
    const values = texts.map((column) => (column === 'hash' ? "hash || '-' || n" : renamed(column)));
    return `insert into ${table} (${[...texts, ...others].join(', ')})
      ${numbers} select ${[...values, ...others.map(other)].join(', ')}
      from numbers, ${table} where ${which} and ${isOf(table)}`;
  });
  const journal = `insert into journal (run, version, body)
    ${numbers} select ${renamed('run')}, version, '{}' from numbers, journal where ${which} and ${isOf('journal')}`;
  return [...tables, journal];
}
