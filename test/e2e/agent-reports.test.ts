import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratch, FINISH, prepare, runArgs } from './cli-run.ts';

interface BadReport {
  id: string;
  what: string;
  /** What the first turn does with its report. */
  does: string;
  problem: { field: string; value: RegExp; allowed: RegExp };
  raw?: RegExp;
}

const BLOCKED = (category: string) =>
  `{"status":"blocked","blocked_report":{"blocking_issues":[{"issue":"No key","category":"${category}","details":"none"}],"attempts_made":[],"suggested_alternatives":[],"human_action_required":"Give one"}}`;

const BAD_REPORTS: BadReport[] = [
  {
    id: 'B-4',
    what: 'an unknown category',
    does: `printf '%s' '${BLOCKED('bad_luck')}' > "$AUTOBUILD_REPORT"`,
    problem: {
      field: 'blocked_report.blocking_issues[0].category',
      value: /bad_luck/,
      allowed: /external_dependency, test_failure, architectural, unclear_requirement/,
    },
    raw: /bad_luck/,
  },
  {
    id: 'B-4',
    what: 'a report that is not JSON',
    does: `printf 'All done, trust me.' > "$AUTOBUILD_REPORT"`,
    problem: { field: 'report', value: /All done, trust me/, allowed: /JSON/ },
    raw: /All done, trust me\./,
  },
  {
    id: 'B-7',
    what: 'a report of 100 MB',
    does: 'truncate -s 100M "$AUTOBUILD_REPORT"',
    problem: { field: 'report', value: /104857600 bytes/, allowed: /at most 1 MiB/ },
  },
  {
    id: 'B-7',
    what: 'a report that is a link out of the worktree',
    does: 'ln -sf ../../../outside.json "$AUTOBUILD_REPORT"',
    problem: { field: 'report', value: /symbolic link/, allowed: /JSON file/ },
  },
  {
    id: 'B-7',
    what: 'a report that is a directory',
    does: 'mkdir "$AUTOBUILD_REPORT"; touch "$AUTOBUILD_REPORT/x"',
    problem: { field: 'report', value: /not a regular file/, allowed: /JSON file/ },
  },
  {
    id: 'B-7',
    what: 'a report that is a pipe',
    does: 'mkfifo "$AUTOBUILD_REPORT"',
    problem: { field: 'report', value: /not a regular file/, allowed: /JSON file/ },
  },
];

describe.concurrent('a report that cannot be used is shown at the turn limit, and the next turn can write its own', () => {
  for (const { id, what, does, problem, raw } of BAD_REPORTS) {
    test(`${id}: ${what}`, async ({ onTestFinished }) => {
      const scratch = createScratch(onTestFinished);
      writeFileSync(join(scratch.root, 'outside.json'), '{"status":"implemented","summary":"OUTSIDE"}');
      prepare(scratch, `if [ $TURN = 1 ]; then ${does}; else ${FINISH}; fi`);
      const done = await scratch.run(runArgs({ answers: ['/continue +1'], more: ['--max-turns', '1'] }));
      expect(done.code, done.stderr).toBe(0);
      expect(done.escalations).toHaveLength(1);
      const missing = done.escalations[0]?.report_missing;
      expect(missing?.kind).toBe('invalid');
      const found = missing?.problems.find(({ field }) => field === problem.field);
      expect(found?.value).toMatch(problem.value);
      expect(found?.allowed).toMatch(problem.allowed);
      // The person sees it, and the text itself is kept.
      expect(done.stderr).toContain('Max turns exceeded. Human intervention required.');
      expect(done.stderr.replaceAll(/\s+/g, ' ')).toContain(problem.field);
      if (raw) expect(scratch.journal()).toMatch(raw);
      expect(scratch.journal()).not.toContain('OUTSIDE');
    });
  }

  test('B-7: no report at all still gives what was measured, and says so', async ({ onTestFinished }) => {
    const scratch = createScratch(onTestFinished);
    prepare(scratch, 'echo one > work.txt; report partial x; rm "$AUTOBUILD_REPORT"');
    const parked = await scratch.run(runArgs({ more: ['--max-turns', '1'] }));
    expect(parked.code).toBe(2);
    expect(parked.escalations[0]).toMatchObject({
      type: 'iteration_limit',
      report_missing: { kind: 'none', problems: [] },
      context: { turn: 1, files: 1, errors: [expect.anything()] },
    });
    expect(parked.stderr).toContain('Max turns exceeded. Human intervention required.');
  });

  test('B-7: an agent that dies at the limit is told apart from one that stays silent', async ({
    onTestFinished,
  }) => {
    const scratch = createScratch(onTestFinished);
    prepare(scratch, 'kill -9 $$');
    const parked = await scratch.run(runArgs({ more: ['--max-turns', '1'] }));
    expect(parked.escalations[0]?.report_missing).toMatchObject({ kind: 'died', exit: 'killed by SIGKILL' });
  });
});

interface BadBlock {
  what: string;
  lines: string[];
  problem: RegExp;
}

const BAD_BLOCKS: BadBlock[] = [
  {
    what: 'an alias bomb',
    lines: [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]',
      'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]',
      'what_i_tried: [*c, *c, *c, *c, *c, *c, *c]',
      'what_i_need: BOMB-7',
    ],
    problem: /alias/i,
  },
  {
    what: 'tabs',
    lines: ['what_i_tried:', '\\t- one', '\\t- two', 'what_i_need: TABS-7'],
    problem: /YAML|tab/i,
  },
  {
    what: 'a key twice',
    lines: ['what_i_tried: one', 'what_i_need: TWICE-7', 'what_i_need: two'],
    problem: /repeats the key "what_i_need"/,
  },
  {
    what: 'nothing that is required',
    lines: ['please: HELP-7'],
    problem: /what_i_tried/,
  },
];

describe.concurrent('a help block that cannot be read is a question that shows the text', () => {
  for (const { what, lines, problem } of BAD_BLOCKS) {
    test(`P-1: ${what}`, async ({ onTestFinished }) => {
      const scratch = createScratch(onTestFinished);
      const block = ['<<<NEED_HELP>>>', ...lines, '<<<END_HELP>>>'].join('\\n');
      prepare(
        scratch,
        `printf '${block}\\n'; until grep -q 'plain YAML' "$AUTOBUILD_INPUTS"; do sleep 0.05; done; ${FINISH}`,
      );
      const done = await scratch.run(runArgs({ answers: ['/guide Use plain YAML'] }));
      expect(done.code, done.stderr).toBe(0);
      expect(done.escalations).toHaveLength(1);
      expect(done.escalations[0]?.type).toBe('need_help');
      const evidence = done.escalations[0]?.triggers[0]?.evidence;
      const wanted = /[A-Z]+-7/.exec(lines.join(' '))?.[0] ?? '';
      expect(evidence?.help_raw).toContain(wanted);
      expect(evidence?.help_problem).toMatch(problem);
      expect(done.stderr).toContain(wanted);
    });
  }
});

test('T-6: where all checks pass without a report, the line of the first such turn says why the run continues', async () => {
  const scratch = createScratch();
  prepare(scratch, 'touch done');
  const parked = await scratch.run(runArgs({ more: ['--max-turns', '3'] }));
  expect(parked.code, parked.stderr).toBe(2);
  expect(parked.stderr.match(/left no report in \$AUTOBUILD_REPORT, which counts as partial/g)).toHaveLength(
    1,
  );
});
