import { parseComment } from '../../src/commands/parse-comment.ts';
import type { HelpInput } from '../../src/core/contracts/agent/help-request.ts';
import { readPlayerReport } from '../../src/core/contracts/agent/player-report.ts';
import type { Brief } from '../../src/core/contracts/brief.ts';
import { SealedCommand } from '../../src/core/contracts/command.ts';
import { Effect, type Reply } from '../../src/core/contracts/effect.ts';
import { type Claim, type Envelope, PROTOCOL } from '../../src/core/contracts/envelope.ts';
import type { Escalation } from '../../src/core/contracts/escalation.ts';
import type { GuardEvent, GuardId } from '../../src/core/contracts/guard.ts';
import { Input } from '../../src/core/contracts/input.ts';
import { Orders } from '../../src/core/contracts/orders.ts';
import {
  type ReminderPlan,
  RunEvent,
  type TurnRecord,
  type Usage,
} from '../../src/core/contracts/run-event.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import { Task } from '../../src/core/contracts/task.ts';
import type { ErrorSighting, Verification } from '../../src/core/contracts/verification.ts';
import type { WorkFacts } from '../../src/core/contracts/work-facts.ts';
import { decide } from '../../src/core/decide/decide.ts';
import type { Decision } from '../../src/core/decide/decision.ts';
import { evolve } from '../../src/core/decide/evolve.ts';
import { briefFor } from '../../src/core/decide/orders/brief-for.ts';
import { ordersFor } from '../../src/core/decide/orders/orders-for.ts';
import { resultSignature } from '../../src/core/errors/error-signature.ts';
import type { Commit } from '../../src/core/ports/ports.ts';
import { GuardConfig } from '../../src/guards/guard-config.ts';
import { RULES } from '../../src/guards/rules.ts';
import { createMeter, type Meter } from '../../src/runner/job/meter.ts';

const START = Date.UTC(2026, 10, 16, 9, 0, 0);
const SECOND_MS = 1000;

export interface RunOptions {
  run?: string;
  guards?: Partial<Record<GuardId, unknown>>;
  task?: Partial<Task>;
  agents?: string[];
  checks?: string[];
  freshVerification?: boolean;
  reminders?: ReminderPlan;
  /** How long people are waited for. */
  expireMs?: number;
  /** When it was asked for, in milliseconds; a fixed day when left out. */
  startMs?: number;
}

/** One run driven by what can happen to it. Everything passes through JSON and its schema, as in a journal. */
export class Run {
  state: RunState;
  readonly events: RunEvent[] = [];
  readonly effects: Effect[] = [];
  readonly commits: Commit[] = [];
  /** Values by reference: what stands here must stand nowhere else. */
  readonly vault = new Map<string, string>();
  /** What the last input led to. */
  last: Decision = { events: [], effects: [] };
  meter!: Meter;
  brief!: Brief;
  /** The sum over the run, as the agent's output says it. */
  usage: Usage = USAGE;
  #seconds = 0;
  #seq = 0;
  #limitsRev = 1;
  #turn = 0;
  #taken = new Set<string>();
  #activeMs = 0;
  #startMs: number;

  constructor(options: RunOptions = {}) {
    this.#startMs = options.startMs ?? START;
    const agents = options.agents ?? ['scripted', 'other'];
    this.state = undefined as unknown as RunState;
    this.feed({
      type: 'request',
      at: this.now(),
      run: options.run ?? 'r1',
      task: Task.parse({
        id: 'issue-7',
        title: 'Add a login page',
        body: 'People sign in with their e-mail address.',
        acceptance_criteria: ['A wrong password is refused'],
        source: 'issue 7',
        ...options.task,
      }),
      agent: agents[0] ?? 'scripted',
      agents,
      checks: options.checks ?? ['npm test'],
      limits: GuardConfig.parse(options.guards ?? {}),
      known_errors: [],
      reminders: options.reminders ?? {
        every_ms: 3_600_000,
        high_every_ms: 600_000,
        expire_ms: options.expireMs,
      },
      requested_by: 'rosa',
      fresh_verification: options.freshVerification,
    });
  }

  /** Every look at the clock is a second later. */
  now(): string {
    this.#seconds += 1;
    return new Date(this.#startMs + this.#seconds * SECOND_MS).toISOString();
  }

  sleep(seconds: number): this {
    this.#seconds += seconds;
    return this;
  }

  /** Sets the clock, so that the next look at it shows this time. */
  setClock(at: string): this {
    this.#seconds = (Date.parse(at) - this.#startMs) / SECOND_MS - 1;
    return this;
  }

  feed(input: Input): Decision {
    const stored = Input.parse(roundTrip(input));
    const { events, effects } = decide(this.state, stored, RULES);
    this.last = {
      events: events.map((event) => RunEvent.parse(roundTrip(event))),
      effects: effects.map((effect) => Effect.parse(roundTrip(effect))),
    };
    for (const event of this.last.events) this.state = evolve(this.state, event);
    this.events.push(...this.last.events);
    this.effects.push(...this.last.effects);
    this.commits.push({ input: stored, ...this.last });
    return this.last;
  }

  envelope(type: Claim['type'], data: object, changes: Partial<Envelope> = {}): Envelope {
    this.#seq += 1;
    return {
      protocol: PROTOCOL,
      run: this.state.run,
      fence: this.brief.job,
      seq: this.#seq,
      turn: this.#turn,
      at: this.now(),
      active_ms: this.#activeMs,
      limits_rev: this.#limitsRev,
      type,
      data,
      ...changes,
    };
  }

  claim<Type extends Claim['type']>(
    type: Type,
    data: Extract<Claim, { type: Type }>['data'],
    changes: Partial<Envelope> = {},
    work?: WorkFacts,
  ): Decision {
    return this.feed({ type: 'claim', envelope: this.envelope(type, data, changes), work });
  }

  get orders(): Orders {
    return Orders.parse(roundTrip(ordersFor(this.state)));
  }

  get work(): Extract<Orders, { do: 'work' }> {
    const { orders } = this;
    if (orders.do !== 'work') throw new Error(`not work but ${orders.do}`);
    return orders;
  }

  /** The open question. */
  get asked(): Escalation {
    const open = this.state.escalations.find(({ id }) => id === this.state.pending);
    if (!open) throw new Error('no question is open');
    return open;
  }

  escalation(id: string): Escalation {
    const found = this.state.escalations.find((escalation) => escalation.id === id);
    if (!found) throw new Error(`there is no escalation ${id}`);
    return found;
  }

  get reply(): Reply | undefined {
    return this.last.effects.flatMap((effect) => (effect.type === 'reply' ? [effect.reply] : [])).at(-1);
  }

  get types(): string[] {
    return this.last.events.map((event) => event.type);
  }

  get effectTypes(): string[] {
    return this.last.effects.map((effect) => effect.type);
  }

  /** A job takes the run, as the runner does: brief first, counters from it. */
  startJob(told: { isolation?: 0 | 1 | 2 | 3 | 4 } = {}): this {
    this.brief = briefFor(this.state);
    this.meter = createMeter(this.brief, () => this.usage);
    this.#taken = new Set();
    this.#limitsRev = this.brief.limits_rev;
    this.#turn = this.brief.turn;
    this.claim('job_started', told);
    return this;
  }

  baseline(verification: Verification = tests(3, 5)): this {
    this.meter.observe({ type: 'baseline', at: verification.at, verification });
    this.claim('baseline_recorded', { verification, measured: this.meter.measured() });
    return this;
  }

  observe(...events: GuardEvent[]): this {
    for (const event of events) {
      if (event.type === 'clock') this.#activeMs = event.active_ms;
      this.meter.observe(event);
    }
    return this;
  }

  /** Takes limits and answers over, as the runner does. */
  take(): this {
    const orders = this.work;
    this.#turn = orders.turn;
    this.#limitsRev = orders.limits_rev;
    this.meter.setLimits(orders.limits as RunState['limits']);
    for (const answer of orders.answers) {
      if (this.#taken.has(answer.id)) continue;
      this.#taken.add(answer.id);
      if (answer.agent_changed) this.meter.observe({ type: 'agent_changed' });
      if (answer.rearm.length > 0) this.meter.observe({ type: 'rearmed', guards: answer.rearm });
    }
    return this;
  }

  beginTurn(): this {
    const { kind, resumed, answers } = this.work;
    this.take();
    this.meter.observe({ type: 'turn_started', turn: this.#turn, counted: kind === 'normal' });
    this.claim('turn_started', { kind, resumed });
    for (const answer of answers) this.claim('answer_delivered', { answer: answer.id });
    return this;
  }

  endTurn(
    parts: {
      report?: object | string;
      verification?: Verification;
      exit?: string;
      changes?: TurnRecord['changes'];
      /** What the desk finds in work that is claimed to be complete. */
      work?: WorkFacts;
      /** Figures of the turn that no rule reads. */
      record?: Partial<TurnRecord>;
    } = {},
  ): this {
    const { turn } = this.state;
    const kind = this.state.turn_kind;
    const text =
      typeof parts.report === 'string' ? parts.report : parts.report && JSON.stringify(parts.report);
    const read = text === undefined ? undefined : readPlayerReport(text);
    if (read?.report) {
      const { report } = read;
      this.meter.observe({ type: 'report_received', at: this.now(), turn, read: { ...read, report } });
    }
    const verification = kind === 'debug' ? undefined : (parts.verification ?? tests(3, 5));
    const signature = verification && signatureOf(verification);
    if (verification && signature) {
      this.meter.observe({ type: 'verified', at: verification.at, turn, verification, signature });
    }
    const exit = parts.exit ?? 'exit 0';
    const title = read?.report?.summary;
    this.meter.observe({
      type: 'turn_ended',
      at: this.now(),
      turn,
      counted: kind === 'normal',
      title: title ?? exit,
    });
    const data = {
      record: {
        turn,
        kind,
        agent: this.state.agent,
        title,
        read,
        verification,
        signature,
        changes: parts.changes ?? { paths: [`src/turn-${turn}.ts`], added: turn, removed: 0 },
        turn_ms: 1000,
        turn_cost_usd: null,
        turn_added: 1,
        turn_removed: 0,
        exit,
        ...parts.record,
      },
      usage: this.usage,
      measured: this.meter.measured(exit),
    };
    this.claim('turn_ended', data, {}, parts.work);
    return this;
  }

  /** One whole turn. The agent changes a file unless it is told not to. */
  turn(parts: Parameters<Run['endTurn']>[0] & { observed?: GuardEvent[] } = {}): this {
    this.beginTurn();
    const { turn } = this.state;
    this.observe(...(parts.observed ?? [{ type: 'files_changed', turn, paths: [`src/turn-${turn}.ts`] }]));
    return this.endTurn(parts);
  }

  turns(count: number, parts: Parameters<Run['turn']>[0] = {}): this {
    for (let done = 0; done < count; done += 1) this.turn(parts);
    return this;
  }

  /** The runner sees a guard trip while the agent runs. */
  trip(changes: Partial<Envelope> = {}): Decision {
    return this.claim('tripped', { usage: this.usage, measured: this.meter.measured() }, changes);
  }

  askForHelp(inputs: Partial<HelpInput>[] = [], what_i_need = 'A key for the mail service'): this {
    const asked = inputs.map((input) => ({ key: 'key', label: 'A value', secret: false, ...input }));
    const help = { what_i_tried: 'Looked everywhere', what_i_need, inputs: asked };
    this.meter.observe({ type: 'help_requested', turn: this.#turn, help });
    this.trip();
    return this;
  }

  park(): this {
    this.claim('parked', { guards: this.meter.states() });
    return this;
  }

  lose(reason = 'killed'): this {
    this.feed({ type: 'job_lost', at: this.now(), reason });
    return this;
  }

  timer(name = `reminder:${this.state.pending}`): Decision {
    return this.feed({ type: 'timer', at: this.now(), timer: name });
  }

  /** A comment, through the one parser; values go to the vault as the entrypoints do it. */
  say(
    text: string,
    more: { by?: string; escalation?: string; via?: 'comment' | 'tick' | 'form' } = {},
  ): Decision {
    const parsed = parseComment(text);
    if (parsed.kind !== 'command') throw new Error(`not a command: ${text} (${JSON.stringify(parsed)})`);
    const { command } = parsed;
    const sealed =
      command.name === 'provide' ? { name: command.name, inputs: this.#seal(command.inputs) } : command;
    return this.feed({
      type: 'command',
      at: this.now(),
      command: SealedCommand.parse(sealed),
      by: more.by ?? 'rosa',
      via: more.via ?? 'comment',
      escalation: more.escalation,
    });
  }

  /** Ticks a box of the open question, by its id. */
  tick(id: string, by = 'rosa'): Decision {
    const option = this.asked.options.find((candidate) => candidate.id === id);
    if (!option) throw new Error(`no box ${id}: ${this.asked.options.map((each) => each.id).join(', ')}`);
    return this.say(option.command, { by, via: 'tick', escalation: this.asked.id });
  }

  #seal(inputs: Record<string, string>) {
    return Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => {
        const ref = `input-${this.vault.size + 1}`;
        this.vault.set(ref, value);
        return [key, { ref, length: value.length }];
      }),
    );
  }
}

export const USAGE = { input_tokens: 1000, output_tokens: 100, cost_usd: null };
export const AT = new Date(START).toISOString();

/** A run whose job has started and measured its baseline: 3 of 5 tests pass. */
export function startRun(options: RunOptions = {}): Run {
  return new Run(options).startJob().baseline();
}

/** `passed` of `total` tests in one check. */
export function tests(
  passed: number,
  total: number,
  parts: { failing?: string[]; errors?: ErrorSighting[]; command?: string } = {},
): Verification {
  const failing = parts.failing ?? Array.from({ length: total - passed }, (_, index) => `test ${index + 1}`);
  const counts = { passed, failed: total - passed, skipped: 0, failing };
  const ok = passed === total;
  const check = {
    command: parts.command ?? 'npm test',
    ok,
    exit_code: ok ? 0 : 1,
    timed_out: false,
    duration_ms: 10,
    output_tail: ok ? 'all pass' : `${total - passed} failed`,
    tests: counts,
    errors: parts.errors ?? [],
  };
  return { at: AT, ok, checks: [check], tests: counts };
}

export function errorAt(message: string, file = 'src/login.ts', line = 12): ErrorSighting {
  return { message, signature: message, file, line };
}

export const PASSING = tests(5, 5);

function signatureOf({ ok, tests: counts, checks }: Verification): string {
  return resultSignature({ ok, tests: counts, errors: checks.flatMap((check) => check.errors) });
}

export function roundTrip<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
