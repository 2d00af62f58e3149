import type { BlockedReport } from '../../src/core/contracts/agent/blocked-report.ts';
import type { CommentContext } from '../../src/core/contracts/comment-context.ts';
import type { Escalation } from '../../src/core/contracts/escalation.ts';
import type { GuardEvent, GuardId } from '../../src/core/contracts/guard.ts';
import type { TurnRecord } from '../../src/core/contracts/run-event.ts';
import { pendingEscalation, type RunState } from '../../src/core/contracts/run-state.ts';
import type { ErrorSighting, Verification } from '../../src/core/contracts/verification.ts';
import { normalizeError } from '../../src/core/errors/error-signature.ts';
import { RULES } from '../../src/guards/rules.ts';
import { Run } from '../core/run-builder.ts';
import { action } from '../guards/guard-events.ts';

/**
 * One story for all golden files: a small shop wants gift cards, issue 42, asked for by rosa. It holds only facts, such as
 * edits and test results. Every word about them comes out of the engine.
 */

export const TIME = (minute: number, second = 0) =>
  new Date(Date.UTC(2026, 10, 16, 13, 0, 0) + minute * 60_000 + second * 1000).toISOString();

export const ERRORS = {
  balance: error(
    "TypeError: Cannot read properties of undefined (reading 'balance')",
    'src/cards/redeem.ts',
    41,
  ),
  key: error('MailError: 401 no API key', 'test/mail-live.test.ts', 22),
  stock: error('AssertionError: expected 4 to be 5', 'test/stock.test.ts', 61),
  queue: error('QueueError: job 7 was not picked up', 'src/cards/queue.ts', 18),
};

function error(message: string, file: string, line: number): ErrorSighting {
  return { message, signature: normalizeError(message), file, line };
}

export const TESTS = [
  'redeems a card twice',
  'mails the card to its owner',
  'expires an old card',
  'fixes #7 for good',
  'shows the balance',
  'refuses a spent card',
  'refunds a card',
  'sells a card',
  'lists the cards of a customer',
];

/** A result of the checks: so many tests pass, and these errors are printed. */
export interface Tested {
  passed: number;
  total?: number;
  errors?: ErrorSighting[];
  failing?: string[];
}

const TOTAL = 14;

/** Both checks of the shop; only its tests fail. */
export function verification(tested: Tested, at: string): Verification {
  const { passed, total = TOTAL, errors = [] } = tested;
  const failing = tested.failing ?? TESTS.slice(0, total - passed);
  const tests = { passed, failed: total - passed, skipped: 0, failing };
  const check = { exit_code: 0, timed_out: false, duration_ms: 4_000, output_tail: '', errors: [] };
  const ok = passed === total;
  const [shown] = errors;
  const shownBy = failing.find((name) => (shown === ERRORS.key) === name.startsWith('mails'));
  const output_tail = shown
    ? `not ok 12 - ${shownBy}\n  ${shown.message}\n    at ${shown.file}:${shown.line}:9`
    : `${passed} of ${total} pass`;
  return {
    at,
    ok,
    tests,
    checks: [
      { ...check, command: 'npm test', ok, exit_code: ok ? 0 : 1, output_tail, tests, errors },
      { ...check, command: 'npm run lint', ok: true },
    ],
  };
}

const TITLES = [
  'Add a table for gift cards',
  'Sell a card at checkout',
  'Redeem a card',
  'Show the balance on the account page',
  'Mail the card to its owner',
  'Refuse an expired card',
  'Take the balance inside a lock',
  'Take the balance in a queue job instead',
  'Wait for the queue in the test',
  'Retry the queue job once',
];
/** Better often enough that no guard but the limits of turns and verifications ever trips. */
const PASSED = [5, 7, 8, 9, 10, 10, 11, 11, 12, 12];
const SHOWN: (keyof typeof ERRORS)[] = [
  'balance',
  'balance',
  'key',
  'key',
  'stock',
  'key',
  'key',
  'stock',
  'stock',
  'key',
];
const TURN_COST = 0.35;

const NAMES = ['schema', 'sell', 'redeem', 'balance', 'mail', 'expire', 'lock', 'queue', 'errors', 'routes'];
export function files(n: number): string[] {
  return Array.from(
    { length: n },
    (_, i) =>
      `${i % 3 === 2 ? 'test' : 'src/cards'}/${NAMES[i % 10]}${i > 9 ? `-${i}` : ''}${i % 3 === 2 ? '.test' : ''}.ts`,
  );
}

type Action = Partial<Extract<GuardEvent, { type: 'action_ended' }>>;

interface TurnEnd extends Omit<NonNullable<Parameters<Run['endTurn']>[0]>, 'verification' | 'changes'> {
  tested?: Tested;
  /** Every file that differs now. */
  paths?: string[];
}

/** The run of the story. The nth turn goes from minute 5n - 2 to minute 5n + 3, and later by the time that people took. */
export class GiftCards extends Run {
  #begun = 0;
  #waited = 0;

  constructor(guards: Partial<Record<GuardId, unknown>> = {}) {
    super({
      run: 'r4x9k2',
      startMs: Date.parse(TIME(-2)),
      task: {
        id: 'issue-42',
        title: 'Sell gift cards',
        body: '',
        acceptance_criteria: [],
        source: 'issue 42',
        scope: ['src/cards/**', 'test/**'],
      },
      agents: ['claude', 'codex'],
      checks: ['npm test', 'npm run lint'],
      reminders: { every_ms: 4 * 3_600_000, high_every_ms: 3_600_000 },
      freshVerification: true,
      guards,
    });
    this.usage = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    this.setClock(TIME(1)).startJob();
    this.setClock(TIME(2)).baseline(verification({ passed: 5, errors: [ERRORS.balance] }, TIME(2)));
  }

  /** Whole turns, up to and with this one. */
  through(turn: number): this {
    while (this.#begun < turn) this.wholeTurn();
    return this;
  }

  /** The agent is in the middle of this turn: it has made one edit. */
  midway(turn: number): this {
    return this.through(turn - 1).openTurn();
  }

  wholeTurn(end: TurnEnd = {}): this {
    return this.openTurn().closeTurn(end);
  }

  openTurn(): this {
    if (this.state.pending) throw new Error(`the run waits: ${this.asked.question}`);
    this.#begun += 1;
    const { turn, kind } = this.work;
    this.setClock(this.time(-2)).beginTurn();
    const [input_tokens, output_tokens] = [200_000, 14_000];
    this.usage = {
      input_tokens: this.usage.input_tokens + input_tokens,
      output_tokens: this.usage.output_tokens + output_tokens,
      cost_usd: Math.round(100 * ((this.usage.cost_usd ?? 0) + TURN_COST)) / 100,
    };
    this.observe({ type: 'usage', turn, input_tokens, output_tokens, cost_usd: TURN_COST });
    this.#work(-2);
    return kind === 'debug' ? this : this.edit(this.time(0, 2), this.#paths(), '+4 −1');
  }

  closeTurn({ tested, paths = this.#paths(), ...end }: TurnEnd = {}): this {
    const { turn, turn_kind: kind } = this.state;
    if (kind === 'normal') {
      this.observe({ type: 'files_changed', turn, paths });
      this.act(this.time(0, 48), { operation: 'npm run lint', is_check: true });
    }
    this.#work(2).setClock(this.time(3));
    return this.endTurn({
      report: { status: 'partial', summary: TITLES[turn - 1] },
      changes: { paths, added: 60 * turn, removed: 5 * turn },
      verification: verification(tested ?? expected(turn), this.time(1)),
      ...end,
      record: {
        turn_ms: 5 * 60_000,
        turn_cost_usd: TURN_COST,
        turn_added: turn === 6 ? 0 : 10 * turn + 1,
        turn_removed: turn === 6 ? 0 : turn % 4,
        ...end.record,
      },
    });
  }

  /** Minute 0 is in the middle of the turn that was begun last. */
  time(minute: number, second = 0): string {
    return TIME(5 * this.#begun + this.#waited + minute, second);
  }

  act(at: string, parts: Action): this {
    return this.observe(action({ at, turn: this.state.turn, ...parts }));
  }

  fail(at: string, operation: string, errors: ErrorSighting[], more: Action = {}): this {
    return this.act(at, { operation, ok: false, errors, ...more });
  }

  /** The last of these paths is written; all of them are changed now. */
  edit(at: string, paths: string[], lines: string): this {
    const operation = `edit ${paths.at(-1)}`;
    this.act(at, { kind: 'edit', title: `${operation}, ${lines}`, operation });
    return this.observe({ type: 'files_changed', turn: this.state.turn, paths });
  }

  /** A guard trips while the agent works, and the runner freezes it. */
  stop(minute = 3): this {
    this.#work(minute - 1)
      .setClock(this.time(minute))
      .trip();
    this.claim('agent_frozen', { escalation: this.asked.id, processes: 4, ms: 80 });
    return this;
  }

  /** People take their time; nothing works meanwhile. */
  waitFor(minutes: number): this {
    this.#waited += minutes;
    return this.setClock(this.time(3));
  }

  /** The answer reaches the agent that waits for it, and it goes on with its turn. */
  thaw(acknowledged: string): this {
    const asked = this.state.escalations.at(-1);
    const answer = this.work.answers.at(-1);
    if (!asked || !answer) throw new Error('nobody has answered');
    this.take().claim('answer_delivered', { answer: answer.id });
    this.claim('acknowledged', { escalation: asked.id, text: acknowledged });
    return this;
  }

  #work(minute: number): this {
    return this.observe({ type: 'clock', active_ms: (5 * this.#begun + minute) * 60_000 });
  }

  #paths(): string[] {
    return files(Math.min(12, this.state.turn + 2));
  }
}

/** What the checks say after this turn, where the story is not changed. */
function expected(turn: number): Tested {
  return { passed: PASSED[turn - 1] ?? 12, errors: [ERRORS[SHOWN[turn - 1] ?? 'key']] };
}

const LONGEST = new GiftCards({ max_iterations: 20, total_verification_attempts: 'off' }).through(10);

export function turns(upTo: number): TurnRecord[] {
  return LONGEST.state.turns.slice(0, upTo);
}

/** The run in the middle of a turn, with whatever a test wants to be different. */
export function run(change: Partial<RunState> = {}): RunState {
  return { ...new GiftCards().midway(change.turn ?? 6).state, ...change };
}

/** The same run, its open question changed. */
export function asking(state: RunState, change: Partial<Escalation>): RunState {
  const asked = questionOf(state);
  const changed = { ...asked, ...change };
  return { ...state, escalations: state.escalations.map((each) => (each === asked ? changed : each)) };
}

export function questionOf(state: RunState): Escalation {
  const asked = pendingEscalation(state);
  if (!asked) throw new Error('no question is open');
  return asked;
}

export const REPORT: BlockedReport = {
  blocking_issues: [
    {
      issue: 'The mail service refuses every call',
      location: 'src/cards/mail.ts:78',
      category: 'external_dependency',
      details: 'It asks for a key that only the owner of the account can create.',
    },
    {
      issue: 'Whether a card may be redeemed in parts is not said',
      category: 'unclear_requirement',
      details: '',
    },
  ],
  attempts_made: [
    { turn: 2, action: 'Sell cards against a fake mail client', result: 'Success' },
    {
      turn: 5,
      action: 'Record real answers once and replay them',
      result: 'Failed',
      why_failed: 'Recording needs the same key',
    },
    { turn: 7, action: 'Send through a local mail server', result: 'Partial', why_failed: null },
  ],
  suggested_alternatives: [
    'Use the sandbox of the mail service, with a key of its own',
    'Leave mailing for a task of its own',
  ],
  human_action_required:
    'Create a key for the mail sandbox and put it in `.env.test`,\nor agree to leave mailing out.',
};

export const WHERE: CommentContext = {
  mentions: ['rosa'],
  mention_reason: 'you labelled the issue',
  issue: 42,
  links: {
    run_page: 'https://autobuild.example.com/runs/r4x9k2',
    question: 'https://github.com/corner/shop/issues/42#issuecomment-1001',
    forms: { mail_api_key: 'https://autobuild.example.com/runs/r4x9k2/secret/mail_api_key' },
    changes: 'https://github.com/corner/shop/compare/main...autobuild/issue-42',
    log: 'https://github.com/corner/shop/actions/runs/77',
    report_json: 'https://github.com/corner/shop/actions/runs/77/artifacts/8',
    status: 'https://github.com/corner/shop/issues/42#issuecomment-1000',
    files: 'https://github.com/corner/shop/blob/3f9c1ab/',
    pull_request: { number: 43, url: 'https://github.com/corner/shop/pull/43' },
  },
  limits: RULES.limitsInForce(new GiftCards().state.limits),
  capabilities: { live: true, form: true },
  op: 'r4x9k2.e1',
};
