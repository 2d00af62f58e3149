import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import type { CommentContext } from '../../../src/core/contracts/comment-context.ts';
import type { Escalation } from '../../../src/core/contracts/escalation.ts';
import type { GuardId, Occurrence, ProposedWrite, Trigger } from '../../../src/core/contracts/guard.ts';
import type { TurnRecord } from '../../../src/core/contracts/run-event.ts';
import { findActive, parseMarkdown, walk } from '../active-markdown.ts';
import { hostile } from '../hostile-text.ts';
import { QUESTIONS, question, waiting } from '../questions.ts';
import { asking, ERRORS, questionOf, REPORT, TIME, turns, WHERE } from '../story.ts';

const render = (name: string, where: CommentContext = WHERE, change: Partial<Escalation> = {}) => {
  const state = asking(waiting(name), change);
  return renderEscalation(state, questionOf(state), where);
};

describe('what every question says', () => {
  it.each(Object.keys(QUESTIONS))('C-3: %s has a box per option, with its id and exact command', (name) => {
    const asked = question(name);
    const markdown = render(name);
    const boxes = [...markdown.matchAll(/^- \[ \] <!-- autobuild:option id=(\S+) --> .* `(\/[^`]+)`$/gm)];
    expect(boxes.map((box) => [box[1], box[2]])).toEqual(
      asked.options.map((option) => [`${asked.id}.${option.id}`, option.command]),
    );
    let checkboxes = 0;
    walk(parseMarkdown(markdown), (node) => {
      if (node.type === 'listItem' && node.checked === false) checkboxes += 1;
    });
    expect(checkboxes).toBe(asked.options.length);
  });

  it.each(Object.keys(QUESTIONS))(
    'G-5: %s states turn, time, progress, last output and errors, and offers a review',
    (name) => {
      const markdown = render(name);
      const { turn, max_turns, active_ms, failing, errors } = question(name).context;
      expect(markdown).toMatch(
        new RegExp(`\\| \\**${turn}/${max_turns}\\** \\| \\**${Math.floor(active_ms / 60_000)}/60 min`),
      );
      expect(markdown.includes(`**Still failing:** \`${failing[0]}\``)).toBe(failing.length > 0);
      expect(markdown).toContain('Last output, ');
      expect(markdown.includes(`last ${errors.length} errors`)).toBe(errors.length > 0);
      expect(markdown).toContain('`/review`');
    },
  );

  it.each([
    ['iterations', 'Iteration Limit'],
    ['runtime', 'Runtime Limit'],
    ['loop', 'Loop Detected'],
    ['errors', 'Error Threshold'],
  ])('G-13: %s carries its header, says each fact once, and asks what next', (name, header) => {
    const markdown = render(name);
    const { question: asked, headline } = question(name);
    expect(markdown).toMatch(new RegExp(`^\\*\\*${header}\\.?\\*\\*`, 'm'));
    expect(headline).toMatch(/, what next\?$/);
    expect(asked).toMatch(/ How to proceed\?$/);
    expect(markdown).not.toContain(asked);
    expect(markdown).not.toContain('How to proceed?');
  });

  it('E-9: type, criteria, context, recent actions and options are there', () => {
    const markdown = render('same_error');
    expect(markdown).toContain('`same_error_repeated: 3`');
    expect(markdown).toContain('| 6, 13:32:10 | npm test -- redeem | ✗ TypeError: Cannot read');
    expect(markdown).toContain('@rosa, please answer (you labelled the issue).');
  });

  it('E-1: each occurrence stands with its place and what was tried after it', () => {
    const markdown = render('same_error');
    expect(markdown).toContain('`src/cards/redeem.ts:41`');
    expect(markdown).toContain('| edit src/cards/redeem.ts, +2 −4; npm run lint |');
    expect(markdown).toContain('| Stopped here |');
  });

  it('E-4: the pass-rate history is shown, and that tests went missing', () => {
    const markdown = render('no_test_improvement');
    expect(question('no_test_improvement').question).toContain('no test improvement after 3 attempts');
    expect(markdown).toContain('no improvement in 3 test runs');
    expect(markdown).toContain('5/14, 7/14, 11/14, 11/14, 11/14, 11/13 · `▃▄▆▆▆▆`');
    expect(markdown).toContain('| 6 | 11/13 | 84 % |');
    expect(markdown).toContain('The number of tests fell from 14 to 13.');
  });

  it('E-5: the 20 files and the proposed one are listed, with the edit that is held', () => {
    const markdown = render('files');
    for (const path of question('files').triggers[0]?.evidence.files ?? [])
      expect(markdown).toContain(`\`${path}\``);
    expect(markdown).toContain('| 21 | `src/mail/layout.ts` | not changed yet |');
    expect(markdown).toContain('The edit waits for your answer.');
    expect(markdown).toContain('+  return wrap(`text`, footer);');
  });

  it('B-8: a change that may have no room leads to its page, where there are pages', () => {
    const diff = 'https://autobuild.example.com/runs/r4x9k2/diff';
    const where = { ...WHERE, links: { ...WHERE.links, diff } };
    const triggers = question('files').triggers.map((trigger) => ({
      ...trigger,
      evidence: {
        ...trigger.evidence,
        proposed: trigger.evidence.proposed?.map((write) => ({ ...write, diff: '+line\n'.repeat(2_000) })),
      },
    }));
    expect(render('files', where, { triggers })).toContain(`[The whole change](${diff})`);
    expect(render('files', WHERE, { triggers })).not.toContain('The whole change');
    expect(render('files', where)).not.toContain('The whole change');
  });

  it('S-7: a file whose change is not shown is said to be one, and every file is named', () => {
    const page = 'https://autobuild.example.com/runs/r4x9k2/diff';
    const where = { ...WHERE, links: { ...WHERE.links, diff: page } };
    const withWrites = (writes: Partial<ProposedWrite>[], at: CommentContext = where) => {
      const triggers = question('scope').triggers.map((trigger) => ({
        ...trigger,
        evidence: {
          ...trigger.evidence,
          proposed: writes.map((write, index) => ({
            ...{ path: `docs/${index}.md`, why: 'out_of_scope' as const, held: false },
            ...write,
          })),
        },
      }));
      return render('scope', at, { triggers });
    };
    expect(withWrites([{}])).toContain('approve to apply it. Its content is not shown here.\n');
    expect(withWrites([{ finished: true }])).toContain(
      `if you approve it. Its content is not shown here: [the whole change](${page}).\n`,
    );
    expect(withWrites([{ finished: true }], WHERE)).toContain('Its content is not shown here.\n');
    expect(withWrites([{ diff: '+a' }, { finished: true, diff: '+b' }])).not.toContain('not shown here');
    const seven = withWrites(Array.from({ length: 7 }, (_, index) => (index < 5 ? { diff: '+a' } : {})));
    expect(seven).toContain('2 more files in the list below.');
    expect(seven).toContain('<summary>All 7 files to approve</summary>');
    expect(seven).toContain("| `docs/6.md` | outside the task's scope |");
    expect(seven).toContain(`[The whole change](${page})`);
  });

  it('E-6: the scope and the attempted path are shown', () => {
    const markdown = render('scope');
    expect(markdown).toContain("**The task's scope:** `src/cards/**` and `test/**`");
    expect(markdown).toContain('`src/mail/layout.ts`');
  });

  it.each([
    ['external_api', ['`POST https://api.mail.example/v1/send`', '**HTTP 503**', '16 Nov 2026 13:21:07 UTC']],
    ['external_dependency', ['`qr-maker ^4.0.0`', '`src/cards/sell.ts:3`']],
    ['external_permission', ['`/var/lib/shop`', '| Operation | write |']],
  ])('E-7: %s shows what is outside, with high priority', (name, texts) => {
    const markdown = render(name);
    expect(markdown).toContain('> High priority.');
    for (const text of texts) expect(markdown).toContain(text);
  });

  it('E-8: several triggers are one question that lists all', () => {
    const markdown = render('two_triggers');
    expect(markdown).toContain('| Same error | **3/3** |');
    expect(markdown).toContain('| Runs without improvement | **3/3** |');
    expect(markdown).toContain('`same_error_repeated: 3` and `no_test_improvement_after: 3`');
  });

  it('the mention is the only one, and a mention that is none is left out', () => {
    expect(render('need_help').match(/@rosa/g)).toHaveLength(2); // one of them in code, in the agent's words
    expect(render('loop', { ...WHERE, mentions: ['all of you <b>'] })).not.toContain('please answer');
  });
});

describe('help', () => {
  it('P-5: a plain value has a line to copy; P-9: a secret has a door and never a line', () => {
    const markdown = render('need_help');
    expect(markdown).toContain('```\n/provide mail_from=\n```');
    expect(markdown).toContain(
      '[open the one-time form](https://autobuild.example.com/runs/r4x9k2/secret/mail_api_key)',
    );
    expect(markdown).not.toContain('/provide mail_api_key');
  });

  it('P-9: without a form it points to an Actions secret or the terminal', () => {
    const markdown = render('need_help', { ...WHERE, capabilities: { live: false, form: false } });
    expect(markdown).toContain('Save it as the Actions secret `MAIL_API_KEY`');
    expect(markdown).not.toContain('one-time form');
    expect(markdown).not.toContain('/provide mail_api_key');
  });

  it('P-5: a partial answer is counted in and not asked for again', () => {
    const given = { mail_from: { ref: 'v1', length: 4 } };
    const state = { ...waiting('need_help'), given };
    const markdown = renderEscalation(state, questionOf(state), WHERE);
    expect(markdown).toContain('2 values needed (1 of 2 given)');
    expect(markdown).toContain('`mail_from` · ✓ given');
    expect(markdown).not.toContain('/provide mail_from=');
  });

  it('P-1: an unreadable message is shown with the problem, and its markers mean nothing', () => {
    const markdown = render('help_unreadable');
    expect(markdown).toContain('the YAML ends inside a list at line 1');
    expect(markdown).toContain('what_i_need: [a key');
    expect(markdown.match(/autobuild:option id=e1\.accept -->/g)).toHaveLength(2);
    expect(markdown.match(/<!-- autobuild:option id=e1\.accept -->/g)).toHaveLength(1);
  });
});

describe('review', () => {
  it('K-8: says why and how to go on, and never suggests that it goes on by itself', () => {
    const markdown = render('review_required');
    expect(markdown).toContain('USER REVIEW REQUIRED: The issue asks for cards without an expiry date');
    expect(markdown).toContain('After resolving, reply `/continue`');
    expect(markdown).not.toMatch(/by itself|automatically|auto-resume|will resume/i);
  });

  it('K-5: a flag that was derived is said to be so, and a missing reason is a problem that is shown', () => {
    expect(render('review_required')).toContain(
      '`requires_user_review` was not set; an error of this type always stops for review.',
    );
    expect(render('review_without_reason')).toContain(
      '| `review_reason` | `nothing` | one or two sentences, required',
    );
  });
});

describe('blocked reports', () => {
  it('B-5: title, the four heads, ✓ for "Success" only, nothing empty for what is missing', () => {
    const markdown = render('blocked_report');
    expect(markdown).toContain('#### Task Blocked - Structured Report');
    expect(markdown).toContain('**Human Action Required**');
    expect(markdown).toContain('**Blocking Issues**');
    expect(markdown).toContain('<b>Attempts Made</b>: 3 attempts, 1 succeeded');
    expect(markdown).toContain('**Suggested Alternatives**');
    expect(markdown).toContain('| 2 | ✓ | Sell cards');
    expect(markdown).toContain('| 7 | ✗ | Send through a local mail server | Partial |');
    expect(markdown).toContain(
      '2. **Whether a card may be redeemed in parts is not said** · unclear requirement\n\n',
    );
    expect(markdown).not.toMatch(/\n{3,}|undefined|null/);
  });

  it('B-5: without suggestions as boxes they are listed', () => {
    expect(render('iterations', WHERE, { blocked_report: REPORT })).toContain(
      "**Suggested Alternatives** (from the agent's report)\n\n1. Use the sandbox",
    );
  });

  it('B-7: the fallback starts with the fixed line when the turn limit tripped, and shows what was measured', () => {
    const [, , first, , second] = render('fallback_none').split('\n').slice(1);
    expect(first).toBe('Max turns exceeded. Human intervention required.');
    expect(second).toContain('The agent did not report why it is stuck.');
    const markdown = render('fallback_none');
    expect(markdown).toContain('What the 10 turns changed, as measured');
    expect(markdown).toContain('Most frequent errors (3)');
    expect(markdown).toContain('| 5 | `MailError: 401 no API key` |');
    const report_missing = { kind: 'none' as const, problems: [] };
    expect(render('same_error', WHERE, { report_missing })).not.toContain('Max turns exceeded');
  });

  it('B-4: an invalid report names field, value and what is allowed, and is kept as it came', () => {
    const markdown = render('fallback_invalid');
    expect(markdown).toContain(
      '`blocked_report.blocking_issues[0].category` | `"network"` | external_dependency, test_failure',
    );
    expect(markdown).toContain('```json\n{ "status": "partial"');
  });

  it('B-7: a death is said to be one', () => {
    expect(render('fallback_died')).toContain(
      "The agent's process ended (exit 137) before it wrote a report.",
    );
  });
});

describe('size', () => {
  const long = 'A long line with @mona and `code` and a | pipe. '.repeat(2_000);
  const many = (n: number) => Array.from({ length: n }, (_, i) => i);
  const trigger = (guard: GuardId, evidence: Trigger['evidence']): Trigger => ({
    guard,
    kind: 'attempt_count',
    threshold: 3,
    observed: 3,
    evidence,
  });
  const seen = (remediation: string[] = []): Occurrence => ({
    turn: 10,
    at: TIME(1),
    operation: 'npm test',
    error: { ...ERRORS.key, message: long, file: long },
    remediation,
  });
  const huge: Partial<Escalation> = {
    headline: long,
    question: long,
    headers: [long],
    what_i_need: long,
    what_i_tried: long,
    findings: long,
    inputs: many(20).map((i) => ({ key: `key_${i}`, label: long.slice(0, 500), secret: i % 2 === 0 })),
    blocked_report: {
      blocking_issues: many(50).map(() => ({
        issue: long,
        location: long,
        category: 'architectural',
        details: long,
      })),
      attempts_made: many(150).map((turn) => ({
        turn: turn + 1,
        action: long,
        result: long,
        why_failed: long,
      })),
      suggested_alternatives: many(50).map(() => long),
      human_action_required: long,
    },
    report_missing: {
      kind: 'invalid',
      problems: many(50).map(() => ({ field: long, value: long, allowed: long })),
      raw: long,
    },
    context: {
      ...question('blocked_report').context,
      failing: many(50).map(() => long),
      errors: many(3).map(() => seen()),
      recent_actions: many(500).map(() => ({ turn: 1, at: TIME(1), title: long, ok: false, result: long })),
      last_output: { at: TIME(1), command: long, result: long, tail: long },
      progress: { stage: long, details: long },
    },
    triggers: [
      trigger('same_error_repeated', {
        occurrences: many(500).map(() => seen([long, long, long])),
      }),
      trigger('files_modified_exceeds', {
        files: many(10_000).map((i) => `src/${i}/${long.slice(0, 300)}`),
        scope: many(500).map(() => long),
        proposed: many(50).map((i) => ({
          path: `${i}${long}`,
          why: 'file_limit' as const,
          held: true,
          diff: long,
        })),
      }),
      trigger('no_test_improvement_after', {
        pass_rates: many(5_000).map((turn) => ({ turn, unit: 'tests' as const, passed: 1, total: 2 })),
      }),
      trigger('no_file_changes_after_attempts', {
        attempts: many(500).map(() => ({ turn: 1, at: TIME(1), title: long, ok: true, result: long })),
      }),
    ],
  };

  it('B-8: huge evidence fits, every option is there, and nothing is cut inside a fence or a table', () => {
    const state = {
      ...asking(waiting('blocked_report'), huge),
      turns: many(200).map((i) => ({ ...(turns(1)[0] as TurnRecord), turn: i + 1, title: long })),
    };
    const asked = questionOf(state);
    const markdown = renderEscalation(state, asked, WHERE);
    expect(markdown.length).toBeLessThan(60_000);
    for (const option of asked.options)
      expect(markdown).toContain(`<!-- autobuild:option id=e1.${option.id} -->`);
    expect(markdown).toContain('@rosa, please answer');
    expect(markdown.trimEnd().endsWith('</sub>')).toBe(true);
    expect(markdown.match(/<details>/g)?.length ?? 0).toBe(markdown.match(/<\/details>/g)?.length ?? 0);
    walk(parseMarkdown(markdown), (node) => {
      if (node.type !== 'table') return;
      const widths = new Set(node.children.map((row) => row.children.length));
      expect(widths.size).toBe(1);
    });
    expect(markdown).toMatch(/Omitted for length: .* \(on the \[run page\]/);
  });

  it('B-8: a fold of some hundred rows is shortened and says where the rest is', () => {
    const action = { turn: 1, at: TIME(1), title: 'npm test', ok: true, result: '' };
    const context = { ...question('loop').context, recent_actions: many(300).map(() => action) };
    expect(render('loop', WHERE, { context })).toContain('260 more rows on the [run page]');
    const nowhere = { ...WHERE, links: undefined };
    expect(render('loop', nowhere, { context })).toContain("260 more rows in the run's record.");
  });

  it('B-8: an ordinary question stays below the target', () => {
    for (const name of Object.keys(QUESTIONS)) expect(render(name).length).toBeLessThan(10_000);
  });
});

describe('hostile records', () => {
  const OURS =
    /^(?:<!-- autobuild:(?:escalation|option) [\w .=-]*-->|<details><summary>(?:[^<@]|<\/?(?:b|code)>)*<\/summary>|<\/details>|<\/?(?:sub|b|code)>)$/;

  it('S-14: nothing in a whole question is active but what is ours, for 2,000 hostile records', () => {
    const { limits } = WHERE;
    const where: CommentContext = { limits, capabilities: { live: true, form: true }, op: 'x' };
    fc.assert(
      fc.property(
        fc.array(
          hostile.map((text) => text.slice(0, 80)),
          { minLength: 4, maxLength: 4 },
        ),
        fc.constantFrom(...Object.keys(QUESTIONS)),
        (texts, name) => {
          // The desk makes this address, and its link is the only one.
          const asked = { ...poison(question(name), texts), log_url: undefined };
          const markdown = renderEscalation(asking(waiting(name), asked), asked, where);
          const allowed = { html: OURS, types: ['heading'], boxes: asked.options.length };
          expect(findActive(markdown, allowed)).toEqual([]);
          const markers = [...markdown.matchAll(/<!--\s*autobuild:(\w+)/g)].map((match) => match[1]);
          expect(markers).toEqual(['escalation', ...asked.options.map(() => 'option')]);
        },
      ),
      { numRuns: 300 },
    );
  }, 120_000);

  /** Every text of the record replaced, as if the agent had written all of it. */
  function poison(asked: Escalation, texts: string[]): Escalation {
    let next = 0;
    const fixed = new Set([
      'id',
      'type',
      'status',
      'guard',
      'kind',
      'at',
      'created_at',
      'first_seen',
      'tried_again',
      'why',
      'category',
      'key',
      'command',
      'priority',
      'unit',
      'operation',
      'follows',
    ]);
    const replace = (value: unknown, name: string): unknown => {
      if (typeof value === 'string')
        return fixed.has(name) ? value : (texts[next++ % texts.length] ?? '') + value;
      if (Array.isArray(value)) return value.map((item) => replace(item, name));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, key)]));
    };
    return replace(asked, '') as Escalation;
  }
});
