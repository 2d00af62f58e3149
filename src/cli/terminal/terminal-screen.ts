import { helpRows } from '../../commands/help-text.ts';
import { missingReport } from '../../comments/terminal/missing-report.ts';
import { renderEnd } from '../../comments/terminal/render-end.ts';
import { renderLiveLine } from '../../comments/terminal/render-live-line.ts';
import { renderPanel } from '../../comments/terminal/render-panel.ts';
import { renderPlain } from '../../comments/terminal/render-plain.ts';
import { renderTerminalReply } from '../../comments/terminal/render-reply.ts';
import { renderTerminalReview } from '../../comments/terminal/render-review.ts';
import { renderTurnLine } from '../../comments/terminal/render-turn-line.ts';
import type { RunLook, TerminalLook } from '../../comments/terminal/style.ts';
import { terminalLine, terminalText } from '../../comments/terminal/terminal-text.ts';
import { isolationWords } from '../../comments/text/isolation.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { Reply } from '../../core/contracts/effect.ts';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import { isAtRest, isUnderWay, type RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { limitsInForce } from '../../guards/observe.ts';
import { exitCodeOf } from '../exit-code.ts';
import type { LiveInput } from './live-input.ts';
import { createLiveView } from './live-view.ts';
import type { QuestionLine } from './prompter.ts';
import type { Screen } from './screen.ts';

const REDRAW_MS = 200;
/** Room for two paths of maximum length, because a problem's last words say where the reverted file was saved. */
const PROBLEM_CELLS = 10_000;
const LAST_WORDS = 600;

interface ScreenOptions {
  out: NodeJS.WritableStream & { columns?: number };
  /** Receives journal events as JSON lines, for `--json`. */
  events?: NodeJS.WritableStream;
  /** True for a terminal whose last line can be rewritten. */
  live: boolean;
  /** The line that is typed below the live line. */
  typing?: Pick<LiveInput, 'line' | 'onChange'>;
  /** The line on which a question is answered. */
  question?: QuestionLine;
  colour: boolean;
  /** The time zone of the person at the terminal. */
  zone?: string;
  user: string;
  now(): Date;
  /** The text with hints that work in this shell. */
  pasteable?(text: string): string;
}

/** Writes to a terminal with a live line, or as plain lines to a pipe. */
export function createTerminalScreen(options: ScreenOptions): Screen {
  const { out, events, live, now } = options;
  const look = (): TerminalLook => ({
    width: live ? out.columns || 80 : 80,
    colour: options.colour,
    zone: options.zone,
  });
  const lookAt = ({ limits }: RunState): RunLook => ({ ...look(), limits: limitsInForce(limits) });
  let latest: RunState | undefined;
  let doing: { text: string; checking: boolean } | undefined;
  let cost: number | null | undefined;
  /** When the turn or the checks began. Undefined while nothing works. */
  let workingSince: number | undefined;
  let frame = 0;
  const view = live ? createLiveView(out) : undefined;
  const timer = view ? setInterval(tick, REDRAW_MS) : undefined;
  timer?.unref();
  options.typing?.onChange(draw);

  function print(words: string): void {
    const text = options.pasteable?.(words) ?? words;
    const write = () => (view ? view.print(text) : void out.write(`${text}\n`));
    if (options.question) options.question.above(write);
    else write();
    draw();
  }
  function tick(): void {
    frame += 1;
    draw();
  }
  function draw(): void {
    // A job may start while a question is on the screen, and the answer is typed on the last line.
    if (!view || !latest || latest.pending || workingSince === undefined) return;
    const figures = {
      elapsed_ms: now().getTime() - workingSince,
      frame,
      doing: doing?.text,
      checking: doing?.checking,
      cost_usd: cost,
    };
    view.draw(renderLiveLine(latest, figures, lookAt(latest)), options.typing?.line());
  }
  /** The clock begins at zero, and the last action of what ran before is not shown any more. */
  function beginWork(text = '', checking = false): void {
    workingSince = now().getTime();
    doing = { text, checking };
  }
  const printLines = (text: string, mark: string) =>
    print(
      terminalText(text, 76, 600)
        .map((line) => `${mark}${line}`)
        .join('\n'),
    );

  return {
    user: options.user,
    start(run, task, checks, { part, own }) {
      print(`run ${run}: ${terminalLine(task.title, 60)}`);
      print(`  checks: ${checks.map((check) => terminalLine(check, 60)).join(' · ')}`);
      if (own) {
        print(
          `  worktree: ${terminalLine(own.directory, PROBLEM_CELLS)}, branch ${terminalLine(own.branch, 100)}`,
        );
        print('  It has the files of the last commit, without ignored ones (node_modules, .env)');
      } else if (part) print(`  the whole repository is watched, not only ${terminalLine(part, 200)}`);
      if (!task.scope) print('  no scope set: any file may be changed');
      const hidden = task.hidden?.characters ?? 0;
      if (hidden > 0) print(`  ${hidden} invisible characters of the task were removed`);
    },
    resumed(state) {
      print(`run ${state.run} resumed: ${terminalLine(state.task.title, 60)}`);
      latest = state;
      if (!state.pending && isUnderWay(state)) beginWork('reading the repository');
    },
    event(event, state) {
      latest = state;
      if (event.type === 'run_requested' || event.type === 'revision_started')
        beginWork('reading the repository');
      if (WORK_BEGINS.has(event.type)) beginWork();
      if (WORK_STOPS.has(event.type)) workingSince = undefined;
      events?.write(`${JSON.stringify(event)}\n`);
      const { revision } = state;
      const line = live
        ? liveLineOf(event, look(), revision?.number)
        : renderPlain(event, limitsInForce(state.limits), options.zone, revision);
      if (line && !isRestAgain(event, state)) print(line);
      const words = event.type === 'turn_ended' ? event.record.last_words : undefined;
      if (words)
        print(
          terminalText(words, look().width ?? 80, LAST_WORDS)
            .map((said) => `  │ ${said}`)
            .join('\n'),
        );
      const missing = event.type === 'turn_ended' ? missingReport(state) : undefined;
      if (missing) print(missing);
      if (event.type === 'answer_acknowledged' && live) {
        print(`▶ Running again in turn ${state.turn}. The agent acknowledged:`);
        printLines(event.text, '│ ');
      }
    },
    progress(progress) {
      if (progress.type === 'problem') print(`✗ ${terminalLine(progress.text, PROBLEM_CELLS)}`);
      if (progress.type === 'cost') cost = progress.usd;
      if (progress.type === 'check') {
        if (doing?.checking) doing = { text: progress.command, checking: true };
        else beginWork(progress.command, true);
      }
      const text = progress.type === 'agent' ? describeAgentEvent(progress.event) : undefined;
      if (text && !doing?.checking) doing = { text, checking: false };
    },
    ask(state, escalation, stateDir, saved_edits) {
      latest = state;
      const saved = `${stateDir}/${state.task.id}/blocked_report.json`;
      print(
        `\n${renderPanel(state, escalation, { ...look(), saved, saved_edits, unattended: !options.question })}`,
      );
    },
    reply: (reply, state) =>
      print(renderTerminalReply(withoutValues(sensibleHere(reply, state)), look(), helpRows)),
    review(state, id) {
      const escalation = state.escalations.find((candidate) => candidate.id === id);
      print(renderTerminalReview(state, escalation, look()));
    },
    reminder(state, id, number) {
      const escalation = state.escalations.find((candidate) => candidate.id === id);
      print(`⏸ Still waiting for you (reminder ${number}): ${terminalLine(escalation?.headline ?? '', 100)}`);
    },
    note: (text) => print(terminalLine(text, 400)),
    end(state, left) {
      workingSince = undefined;
      clearInterval(timer);
      print(`\n${renderEnd(state, { ...lookAt(state), left, saved_edits: left?.saved })}`);
      const ended = { type: 'run_ended', status: state.status, run: state.run, exit_code: exitCodeOf(state) };
      events?.write(`${JSON.stringify(ended)}\n`);
    },
  };
}

/** V-9: after a round without a result the run is as it was, so its earlier end is no news. */
function isRestAgain(event: RunEvent, { revisions = [] }: RunState): boolean {
  const outcome = revisions.at(-1)?.outcome;
  return event.type === 'run_finished' && (outcome === 'cancelled' || outcome === 'failed');
}

function liveLineOf(event: RunEvent, look: TerminalLook, round: number | undefined): string | undefined {
  if (event.type === 'turn_ended') return renderTurnLine(event.record, look);
  if (event.type === 'job_started' && event.isolation !== undefined)
    return `  ${isolationWords(event.isolation)}`;
  if (event.type === 'baseline_recorded') {
    const { unit, passed, total } = score(event.verification);
    return `  before ${round === undefined ? 'any change' : `round ${round}`}: ${passed} of ${total} ${unit} pass`;
  }
  return undefined;
}

const WORK_BEGINS: ReadonlySet<RunEvent['type']> = new Set([
  'job_started',
  'turn_started',
  'escalation_resolved',
]);
const WORK_STOPS: ReadonlySet<RunEvent['type']> = new Set([
  'escalation_raised',
  'run_paused',
  'job_parked',
  'run_finished',
]);

/** V-9: there is no pull request here whose remarks `/continue` could address, and nothing to cancel while no round runs. */
function sensibleHere(reply: Reply, state: RunState): Reply {
  if (!isAtRest(state) || state.pending !== undefined) return reply;
  return {
    ...reply,
    commands: reply.commands?.filter((name) => name !== 'continue' && name !== 'terminate'),
  };
}

/** `/provide` on its own reads secrets without showing them, so no line with a value in it is suggested here. */
function withoutValues(reply: Reply): Reply {
  return reply.suggestion?.startsWith('/provide ') ? { ...reply, suggestion: '/provide' } : reply;
}

function describeAgentEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'tool_started':
    case 'action':
      return event.title ?? event.command ?? [event.kind, ...event.paths].join(' ');
    case 'retry':
      return `retry: ${event.message}`;
    default:
      return undefined;
  }
}
