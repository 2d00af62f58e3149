import type { SettledRemark } from '../../core/contracts/revision.ts';
import { lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { code, inlineText } from '../text/harmless.ts';
import { marker } from '../text/markdown.ts';
import { count, minutes, money } from '../text/words.ts';

/** A round that is over, and the commit that it made. */
interface RoundFacts {
  state: RunState;
  round: NonNullable<RunState['revisions']>[number];
  head?: string;
}

/** A remark at its end, with the file that it is about. */
type PlacedRemark = SettledRemark & { path?: string };

const MAX_NOTE = 600;
const MOST_ELSEWHERE = 50;

/** V-4: the one line in a thread. The agent's words are quoted and harmless. */
export function renderRemarkReply(remark: PlacedRemark, facts: RoundFacts, op: string): string {
  return `${marker('remark', { run: facts.state.run, op })}\n${sayRemark(remark, facts)}`;
}

function sayRemark({ result, note, path }: PlacedRemark, { head }: RoundFacts): string {
  const words = note ? ` “${inlineText(note, MAX_NOTE)}”` : '';
  const commit = head ? ` in ${code(head.slice(0, 7), 7)}` : '';
  switch (result) {
    case 'fixed':
      return `Fixed${commit}.${words}`;
    case 'applied':
      return `Applied as suggested${commit}.`;
    case 'declined':
      return `Not changed.${words}`;
    case 'question':
      return `The agent asks:${words || ' what should be done here?'} Reply with \`/guide <your answer>\`.`;
    case 'unchanged':
      return `Not changed: the agent reported this as done, but ${path ? code(path, 160) : 'the file'} is the same as before. Still open.`;
    case 'unanswered':
      return 'Not answered by the agent. Still open.';
  }
}

/** The summary of the review that carries the replies: one notification for all of them. */
export function renderRoundSummary(
  { state, round, head }: RoundFacts,
  op: string,
  elsewhere: Elsewhere = { remarks: [] },
): string {
  const counted = countResults(round.remarks).join(', ') || 'done';
  const verified = sayVerified(state, head);
  const people = [...new Set(round.by.split(', '))].map((login) => `@${inlineText(login, 60)}`).join(', ');
  const cost = round.cost_usd === null ? '' : `${money(round.cost_usd)}, `;
  return [
    marker('round', { run: state.run, op }),
    `**Round ${round.number}: ${counted}.**${verified} ${people}, please look again.`,
    '',
    `${cost}${count(round.turns, 'turn')}, ${minutes(Date.parse(round.ended_at) - Date.parse(round.at))} min.`,
    ...renderElsewhere({ state, round, head }, elsewhere),
  ].join('\n');
}

/** Remarks in a pull request that the work has left, because others have commits there. */
interface Elsewhere {
  pull?: number;
  remarks: readonly PlacedRemark[];
}

function renderElsewhere(facts: RoundFacts, { pull, remarks }: Elsewhere): string[] {
  if (pull === undefined || remarks.length === 0) return [];
  const shown = remarks.slice(0, MOST_ELSEWHERE);
  const lines = shown.map(
    (remark) => `- ${remark.path ? `${code(remark.path, 160)}: ` : ''}${sayRemark(remark, facts)}`,
  );
  const more = remarks.length - shown.length;
  return [
    '',
    `The remarks on #${pull}:`,
    '',
    ...lines,
    ...(more > 0 ? [`- ${count(more, 'remark')} more`] : []),
  ];
}

const WORDS: Record<SettledRemark['result'], string> = {
  fixed: 'fixed',
  applied: 'fixed',
  declined: 'not changed',
  unchanged: 'not changed',
  question: 'with a question',
  unanswered: 'not answered',
};

function countResults(remarks: readonly SettledRemark[]): string[] {
  const counts = new Map<string, number>();
  for (const { result } of remarks) counts.set(WORDS[result], (counts.get(WORDS[result]) ?? 0) + 1);
  return [...counts].map(([word, number]) => `${number} ${word}`);
}

function sayVerified(state: RunState, head: string | undefined): string {
  const last = lastVerification(state);
  const commit = head ? ` ${code(head.slice(0, 7), 7)}` : '';
  if (!last || state.finished?.partial) return `${commit}, not verified.`;
  const { passed, total, unit } = score(last);
  return `${commit}, verified on a clean checkout: ${passed}/${total} ${unit}.`;
}
