import type { BlockedReport } from '../../src/core/contracts/blocked-report.ts';
import type { CommentContext } from '../../src/core/contracts/comment-context.ts';
import type { Escalation, EscalationContext } from '../../src/core/contracts/escalation.ts';
import type { GuardId, Occurrence, Option, PassRate, Trigger } from '../../src/core/contracts/guard.ts';
import type { TurnRecord } from '../../src/core/contracts/run-event.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import type { ErrorSighting, Verification } from '../../src/core/contracts/verification.ts';
import { guardById } from '../../src/guards/registry.ts';
import { RULES } from '../../src/guards/rules.ts';

/** One story for all golden files: a small shop wants gift cards, issue 42, asked for by rosa. */

export const TIME = (minute: number, second = 0) =>
  new Date(Date.UTC(2026, 10, 16, 13, 0, 0) + minute * 60_000 + second * 1000).toISOString();

const LIMITS = {
  max_iterations: 10,
  max_runtime: 60,
  files_modified_exceeds: 20,
  cost_exceeds: 'off',
};

export const ERRORS = {
  signature: {
    message: "TypeError: Cannot read properties of undefined (reading 'balance')",
    signature: "TypeError: Cannot read properties of undefined (reading 'balance')",
    file: 'src/cards/redeem.ts',
    line: 41,
  },
  key: {
    message: 'MailError: 401 no API key',
    signature: 'MailError: 401 no API key',
    file: 'test/mail-live.test.ts',
    line: 22,
  },
  stock: {
    message: 'AssertionError: expected 4 to be 5',
    signature: 'AssertionError: expected 4 to be 5',
    file: 'test/stock.test.ts',
    line: 61,
  },
} satisfies Record<string, ErrorSighting>;

export function verification(
  passed: number,
  total: number,
  minute: number,
  errors: ErrorSighting[] = [],
): Verification {
  const failing = [
    'redeems a card twice',
    'mails the card to its owner',
    'expires an old card',
    'fixes #7 for good',
  ].slice(0, total - passed);
  const tests = { passed, failed: total - passed, skipped: 0, failing };
  const check = { exit_code: 0, timed_out: false, duration_ms: 4_000, output_tail: '', errors: [] };
  return {
    at: TIME(minute),
    ok: passed === total,
    tests,
    checks: [
      {
        ...check,
        command: 'npm test',
        ok: passed === total,
        exit_code: passed === total ? 0 : 1,
        tests,
        errors,
      },
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
const PASSED = [5, 8, 10, 11, 11, 11, 12, 12, 12, 12];

export function turns(upTo: number): TurnRecord[] {
  return Array.from({ length: upTo }, (_, i) => {
    const turn = i + 1;
    const passed = PASSED[i] ?? 12;
    return {
      turn,
      kind: 'normal',
      title: TITLES[i] ?? `Turn ${turn}`,
      verification: verification(
        passed,
        14,
        5 * turn,
        turn > 2 ? [ERRORS.key, ...(turn > 6 ? [ERRORS.stock] : [])] : [ERRORS.signature],
      ),
      signature: turn > 6 ? 'test-fail:2-mail,redeem' : `test-fail:${14 - passed}-…`,
      changes: { paths: files(Math.min(12, turn + 2)), added: 60 * turn, removed: 5 * turn },
      turn_ms: 5 * 60_000,
      turn_cost_usd: 0.35,
      turn_added: turn === 6 ? 0 : 10 * turn + 1,
      turn_removed: turn === 6 ? 0 : turn % 4,
      exit: 'exit 0',
    };
  });
}

const NAMES = ['schema', 'sell', 'redeem', 'balance', 'mail', 'expire', 'lock', 'queue', 'errors', 'routes'];
export function files(n: number): string[] {
  return Array.from(
    { length: n },
    (_, i) =>
      `${i % 3 === 2 ? 'test' : 'src/cards'}/${NAMES[i % 10]}${i > 9 ? `-${i}` : ''}${i % 3 === 2 ? '.test' : ''}.ts`,
  );
}

export function rates(upTo: number): PassRate[] {
  return turns(upTo).map(({ turn }, i) => ({ turn, unit: 'tests', passed: PASSED[i] ?? 12, total: 14 }));
}

export function run(change: Partial<RunState> = {}): RunState {
  const turn = change.turn ?? 6;
  const done = turns(turn - 1);
  return {
    run: 'r4x9k2',
    status: 'building',
    task: {
      id: 'issue-42',
      title: 'Sell gift cards',
      body: '',
      acceptance_criteria: [],
      source: 'issue 42',
      scope: ['src/cards/**', 'test/**'],
    },
    agent: 'claude',
    agents: ['claude', 'codex'],
    checks: ['npm test', 'npm run lint'],
    known_errors: [],
    reminders: { every_ms: 4 * 3_600_000, high_every_ms: 3_600_000 },
    requested_by: 'rosa',
    requested_at: TIME(-2),
    updated_at: TIME(5 * turn + 3),
    limits: LIMITS,
    limits_rev: 1,
    rearmed_at: {},
    approved_paths: [],
    jobs: 1,
    job_live: true,
    baseline: verification(5, 14, 0),
    turn,
    turn_open: true,
    turn_kind: 'normal',
    turns: done,
    guards: {},
    metrics: METRICS,
    active_ms: (5 * turn + 2) * 60_000,
    waiting_ms: 0,
    usage: { input_tokens: 1_220_000, output_tokens: 88_000, cost_usd: 0.35 * turn },
    changes: done.at(-1)?.changes ?? { paths: [], added: 0, removed: 0 },
    escalations: [],
    given: {},
    answers: [],
    guidance: [],
    known_issues: [],
    ...change,
  };
}

const METRICS = {
  consecutive_same_errors: 0,
  attempts_without_file_change: 0,
  test_runs_without_improvement: 0,
  files_modified_count: 8,
};

export function context(turn: number, change: Partial<EscalationContext> = {}): EscalationContext {
  const last = rates(turn).at(-1) ?? { passed: 5, total: 14 };
  return {
    turn,
    max_turns: 10,
    active_ms: (5 * turn + 2) * 60_000,
    max_runtime_ms: 60 * 60_000,
    files: Math.min(12, turn + 2),
    max_files: 20,
    cost_usd: 0.35 * turn,
    baseline: { turn: 0, unit: 'tests', passed: 5, total: 14 },
    pass_rates: rates(turn),
    failing: verification(last.passed, last.total, 0).tests?.failing ?? [],
    last_output: {
      at: TIME(5 * turn + 1),
      command: 'npm test',
      result: `exited 1, ${last.passed} passed, ${14 - last.passed} failed`,
      tail: 'not ok 12 - mails the card to its owner\n  MailError: 401 no API key\n    at test/mail-live.test.ts:22:9',
    },
    errors: [occurrence(turn, 1, ERRORS.key), occurrence(turn - 1, 0, ERRORS.key)],
    recent_actions: [
      { turn, at: TIME(5 * turn, 2), title: 'edit src/cards/mail.ts, +4 −1', ok: true, result: '' },
      { turn, at: TIME(5 * turn, 48), title: 'npm test -- mail', ok: false, result: 'exit 1' },
    ],
    metrics: METRICS,
    ...change,
  };
}

export function occurrence(
  turn: number,
  minute: number,
  error: ErrorSighting,
  remediation: string[] = [],
): Occurrence {
  return { turn, at: TIME(5 * turn + minute, 10), operation: 'npm test', error, remediation };
}

const OPTIONS: Record<string, Omit<Option, 'id'>> = {
  'alternative-1': {
    label: 'Use the sandbox of the mail service, with a key of its own',
    description: '',
    command: '/override alternative 1',
  },
  'alternative-2': {
    label: 'Leave mailing for a task of its own',
    description: '',
    command: '/override alternative 2',
  },
  'approve-21': {
    label: 'Approve this file',
    description: 'the next one asks again.',
    command: '/approve files=21',
  },
  'approve-30': {
    label: 'Approve up to 30 files',
    description: 'no question until then.',
    command: '/approve files=30',
  },
  'approve-path': {
    label: 'Approve this file',
    description: 'the next one asks again.',
    command: '/approve',
  },
  'approve-dir': {
    label: 'Approve `src/mail/**`',
    description: 'no question until then.',
    command: '/approve paths=src/mail/**',
  },
  stay: {
    label: 'Stay within the 20',
    description: 'the edit is refused, the rest goes on.',
    command: '/guide Finish without changing any other file',
  },
  continue: {
    label: 'They are in Actions secrets',
    description: 'of the same names: look again.',
    command: '/continue',
  },
  'continue-5': {
    label: 'Continue +5',
    description: '5 more turns, same approach.',
    command: '/continue +5',
  },
  'continue-5-new': {
    label: 'Continue +5 (new approach)',
    description: 'told what was tried and not to repeat it.',
    command: '/continue +5 new-approach',
  },
  'continue-10min': {
    label: 'Continue +10min',
    description: '10 more minutes.',
    command: '/continue +10min',
  },
  'continue-from-zero': { label: 'Continue', description: 'count again from 0.', command: '/continue' },
  'new-approach': {
    label: 'Try a different approach',
    description: 'told what turns 7 to 9 did and not to repeat it.',
    command: '/continue new-approach',
  },
  retry: {
    label: 'Retry with context',
    description: 'go on with the error history in hand.',
    command: '/retry',
  },
  debug: {
    label: 'Debug first',
    description: 'one turn to find the root cause, nothing else changed.',
    command: '/debug',
  },
  skip: {
    label: 'Skip and continue',
    description: 'list it as a known issue, finish the rest.',
    command: '/skip',
  },
  pause: { label: 'Checkpoint & pause', description: 'no reminders, decide later.', command: '/pause' },
  accept: {
    label: 'Accept current',
    description: 'finish now with what is there, marked as partial.',
    command: '/accept',
  },
  review: { label: 'Review', description: 'show the full history, then ask again.', command: '/review' },
  cancel: { label: 'Cancel', description: 'stop here; the branch is kept.', command: '/cancel' },
  terminate: { label: 'Terminate', description: 'end this run; the branch is kept.', command: '/terminate' },
};

export function options(...ids: string[]): Option[] {
  return ids.map((id) => {
    const option = OPTIONS[id];
    if (!option) throw new Error(`The story has no option ${id}.`);
    return { id, ...option };
  });
}

export function trigger(
  guard: GuardId,
  observed: number,
  threshold: number | null,
  evidence: Trigger['evidence'] = {},
): Trigger {
  return { guard, kind: guardById(guard).kind, threshold, observed, evidence };
}

type Asked = Pick<Escalation, 'type' | 'headline' | 'triggers' | 'options'> & Partial<Escalation>;

export function escalation(turn: number, asked: Asked): Escalation {
  const { hint, category, triggers } = RULES.describe(asked.triggers, { turn, max_turns: 10 });
  return {
    id: 'e1',
    status: 'pending',
    priority: 'normal',
    question: '',
    headers: [],
    context: context(turn),
    inputs: [],
    created_at: TIME(5 * turn + 3),
    responses: [],
    reminders: 0,
    during_turn: true,
    rearm: asked.triggers.map((t) => t.guard),
    hint,
    category,
    ...asked,
    triggers,
  };
}

/** The run that waits for this question. */
export function waiting(asked: Escalation, change: Partial<RunState> = {}): RunState {
  const turn = asked.context.turn;
  return run({
    turn,
    turns: asked.during_turn ? turns(turn - 1) : turns(turn),
    turn_open: asked.during_turn,
    status: 'waiting_for_input',
    escalations: [asked],
    pending: asked.id,
    ...change,
  });
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
  mention_reason: 'who labelled the issue',
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
  limits: RULES.limitsInForce(LIMITS),
  capabilities: { live: true, form: true },
  op: 'r4x9k2.e1',
};
