import type { Escalation } from '../../src/core/contracts/escalation.ts';
import { approvePastTheGate, refusePastTheGate } from '../../src/guards/options.ts';
import {
  context,
  ERRORS,
  escalation,
  files,
  occurrence,
  options,
  REPORT,
  rates,
  TIME,
  trigger,
} from './story.ts';

const ASKED = { help: { what_i_tried: 'a guess', what_i_need: 'an answer', inputs: [] } };

/** What-ifs of the story's run: one question per guard, and the special ones. */
export const QUESTIONS: Record<string, Escalation> = {
  need_help: escalation(6, {
    type: 'need_help',
    headline: '2 values needed (0 of 2 given)',
    headers: ['Help Needed'],
    triggers: [trigger('need_help', 1, null, ASKED)],
    what_i_need:
      'Please give me a key of the mail sandbox and the address mails come from.\nI cannot create the key: the account asks for its owner (@rosa?).',
    what_i_tried:
      '1. Looked for a key in `.env.example` and the README: only placeholders.\n2. Faked the client: 11 tests pass, the 3 in `test/mail-live.test.ts` need real answers.',
    inputs: [
      { key: 'mail_from', label: 'Sender address', secret: false },
      { key: 'mail_api_key', label: 'Key of the mail sandbox', secret: true },
    ],
    options: options('continue', 'skip', 'accept', 'review', 'cancel'),
  }),
  help_question: escalation(3, {
    type: 'need_help',
    headline: 'the agent asks a question',
    headers: ['Help Needed'],
    triggers: [trigger('need_help', 1, null, ASKED)],
    what_i_need: 'May a gift card be redeemed in parts, or only whole?',
    what_i_tried: 'Read the issue and the existing coupon code: both leave it open.',
    options: options('skip', 'accept', 'review', 'cancel'),
  }),
  help_unreadable: escalation(6, {
    type: 'need_help',
    headline: 'the agent asks for help, its message could not be read',
    headers: ['Help Needed'],
    triggers: [
      trigger('need_help', 1, null, {
        help_raw: 'what_i_need: [a key\n```\nping @rosa <!-- autobuild:option id=e1.accept -->',
        help_problem: 'the YAML ends inside a list at line 1',
      }),
    ],
    options: options('skip', 'accept', 'review', 'cancel'),
  }),
  same_error: escalation(6, {
    type: 'repeated_error',
    headline: 'same error 3 times, a hint would help',
    question: `The same error occurred 3 times in a row: "${ERRORS.signature.message}". How to proceed?`,
    headers: ['Repeated Error'],
    triggers: [
      trigger('same_error_repeated', 3, 3, {
        signature: ERRORS.signature.signature,
        occurrences: [
          occurrence(5, 0, ERRORS.signature, ['edit src/cards/redeem.ts, +3 −1']),
          occurrence(5, 2, { ...ERRORS.signature, line: 44 }, [
            'edit src/cards/redeem.ts, +2 −4',
            'npm run lint',
          ]),
          occurrence(6, 1, { ...ERRORS.signature, line: 44 }),
        ],
      }),
    ],
    options: options('retry', 'debug', 'skip', 'accept', 'review', 'terminate'),
  }),
  loop: escalation(9, {
    id: 'e2',
    type: 'loop_detected',
    headline: 'same result 3 times, choose how to go on',
    question:
      'Loop detected - same output pattern repeated 3 times: "test-fail:2-mail,redeem". How to proceed?',
    headers: ['Loop Detected'],
    triggers: [trigger('loop_detected', 3, 3, { signature: 'test-fail:2-mail,redeem', turns: [7, 8, 9] })],
    options: options('new-approach', 'debug', 'accept', 'review', 'cancel'),
    during_turn: false,
  }),
  files: escalation(5, {
    type: 'scope_drift',
    headline: '20 of 20 files changed, approve a 21st?',
    question:
      '20 of 20 files are changed and the agent is about to change `src/mail/layout.ts`. How to proceed?',
    headers: ['File Limit'],
    context: context(5, { files: 20 }),
    triggers: [
      trigger('files_modified_exceeds', 20, 20, {
        files: files(20),
        proposed: [
          {
            path: 'src/mail/layout.ts',
            why: 'file_limit',
            held: true,
            diff: '--- src/mail/layout.ts\n+++ src/mail/layout.ts\n@@ -3,2 +3,2 @@\n-  return wrap(text);\n+  return wrap(`text`, footer);',
          },
        ],
      }),
    ],
    options: options('approve-21', 'approve-30', 'stay', 'accept', 'review', 'terminate'),
  }),
  scope: escalation(4, {
    type: 'scope_drift',
    headline: "a file outside the task's paths, approve it?",
    question:
      "The agent wants to change src/mail/layout.ts, outside the task's scope (src/cards/**, test/**). How to proceed?",
    headers: ['Scope'],
    triggers: [
      trigger('spec_deviation_detected', 1, null, {
        scope: ['src/cards/**', 'test/**'],
        proposed: [{ path: 'src/mail/layout.ts', why: 'out_of_scope', held: false }],
      }),
    ],
    options: options('approve-path', 'approve-dir', 'stay', 'accept', 'review', 'terminate'),
  }),
  finished_unapproved: escalation(7, {
    type: 'scope_drift',
    headline: 'the finished work changes a file that needs approval, approve it?',
    question:
      'The work is finished, but it changes .github/workflows/ci.yml, which a person has to approve before it is committed. How to proceed?',
    headers: ['Approval Needed'],
    // Finished work passes its checks.
    context: context(7, {
      pass_rates: [...rates(6), { turn: 7, unit: 'tests', passed: 14, total: 14 }],
      failing: [],
      last_output: { at: TIME(36), command: 'npm test', result: 'exited 0, 14 passed', tail: 'ok 14' },
      errors: [],
      recent_actions: [
        { turn: 7, at: TIME(35, 2), title: 'edit .github/workflows/ci.yml, +6 −0', ok: true, result: '' },
        { turn: 7, at: TIME(35, 48), title: 'npm test', ok: true, result: '' },
      ],
    }),
    triggers: [
      trigger('spec_deviation_detected', 1, null, {
        proposed: [{ path: '.github/workflows/ci.yml', why: 'workflow', held: false, finished: true }],
      }),
    ],
    options: [
      {
        id: 'approve-path',
        label: 'Approve this file',
        description: 'the next one asks again.',
        command: '/approve',
      },
      {
        id: 'stay',
        label: 'Go on without it',
        description: 'the agent takes the change back and finishes.',
        command: '/guide Undo the change to .github/workflows/ci.yml and finish without it',
      },
      ...options('accept', 'review', 'terminate'),
    ],
    during_turn: false,
  }),
  gate_bypassed: escalation(4, {
    type: 'scope_drift',
    headline: 'a file was written past the gate, approve it?',
    question:
      'The agent changed src/mail/layout.ts past the gate, without asking first. What it wrote was put back. How to proceed?',
    headers: ['Gate Bypassed'],
    triggers: [
      trigger('spec_deviation_detected', 1, null, {
        proposed: [
          {
            path: 'src/mail/layout.ts',
            why: 'gate_bypassed',
            held: false,
            diff: '--- src/mail/layout.ts\n+++ src/mail/layout.ts\n@@ -3,1 +3,1 @@\n-  return wrap(text);\n+  return wrap(text, footer);',
          },
        ],
      }),
    ],
    options: [
      approvePastTheGate(1),
      refusePastTheGate(['src/mail/layout.ts']),
      ...options('accept', 'review', 'terminate'),
    ],
  }),
  external_api: external('api_unavailable', 'api.mail.example answers 503, someone should look', {
    blocker: {
      kind: 'api_unavailable',
      endpoint: 'POST https://api.mail.example/v1/send',
      status: 503,
      transient: false,
    },
    first_seen: TIME(23, 7),
    tried_again: TIME(23, 12),
    operation: 'npm test -- mail',
  }),
  external_dependency: external('missing_dependency', 'qr-maker ^4.0.0 is missing, someone should look', {
    blocker: {
      kind: 'missing_dependency',
      name: 'qr-maker',
      version: '^4.0.0',
      required_by: 'src/cards/sell.ts:3',
    },
    first_seen: TIME(23, 7),
  }),
  external_permission: external(
    'permission_denied',
    'no permission to write /var/lib/shop, someone should look',
    {
      blocker: { kind: 'permission_denied', resource: '/var/lib/shop', operation: 'write' },
      first_seen: TIME(23, 7),
    },
  ),
  two_triggers: escalation(7, {
    type: 'repeated_error',
    headline: 'same error 3 times, a hint would help',
    question: `The same error occurred 3 times in a row: "${ERRORS.key.message}". How to proceed?`,
    headers: ['Repeated Error'],
    triggers: [
      trigger('same_error_repeated', 3, 3, {
        occurrences: [
          occurrence(5, 0, ERRORS.key, ['edit src/cards/mail.ts']),
          occurrence(6, 0, ERRORS.key),
          occurrence(7, 0, ERRORS.key),
        ],
      }),
      trigger('no_test_improvement_after', 3, 3, { pass_rates: rates(6) }),
    ],
    options: options('new-approach', 'retry', 'debug', 'skip', 'accept', 'review', 'terminate'),
    during_turn: false,
  }),
  review_required: escalation(3, {
    type: 'review_required',
    headline: 'the task as written cannot be built, a decision is needed',
    question: 'The agent asks for a decision. How to proceed?',
    headers: ['Review Required'],
    context: context(3, {
      progress: {
        stage: 'redeeming',
        details: 'left: expiry and mails',
        phases_completed: 2,
        phases_total: 4,
      },
    }),
    triggers: [
      trigger('review_required', 1, null, {
        review_reason:
          'The issue asks for cards without an expiry date and for a report of expired cards. Both cannot be.',
        review_types: ['invalid_specification'],
        review_derived: true,
        report_problems: [{ field: 'review_reason', value: 'nothing', allowed: 'one or two sentences' }],
      }),
    ],
    blocked_report: { ...REPORT, attempts_made: [] },
    options: options('alternative-1', 'alternative-2', 'accept', 'review', 'cancel'),
    during_turn: false,
  }),
  blocked_report: escalation(10, {
    ...limit(),
    blocked_report: REPORT,
    options: options(
      'alternative-1',
      'alternative-2',
      'continue-5',
      'continue-5-new',
      'accept',
      'review',
      'cancel',
    ),
  }),
  fallback_none: escalation(10, { ...limit(), report_missing: { kind: 'none', problems: [] } }),
  fallback_invalid: escalation(10, {
    ...limit(),
    report_missing: {
      kind: 'invalid',
      problems: [
        {
          field: 'blocked_report.blocking_issues[0].category',
          value: '"network"',
          allowed: 'external_dependency, test_failure, architectural, unclear_requirement',
        },
      ],
      raw: '{ "status": "blocked", "blocked_report": { "blocking_issues": [ { "issue": "No key", "category": "network" } ] } }',
    },
  }),
  fallback_died: escalation(10, {
    ...limit(),
    report_missing: { kind: 'died', problems: [], exit: 'exit 137' },
  }),
  iterations: escalation(10, limit()),
  runtime: escalation(8, {
    type: 'runtime_limit',
    headline: '60 of 60 min used, 2 tests fail, choose how to go on',
    question:
      'Runtime limit (60min) exceeded after 8 iterations. 2 of 14 tests still failing. How to proceed?',
    headers: ['Runtime Limit'],
    context: context(8, { active_ms: 60 * 60_000 + 400 }),
    triggers: [trigger('max_runtime', 60.007, 60, { unit: 'minutes' })],
    options: options('continue-10min', 'pause', 'accept', 'review', 'cancel'),
  }),
  errors: escalation(5, {
    type: 'error_threshold',
    headline: '5 errors in a row, choose how to go on',
    question:
      '5 consecutive errors occurred. Last error: "AssertionError: expected 4 to be 5". How to proceed?',
    headers: ['Error Threshold'],
    triggers: [
      trigger('consecutive_errors', 5, 5, {
        occurrences: [ERRORS.signature, ERRORS.key, ERRORS.signature, ERRORS.key, ERRORS.stock].map(
          (error, i) =>
            occurrence(3 + Math.floor(i / 2), i, error, i === 1 ? ['edit src/cards/mail.ts'] : []),
        ),
      }),
    ],
    options: options('retry', 'debug', 'skip', 'review', 'cancel'),
  }),
  no_file_change: escalation(4, {
    type: 'progress_stall',
    headline: '5 attempts changed no file, a hint would help',
    question: '5 attempts in a row changed no file. How to proceed?',
    headers: ['No File Changes'],
    triggers: [
      trigger('no_file_changes_after_attempts', 5, 5, {
        attempts: [1, 2, 3, 4, 5].map((i) => ({
          turn: 4,
          at: TIME(20 + i),
          title: i % 2 ? 'npm test -- redeem' : 'edit src/cards/redeem.ts',
          ok: false,
          result: i % 2 ? 'exit 1' : 'text to replace not found',
        })),
      }),
    ],
    options: options('new-approach', 'debug', 'accept', 'review', 'terminate'),
  }),
  no_test_improvement: escalation(6, {
    type: 'progress_stall',
    headline: '3 test runs, none better, choose how to go on',
    question:
      'There was no test improvement after 3 attempts: 11 of 14 tests pass since turn 4. How to proceed?',
    headers: ['No Test Improvement'],
    context: context(6, { pass_rates: [...rates(5), { turn: 6, unit: 'tests', passed: 11, total: 13 }] }),
    triggers: [trigger('no_test_improvement_after', 3, 3, { pass_rates: rates(6) })],
    options: options('new-approach', 'debug', 'skip', 'accept', 'review', 'terminate'),
    during_turn: false,
  }),
  verification_limit: escalation(10, {
    type: 'verification_limit',
    headline: '10 of 10 verifications used, choose how to go on',
    question: 'Verification limit (10) reached. Current status: 2 of 14 tests still failing. How to proceed?',
    headers: ['Verification Limit'],
    triggers: [trigger('total_verification_attempts', 10, 10, { turns: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })],
    options: options('continue-from-zero', 'debug', 'accept', 'review', 'terminate'),
    during_turn: false,
  }),
  cost: escalation(6, {
    type: 'cost_limit',
    headline: '$2.10 of $2.00 spent, choose how to go on',
    question: 'The run has spent $2.10 of $2.00. How to proceed?',
    headers: ['Cost Limit'],
    triggers: [trigger('cost_exceeds', 2.1, 2, { unit: 'dollars' })],
    options: options('continue-from-zero', 'accept', 'review', 'cancel'),
  }),
  debug_findings: escalation(9, {
    id: 'e3',
    type: 'loop_detected',
    headline: 'the debug turn found no cause, choose how to go on',
    question: 'The debugging turn ended without a root cause. How to proceed?',
    headers: ['Loop Detected'],
    triggers: [trigger('loop_detected', 3, 3, { signature: 'test-fail:2-mail,redeem', turns: [7, 8, 9] })],
    findings:
      'Ruled out: timing, test order, stale data. The balance is already wrong when the handler is called.',
    follows: 'e2',
    options: options('new-approach', 'skip', 'accept', 'review', 'cancel'),
    during_turn: false,
  }),
};

function external(_kind: string, headline: string, evidence: Parameters<typeof trigger>[3]): Escalation {
  return escalation(4, {
    type: 'external_blocker',
    priority: 'high',
    headline,
    question: 'Something outside the repository blocks the task. How to proceed?',
    headers: ['External Blocker'],
    triggers: [trigger('external_blocker', 1, null, evidence)],
    options: options('retry', 'skip', 'pause', 'accept', 'review', 'terminate'),
  });
}

function limit(): Parameters<typeof escalation>[1] {
  return {
    type: 'iteration_limit',
    headline: '10 of 10 turns used, 2 tests fail, choose how to go on',
    question: 'Iteration limit (10) reached. Current status: 2 of 14 tests still failing. How to proceed?',
    headers: ['Iteration Limit'],
    triggers: [trigger('max_iterations', 10, 10)],
    options: options('continue-5', 'continue-5-new', 'debug', 'accept', 'review', 'cancel'),
    during_turn: false,
  };
}
