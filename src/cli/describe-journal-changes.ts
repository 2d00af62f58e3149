import type { RunEvent } from '../core/contracts/run-event.ts';
import type { ForeignLine } from '../store/file.ts';

const NAMED_AT_MOST = 10;
const VALUES_LENGTH = 1000;
const WHAT = {
  changed: (line: number) => `line ${line} was changed`,
  added: (line: number) => `line ${line} was added`,
  removed: (line: number) => `line before line ${line} was removed`,
  unfinished: (line: number) => `line ${line} is missing`,
  unrecorded: (line: number) => `line ${line} is not recorded`,
};

/** S-7: names the lines that no process of the run wrote, with the limits and approvals in them. */
export function describeJournalChanges(changes: readonly ForeignLine[]): string[] {
  const [only] = changes;
  if (only?.kind === 'unrecorded')
    return [
      'This journal is older than change detection, so manual edits cannot be found. They are detected from now on.',
    ];
  if (only?.kind === 'unfinished')
    return [
      "The journal's last line is missing: the process was killed while writing it, or somebody removed it.",
    ];
  const lines = changes.slice(0, NAMED_AT_MOST).map(({ kind, line, commit }) => {
    const facts = kind === 'removed' ? '' : describeFacts(commit?.events ?? []);
    return `The journal's ${WHAT[kind](line)} by hand or by another program, while no process of this run was alive.${facts}`;
  });
  const rest = changes.length - NAMED_AT_MOST;
  return rest > 0 ? [...lines, `${rest} more lines of the journal differ.`] : lines;
}

/** The values that are in force by this line. */
function describeFacts(events: readonly RunEvent[]): string {
  const facts = events.flatMap((event) => {
    if (event.type === 'run_requested') return [`limits ${show(event.limits)}`];
    if (event.type !== 'limits_changed') return [];
    const { limits, approved_paths, approved_names = [], approved_files = [], approved_folders = [] } = event;
    const approved = [...approved_paths, ...approved_names, ...approved_files, ...approved_folders];
    return [`limits ${show(limits)}`, ...(approved.length > 0 ? [`approvals ${show(approved)}`] : [])];
  });
  return facts.length > 0 ? ` It holds ${facts.join(' and ')}.` : '';
}

function show(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > VALUES_LENGTH ? `${text.slice(0, VALUES_LENGTH)}…` : text;
}
