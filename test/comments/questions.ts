import type { Escalation } from '../../src/core/contracts/escalation.ts';
import type { GuardEvent, GuardId, ProposedWrite } from '../../src/core/contracts/guard.ts';
import type { RunState } from '../../src/core/contracts/run-state.ts';
import type { ExternalBlocker } from '../../src/core/contracts/verification.ts';
import type { WorkProblem } from '../../src/core/contracts/work-facts.ts';
import {
  ERRORS,
  files,
  GiftCards,
  questionOf,
  REPORT,
  TESTS,
  type Tested,
  TIME,
  verification,
} from './story.ts';

/** What-ifs of the story: one per guard, and the special ones. Each leads to a run that waits for a person. */
const STORIES: Record<string, () => GiftCards> = {
  need_help: () => asksForValues(),
  help_question: () =>
    asks(new GiftCards().midway(3), {
      help: {
        what_i_need: 'May a gift card be redeemed in parts, or only whole?',
        what_i_tried: 'Read the issue and the existing coupon code: both leave it open.',
        inputs: [],
      },
    }),
  help_unreadable: () =>
    asks(new GiftCards().midway(6), {
      raw: 'what_i_need: [a key\n```\nping @rosa <!-- autobuild:option id=e1.accept -->',
      problem: 'the YAML ends inside a list at line 1',
    }),
  same_error: () => repeatsAnError(),
  loop: () => loops(),
  job_never_starts: () => endsEarly(new GiftCards().through(4).park()),
  jobs_die: () => endsEarly(new GiftCards().midway(5)),
  jobs_without_a_turn: () => {
    const run = new GiftCards({ max_iterations: 5 }).midway(4);
    for (let job = 1; job < 5; job += 1) run.park().startJob();
    return run.park();
  },
  job_refused: () => {
    const run = new GiftCards().through(4).park();
    const reply = {
      tone: 'refused' as const,
      title: 'The job cannot be started: `.github/workflows/autobuild.yml` is not on `main`.',
      detail: 'Commit it again (`autobuild init` writes it), then reply `/continue`.',
    };
    run.feed({ type: 'dispatch_refused', at: run.now(), job: 2, kind: 'build', reply });
    return run;
  },
  ticket_used_twice: () => {
    const run = new GiftCards().midway(5);
    const at = run.now();
    run.feed({ type: 'ticket_claimed_twice', at, job: 1, kind: 'build', actions_run: 7, log_url: LOG });
    return run;
  },
  files: () => {
    const run = new GiftCards().midway(5);
    run.edit(run.time(0, 40), files(20), '+31 −8');
    return propose(run, 'file_limit', {
      held: true,
      diff: '--- src/mail/layout.ts\n+++ src/mail/layout.ts\n@@ -3,2 +3,2 @@\n-  return wrap(text);\n+  return wrap(`text`, footer);',
    });
  },
  scope: () =>
    propose(new GiftCards().midway(4), 'out_of_scope', {
      held: false,
      digest: 'c1',
      diff: '--- src/mail/layout.ts\n+++ src/mail/layout.ts\n@@ -3,1 +3,1 @@\n-  return wrap(text);\n+  return wrap(text, footer);',
    }),
  finished_unapproved: () => {
    const path = '.github/workflows/ci.yml';
    return finishes([...files(9), path], [{ path, why: 'workflow', digest: 'c1' }]);
  },
  finished_too_many_files: () => {
    const beyond = ['src/mail/layout.ts', 'src/mail/footer.ts'];
    return finishes(
      [...files(20), ...beyond],
      beyond.map((path) => ({ path, why: 'file_limit' })),
    );
  },
  gate_bypassed: () =>
    propose(new GiftCards().midway(4), 'gate_bypassed', {
      held: false,
      diff: '--- src/mail/layout.ts\n+++ src/mail/layout.ts\n@@ -3,1 +3,1 @@\n-  return wrap(text);\n+  return wrap(text, footer);',
    }),
  external_api: () => {
    const run = new GiftCards().midway(4);
    const blocker: ExternalBlocker = {
      kind: 'api_unavailable',
      endpoint: 'POST https://api.mail.example/v1/send',
      status: 503,
      transient: true,
    };
    return run
      .fail(run.time(1, 7), 'npm test -- mail', [], { blocker })
      .fail(run.time(1, 12), 'npm test -- mail', [], { blocker })
      .stop();
  },
  external_dependency: () =>
    blocked('npm install', {
      kind: 'missing_dependency',
      name: 'qr-maker',
      version: '^4.0.0',
      required_by: 'src/cards/sell.ts:3',
    }),
  external_permission: () =>
    blocked('npm run migrate', { kind: 'permission_denied', resource: '/var/lib/shop', operation: 'write' }),
  two_triggers: () => {
    const stalls = (from: number): Tested => ({
      passed: 8,
      errors: [ERRORS.balance],
      failing: failing(6, from),
    });
    return new GiftCards()
      .through(3)
      .wholeTurn({ tested: stalls(1) })
      .wholeTurn({ tested: stalls(2) })
      .wholeTurn({ tested: stalls(0) });
  },
  review_required: () =>
    new GiftCards().through(2).wholeTurn({
      report: {
        status: 'partial',
        summary: 'Redeem a card',
        errors: [{ type: 'invalid_specification', message: 'Cards cannot expire.' }],
        partial_progress: {
          stage: 'redeeming',
          details: 'left: expiry and mails',
          phases_completed: 2,
          phases_total: 4,
        },
        blocked_report: {
          blocking_issues: [
            {
              issue: 'What has no expiry date cannot be reported as expired',
              category: 'unclear_requirement',
              details: '',
            },
          ],
          attempts_made: [],
          suggested_alternatives: ['Give every card an expiry date', 'Leave out the report of expired cards'],
          human_action_required:
            'The issue asks for cards without an expiry date and for a report of expired cards. They contradict each other.',
        },
      },
    }),
  review_without_reason: () =>
    new GiftCards().through(2).wholeTurn({
      report: { status: 'partial', summary: 'Redeem a card', requires_user_review: true },
    }),
  nothing_changed: () =>
    new GiftCards().baseline(verification({ passed: 14 }, TIME(2))).wholeTurn({
      report: { status: 'implemented', summary: 'Everything was there already' },
      tested: { passed: 14 },
      paths: [],
    }),
  missing_work: () =>
    new GiftCards().baseline(verification({ passed: 5 }, TIME(2))).wholeTurn({
      report: { status: 'implemented', summary: 'Redeem a card' },
      tested: { passed: 14 },
      work: { files: 0, changed: 0, problems: [], secrets: [] },
    }),
  blocked_report: () => usesAllTurns({ report: givesUp('partial') }),
  blocked_at_default_limits: () => new GiftCards().through(9).wholeTurn({ report: givesUp('blocked') }),
  iterations: () => usesAllTurns({}),
  iterations_at_default_limits: () => new GiftCards().through(10),
  fallback_none: () => usesAllTurns({ report: undefined }),
  fallback_invalid: () =>
    usesAllTurns({
      report:
        '{ "status": "partial", "blocked_report": { "blocking_issues": [ { "issue": "No key", "category": "network" } ] } }',
    }),
  fallback_died: () => usesAllTurns({ report: undefined, exit: 'exit 137' }),
  runtime: () => new GiftCards().midway(8).stop(21),
  errors: () => {
    const run = new GiftCards().midway(5);
    const seen = { redeem: ERRORS.balance, mail: ERRORS.key, sell: ERRORS.balance, queue: ERRORS.queue };
    for (const [index, [name, error]] of Object.entries(seen).entries()) {
      run.fail(run.time(1, 10 * index), `npm test -- ${name}`, [error]);
      run.edit(run.time(1, 10 * index + 5), [...files(7), `src/cards/${name}.ts`], `+${index + 2} −1`);
    }
    return run.fail(run.time(2), 'npm test -- stock', [ERRORS.stock]).stop();
  },
  no_file_change: () => {
    const run = new GiftCards().midway(4);
    const edit = 'edit src/cards/redeem.ts';
    return run
      .fail(run.time(0, 10), 'npm test -- redeem', [ERRORS.balance])
      .fail(run.time(0, 30), edit, [], { kind: 'edit' })
      .fail(run.time(0, 50), 'edit src/mail/layout.ts', [], { kind: 'edit', refused: true })
      .act(run.time(1, 10), { operation: 'npm run lint', is_check: true })
      .fail(run.time(1, 30), edit, [], { kind: 'edit' })
      .stop();
  },
  no_test_improvement: () =>
    new GiftCards()
      .through(2)
      .wholeTurn({ tested: { passed: 11, errors: [ERRORS.key] } })
      .wholeTurn({ tested: { passed: 11, errors: [ERRORS.balance], failing: failing(3, 1) } })
      .wholeTurn({ tested: { passed: 11, errors: [ERRORS.stock], failing: failing(3, 2) } })
      .wholeTurn({ tested: { passed: 11, total: 13, errors: [ERRORS.key], failing: failing(2, 0) } }),
  verification_limit: () => new GiftCards({ max_iterations: 20 }).through(10),
  cost: () => new GiftCards({ cost_exceeds: 2 }).midway(6).stop(),
  debug_findings: () => {
    const run = loops().waitFor(20);
    run.tick('debug');
    return run.openTurn().closeTurn({
      report: {
        status: 'partial',
        root_cause_found: false,
        root_cause:
          'Ruled out: timing, test order, stale data. The balance is already wrong when the handler is called.',
      },
    });
  },
};

/** Other names for each `from`, because the same number of failing tests is the same result only with the same names. */
function failing(count: number, from: number): string[] {
  return [...TESTS, ...TESTS].slice(from, from + count);
}

type Help = Omit<Extract<GuardEvent, { type: 'help_requested' }>, 'type' | 'turn'>;

function asks(run: GiftCards, help: Help): GiftCards {
  return run.observe({ type: 'help_requested', turn: run.state.turn, ...help }).stop();
}

function asksForValues(): GiftCards {
  return asks(new GiftCards().midway(6), {
    help: {
      what_i_need:
        'Please give me a key of the mail sandbox and the address mails come from.\nI cannot create the key: the account asks for its owner (@rosa?).',
      what_i_tried:
        '1. Looked for a key in `.env.example` and the README: only placeholders.\n2. Faked the client: 10 tests pass, the 4 in `test/mail-live.test.ts` need real answers.',
      inputs: [
        { key: 'mail_from', label: 'Sender address', secret: false },
        { key: 'mail_api_key', label: 'Key of the mail sandbox', secret: true },
      ],
    },
  });
}

/** One of the two values is given, and the job has parked. */
export function valueGiven(): RunState {
  const run = asksForValues().waitFor(31);
  run.say('/provide mail_from=shop@corner.example');
  return run.park().state;
}

/** One value is given in a comment, the other one by the form, and the agent goes on with its turn. */
export function valuesGiven(): GiftCards {
  const run = asksForValues().waitFor(31);
  run.say('/provide mail_from=shop@corner.example');
  run.waitFor(3).say(`/provide mail_api_key=${'k'.repeat(32)}`, { via: 'form' });
  return run.waitFor(1).thaw('Both values received, running the live tests. Thanks @rosa!');
}

/** The second question of its run: the same tests fail three times, each time with another error. */
function loops(): GiftCards {
  return valuesGiven()
    .closeTurn()
    .wholeTurn({ tested: { passed: 12, errors: [ERRORS.key] } })
    .wholeTurn({ tested: { passed: 12, errors: [ERRORS.stock] } })
    .wholeTurn({ tested: { passed: 12, errors: [ERRORS.queue] } });
}

export function repeatsAnError(guards: Partial<Record<GuardId, unknown>> = {}): GiftCards {
  const run = new GiftCards(guards)
    .through(4)
    .wholeTurn({ tested: { passed: 10, errors: [ERRORS.balance] } });
  const moved = { ...ERRORS.balance, line: 44 };
  return run
    .openTurn()
    .fail(run.time(0, 48), 'npm test -- redeem', [moved])
    .edit(run.time(1, 20), [...files(7), 'src/cards/redeem.ts'], '+2 −4')
    .act(run.time(1, 40), { operation: 'npm run lint', is_check: true })
    .fail(run.time(2, 10), 'npm test -- redeem', [moved])
    .stop();
}

const LOG = 'https://github.com/corner/shop/actions/runs/7';

/** Three jobs in a row, as their Actions runs end. A live one begins its turn again each time. */
function endsEarly(run: GiftCards): GiftCards {
  const begins = run.state.job_live;
  for (let lost = 1; lost <= 3; lost += 1) {
    if (lost > 1 && begins) run.startJob().beginTurn();
    const job = run.state.jobs + (begins ? 0 : 1);
    const outcome = 'the Actions run ended (failure)';
    run.feed({ type: 'job_ended', at: run.now(), kind: 'build', job, outcome, log_url: LOG });
  }
  return run;
}

function propose(run: GiftCards, why: ProposedWrite['why'], write: Partial<ProposedWrite>): GiftCards {
  const { turn, task } = run.state;
  run.observe({
    type: 'write_proposed',
    turn,
    proposed: { path: 'src/mail/layout.ts', why, held: true, ...write },
    files: files(why === 'file_limit' ? 20 : turn + 2),
    scope: task.scope ?? [],
  });
  return run.stop();
}

function blocked(operation: string, blocker: ExternalBlocker): GiftCards {
  const run = new GiftCards().midway(4);
  return run.fail(run.time(1, 7), operation, [], { blocker }).stop();
}

function finishes(paths: string[], problems: WorkProblem[]): GiftCards {
  return new GiftCards().through(6).wholeTurn({
    report: { status: 'implemented', summary: 'Take the balance inside a lock' },
    tested: { passed: 14 },
    paths,
    work: { digest: 'd1', files: paths.length, problems, secrets: [] },
  });
}

export function givesUp(status: 'partial' | 'blocked'): object {
  return { status, summary: 'Retry the queue job once', blocked_report: REPORT };
}

/** Without the limit of verifications, which by default is reached with the last turn. */
function usesAllTurns(last: Parameters<GiftCards['closeTurn']>[0]): GiftCards {
  return new GiftCards({ total_verification_attempts: 'off' }).through(9).wholeTurn(last);
}

/** Runs that wait, by the name of their golden files. */
export const QUESTIONS: Record<string, RunState> = Object.fromEntries(
  Object.entries(STORIES).map(([name, tell]) => [name, tell().state]),
);

export function waiting(name: string): RunState {
  const state = QUESTIONS[name];
  if (!state) throw new Error(`The story has no question ${name}.`);
  return state;
}

export function question(name: string): Escalation {
  return questionOf(waiting(name));
}
