import { helpRows } from '../../commands/help-text.ts';
import { renderEnd } from '../../comments/terminal/render-end.ts';
import { renderLiveLine } from '../../comments/terminal/render-live-line.ts';
import { renderPanel } from '../../comments/terminal/render-panel.ts';
import { renderPlain } from '../../comments/terminal/render-plain.ts';
import { renderTerminalReply } from '../../comments/terminal/render-reply.ts';
import { renderTerminalReview } from '../../comments/terminal/render-review.ts';
import { renderTurnLine } from '../../comments/terminal/render-turn-line.ts';
import type { RunLook, TerminalLook } from '../../comments/terminal/style.ts';
import { terminalLine, terminalText } from '../../comments/terminal/terminal-text.ts';
import type { AgentEvent } from '../../core/contracts/agent/agent-event.ts';
import type { RunEvent } from '../../core/contracts/run-event.ts';
import type { RunState } from '../../core/contracts/run-state.ts';
import { score } from '../../core/contracts/verification.ts';
import { limitsInForce } from '../../guards/observe.ts';
import { specDeviationDetected } from '../../guards/scope.ts';
import type { JobProgress } from '../../runner/job/job.ts';
import { exitCodeOf } from '../exit-code.ts';
import type { Screen } from './screen.ts';

const REDRAW_MS = 200;
/** Room for two paths of maximum length, because a problem's last words say where the reverted file was saved. */
const PROBLEM_CELLS = 10_000;
const CLEAR_LINE = '\r\x1b[2K';

interface ScreenOptions {
  out: NodeJS.WritableStream & { columns?: number };
  /** Receives journal events as JSON lines, for `--json`. */
  events?: NodeJS.WritableStream;
  /** True for a terminal whose last line can be rewritten. */
  live: boolean;
  colour: boolean;
  user: string;
  now(): Date;
}

/** Writes to a terminal with a live line, or as plain lines to a pipe. */
export function createTerminalScreen(options: ScreenOptions): Screen {
  const { out, events, live, now } = options;
  const look = (): TerminalLook => ({ width: live ? (out.columns ?? 80) : 80, colour: options.colour });
  const lookAt = ({ limits }: RunState): RunLook => ({ ...look(), limits: limitsInForce(limits) });
  let latest: RunState | undefined;
  let doing = '';
  let workingSince: number | undefined;
  let drawn = false;
  const timer = live ? setInterval(draw, REDRAW_MS) : undefined;
  timer?.unref();

  function print(text: string): void {
    out.write(`${drawn ? CLEAR_LINE : ''}${text}\n`);
    drawn = false;
  }
  /** Draws only while the agent or the checks are working, so that a question is never overwritten. */
  function draw(): void {
    if (!latest || workingSince === undefined) return;
    const active_ms = latest.active_ms + now().getTime() - workingSince;
    const line = renderLiveLine(latest, { active_ms, doing }, lookAt(latest));
    out.write(`${CLEAR_LINE}${line}`);
    drawn = true;
  }
  const printLines = (text: string, mark: string) =>
    print(
      terminalText(text, 76, 600)
        .map((line) => `${mark}${line}`)
        .join('\n'),
    );

  return {
    user: options.user,
    start(run, task, checks, hiddenCharacters) {
      print(`run ${run}: ${terminalLine(task.title, 60)}`);
      print(`  checks: ${checks.map((check) => terminalLine(check, 60)).join(' · ')}`);
      if (!task.scope) print(`  no scope declared: ${specDeviationDetected.id} is inactive`);
      if (hiddenCharacters > 0) print(`  ${hiddenCharacters} invisible characters of the task were removed`);
    },
    resumed: (state) => print(`run ${state.run} resumed: ${terminalLine(state.task.title, 60)}`),
    event(event, state) {
      latest = state;
      if (event.type === 'turn_started') workingSince = now().getTime();
      if (stopsTheClock(event)) workingSince = undefined;
      events?.write(`${JSON.stringify(event)}\n`);
      const line = live ? liveLineOf(event, look()) : renderPlain(event, limitsInForce(state.limits));
      if (line) print(line);
      if (event.type === 'answer_acknowledged' && live) {
        print(`▶ Running again in turn ${state.turn}. The agent took the answer in:`);
        printLines(event.text, '│ ');
        workingSince = now().getTime();
      }
    },
    progress(progress) {
      if (progress.type === 'problem') print(`✗ ${terminalLine(progress.text, PROBLEM_CELLS)}`);
      doing = describeProgress(progress) ?? doing;
    },
    ask(state, escalation, stateDir) {
      latest = state;
      const saved = `${stateDir}/${state.task.id}/blocked_report.json`;
      print(`\n${renderPanel(state, escalation, { ...look(), saved })}`);
    },
    reply: (reply) => print(renderTerminalReply(reply, look(), helpRows)),
    review(state, id) {
      const escalation = state.escalations.find((candidate) => candidate.id === id);
      print(renderTerminalReview(state, escalation, look()));
    },
    reminder(state, id, number) {
      const escalation = state.escalations.find((candidate) => candidate.id === id);
      print(`⏸ Still waiting for you (reminder ${number}): ${terminalLine(escalation?.headline ?? '', 100)}`);
    },
    note: (text) => print(terminalLine(text, 400)),
    end(state) {
      workingSince = undefined;
      clearInterval(timer);
      print(`\n${renderEnd(state, lookAt(state))}`);
      const ended = { type: 'run_ended', status: state.status, run: state.run, exit_code: exitCodeOf(state) };
      events?.write(`${JSON.stringify(ended)}\n`);
    },
  };
}

function liveLineOf(event: RunEvent, look: TerminalLook): string | undefined {
  if (event.type === 'turn_ended') return renderTurnLine(event.record, look);
  if (event.type === 'baseline_recorded') {
    const { unit, passed, total } = score(event.verification);
    return `  before any change: ${passed} of ${total} ${unit} pass`;
  }
  return undefined;
}

function stopsTheClock(event: RunEvent): boolean {
  return ['turn_ended', 'escalation_raised', 'job_parked', 'run_finished'].includes(event.type);
}

function describeProgress(progress: JobProgress): string | undefined {
  if (progress.type === 'phase') return progress.text;
  return progress.type === 'agent' ? describeAgentEvent(progress.event) : undefined;
}

function describeAgentEvent(event: AgentEvent): string | undefined {
  switch (event.type) {
    case 'text':
      return event.text.trim() || undefined;
    case 'tool_started':
    case 'action':
      return event.title ?? event.command ?? [event.kind, ...event.paths].join(' ');
    case 'retry':
      return `retry: ${event.message}`;
    default:
      return undefined;
  }
}
