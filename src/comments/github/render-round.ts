import type { SettledRemark } from '../../core/contracts/revision.ts';
import { lastVerification, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { code, inlineText } from '../text/harmless.ts';
import { blocks, link, marker } from '../text/markdown.ts';
import { count, minutes, money } from '../text/words.ts';

/** A round that is over, and the commit that it made. */
interface RoundFacts {
  state: RunState;
  round: NonNullable<RunState['revisions']>[number];
  head?: string;
  /** A later round has begun since, and the run's verification is not of this one. */
  is_older?: boolean;
}

/** A remark at its end, with the file that it is about. */
type PlacedRemark = SettledRemark & { path?: string; url?: string };

const MAX_NOTE = 600;
/** GitHub refuses reviews of more than 65,536 characters, and escaping makes a note several times as long. */
const MOST_LISTED = 50;
const MAX_LISTED = 40_000;

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

/** The answers that have no thread to be in: the summary is their place. */
interface Unplaced {
  /** To the words of a review as a whole. Its author and address are unknown if the review is gone. */
  to_reviews?: readonly (SettledRemark & { author?: string; url?: string })[];
  /** To threads in which GitHub refuses the reply, by whose operation id the answer is known. */
  refused?: readonly (PlacedRemark & { op: string })[];
  /** To the threads of a pull request that the work has left, because others have commits there. */
  left?: { pull: number; remarks: readonly PlacedRemark[] };
}

/** The summary of the review that carries the replies: one notification for all of them. */
export function renderRoundSummary(facts: RoundFacts, op: string, unplaced: Unplaced = {}): string {
  const { state, round, head, is_older } = facts;
  const counted = countResults(round.remarks).join(', ') || 'done';
  const commit = head ? ` ${code(head.slice(0, 7), 7)}` : '';
  const verified = is_older ? commit && `${commit}.` : `${commit}${sayVerified(state)}`;
  const people = [...new Set(round.by.split(', '))].map((login) => `@${inlineText(login, 60)}`).join(', ');
  const cost = round.cost_usd === null ? '' : `${money(round.cost_usd)}, `;
  return blocks(
    `${marker('round', { run: state.run, op })}\n**Round ${round.number}: ${counted}.**${verified} ${people}, please look again.`,
    ...renderUnplaced(facts, unplaced),
    `${cost}${count(round.turns, 'turn')}, ${minutes(Date.parse(round.ended_at) - Date.parse(round.at))} min.`,
  );
}

function renderUnplaced(facts: RoundFacts, { to_reviews = [], refused = [], left }: Unplaced): string[] {
  const room = { lines: MOST_LISTED, chars: MAX_LISTED };
  const listed = (remarks: readonly (PlacedRemark & { op?: string })[]) =>
    listLines(
      remarks.map(({ path, url, op, ...remark }) => {
        const place = path ? `${link(code(path, 160), url)}: ` : '';
        const mark = op ? ` ${marker('remark', { run: facts.state.run, op })}` : '';
        return `- ${place}${sayRemark({ ...remark, path }, facts)}${mark}`;
      }),
      room,
    );
  const words = to_reviews.map(({ author, url, ...remark }) => {
    const review = author ? link(`Review by ${inlineText(author, 60)}`, url) : 'Review';
    return `- ${review}: ${sayRemark(remark, facts)}`;
  });
  return [
    ...(words.length > 0 ? [listLines(words, room)] : []),
    ...(refused.length > 0
      ? [
          `GitHub refuses replies in ${refused.length > 1 ? 'these threads' : 'this thread'}:`,
          listed(refused),
        ]
      : []),
    ...(left && left.remarks.length > 0 ? [`The remarks on #${left.pull}:`, listed(left.remarks)] : []),
  ];
}

/** As many as there is room for, and the number of the others. */
function listLines(lines: readonly string[], room: { lines: number; chars: number }): string {
  const shown = lines.filter((line) => {
    room.lines -= 1;
    room.chars -= line.length;
    return room.lines >= 0 && room.chars >= 0;
  });
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`- ${count(more, 'remark')} more`] : [])].join('\n');
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

function sayVerified(state: RunState): string {
  const last = lastVerification(state);
  if (!last || state.finished?.partial) return ', not verified.';
  const { passed, total, unit } = score(last);
  return `, verified on a clean checkout: ${passed}/${total} ${unit}.`;
}
