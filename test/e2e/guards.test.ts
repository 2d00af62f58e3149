import { describe, expect, test } from 'vitest';
import type { GuardId } from '../../src/core/contracts/guard.ts';
import { agentScript, createScratch } from './cli-run.ts';

interface Case {
  guard: GuardId;
  id: string;
  config?: string;
  task?: string;
  verify?: string;
  agent: string;
  answer: string;
  args?: string[];
}

/** Others would trip at the same moment; these cases look at one guard each. */
const ONLY = (lines: string) =>
  `guards:\n  same_error_repeated: off\n  consecutive_errors: off\n  no_file_changes_after_attempts: off\n  loop_detected: off\n  no_test_improvement_after: off\n${lines}`;

const FAILING = (message: string) =>
  `say '{"type":"action","kind":"command","command":"npm test","exit_code":1,"output":"${message}"}'`;

const FINISH = 'touch done; report implemented finished';

const CASES: Case[] = [
  {
    guard: 'max_iterations',
    id: 'G-1',
    config: ONLY('  max_iterations: 2\n'),
    agent: `echo $TURN > work; if [ $TURN -lt 3 ]; then report partial working; else ${FINISH}; fi`,
    answer: '/continue +5',
  },
  {
    guard: 'max_runtime',
    id: 'G-2',
    config: ONLY('  max_runtime: 0.02\n'),
    agent: `sleep 4; ${FINISH}`,
    answer: '/continue +10min',
  },
  {
    guard: 'loop_detected',
    id: 'G-3',
    config: ONLY('').replace('loop_detected: off', 'loop_detected: 3'),
    agent: `echo $TURN > work; if [ $TURN -lt 4 ]; then report partial working; else ${FINISH}; fi`,
    answer: '/continue new-approach',
  },
  {
    guard: 'consecutive_errors',
    id: 'G-4',
    config: ONLY('').replace('consecutive_errors: off', 'consecutive_errors: 5'),
    agent: `if [ $TURN = 1 ] && ! grep -q Retry "$AUTOBUILD_PROMPT"; then for n in One Two Three Four Five; do ${FAILING('Error$n: it broke').replace('Error$n', '\'"Error$n"\'')}; done; sleep 20; fi; ${FINISH}`,
    answer: '/retry',
  },
  {
    guard: 'same_error_repeated',
    id: 'E-1',
    config: ONLY('').replace('same_error_repeated: off', 'same_error_repeated: 3'),
    agent: `if ! grep -q Guidance "$AUTOBUILD_PROMPT"; then for n in 1 2 3; do ${FAILING('TypeError: undefined is not a function\\n    at run (src/a.ts:12:3)')}; done; sleep 20; fi; ${FINISH}`,
    answer: '/guide Try async/await instead of callbacks',
  },
  {
    guard: 'total_verification_attempts',
    id: 'E-2',
    config: ONLY('  total_verification_attempts: 2\n'),
    agent: `echo $TURN > work; if [ $TURN -lt 3 ]; then report partial working; else ${FINISH}; fi`,
    answer: '/continue',
  },
  {
    guard: 'no_file_changes_after_attempts',
    id: 'E-3',
    config: ONLY('').replace('no_file_changes_after_attempts: off', 'no_file_changes_after_attempts: 5'),
    agent: `if ! grep -q different "$AUTOBUILD_PROMPT"; then for n in 1 2 3 4 5; do ${FAILING('it broke')}; done; sleep 20; fi; ${FINISH}`,
    answer: '/continue new-approach',
  },
  {
    guard: 'no_test_improvement_after',
    id: 'E-4',
    config: ONLY('').replace('no_test_improvement_after: off', 'no_test_improvement_after: 3'),
    verify:
      "test -f done || { printf '1..5\\nok 1\\nok 2\\nok 3\\nnot ok 4 - a\\nnot ok 5 - b\\n'; exit 1; }",
    agent: `echo $TURN > work; if [ $TURN -lt 4 ]; then report partial working; else ${FINISH}; fi`,
    answer: '/continue new-approach',
  },
  {
    guard: 'files_modified_exceeds',
    id: 'E-5',
    config: ONLY('  files_modified_exceeds: 2\n'),
    verify: 'test -f c.txt -a -f done',
    agent: `if [ -f c.txt ]; then ${FINISH}; else echo a > a.txt; echo b > b.txt; sleep 1.5; echo c > c.txt; sleep 20; fi`,
    answer: '/approve files=10',
  },
  {
    guard: 'spec_deviation_detected',
    id: 'E-6',
    config: ONLY(''),
    task: '# Fix sign-in\n\n## Scope\n\n- authentication\n- done\n',
    verify: 'test -f payment/pay.js -a -f done',
    agent: `if [ -f payment/pay.js ]; then ${FINISH}; else mkdir -p payment authentication; echo a > authentication/a.js; echo p > payment/pay.js; sleep 20; fi`,
    answer: '/approve',
  },
  {
    guard: 'external_blocker',
    id: 'E-7',
    config: ONLY(''),
    agent: `if [ -f retried ]; then ${FINISH}; else touch retried; say '{"type":"action","kind":"command","command":"npm test","exit_code":1,"output":"GET https://api.example.com/v1/items answered HTTP 503 Service Unavailable"}'; sleep 20; fi`,
    answer: '/retry',
  },
  {
    guard: 'need_help',
    id: 'P-1',
    config: ONLY(''),
    agent: `say '<<<NEED_HELP>>>'; say 'what_i_tried: looked everywhere'; say 'what_i_need: the colour'; say 'inputs: [{key: colour, label: Colour}]'; say '<<<END_HELP>>>'; until grep -q green "$AUTOBUILD_INPUTS"; do sleep 0.1; done; ${FINISH}`,
    answer: '/provide colour=green',
  },
  {
    guard: 'review_required',
    id: 'K-5',
    config: ONLY(''),
    agent: `if [ $TURN = 1 ]; then printf '{"status":"partial","requires_user_review":true,"review_reason":"The issue contradicts itself."}' > "$AUTOBUILD_REPORT"; else ${FINISH}; fi`,
    answer: '/continue',
  },
  {
    guard: 'cost_exceeds',
    id: 'E-19',
    config: ONLY('  cost_exceeds: 1\n'),
    agent: `say '{"type":"usage","input_tokens":10,"output_tokens":5,"cost_usd":1.5}'; sleep 1.5; ${FINISH}`,
    answer: '/continue',
  },
];

describe('each guard trips for a shell script, and an answer resumes it', () => {
  for (const { guard, id, config, task, verify, agent, answer, args = [] } of CASES) {
    test(`${id}: ${guard} stops the agent, ${answer} goes on to the end`, async () => {
      const scratch = createScratch();
      if (config) scratch.write('.github/autobuild.yml', config);
      if (task) scratch.write('TASK.md', task);
      scratch.write('agent.sh', agentScript(agent), 0o755);
      const done = await scratch.run([
        'run',
        'TASK.md',
        '--json',
        '--verify',
        verify ?? 'test -f done',
        '--answer',
        answer,
        ...args,
        '--',
        './agent.sh',
      ]);
      expect(
        done.escalations.map((e) => e.triggers.map((t) => t.guard)),
        done.stderr,
      ).toEqual([[guard]]);
      expect(done.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'reviewing' });
      expect(done.code).toBe(0);
    });
  }
});
