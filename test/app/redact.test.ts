import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redact, redactAround } from '../../src/app/redact.ts';
import { renderEscalation } from '../../src/comments/github/render-escalation.ts';
import { renderPullRequest } from '../../src/comments/github/render-pull-request.ts';
import { renderStatus } from '../../src/comments/github/render-status.ts';
import { code, fenced, htmlCode, inlineText, quoted } from '../../src/comments/text/harmless.ts';
import { renderTable } from '../../src/comments/text/markdown.ts';
import type { CommentContext } from '../../src/core/contracts/comment-context.ts';
import type { Input } from '../../src/core/contracts/input.ts';
import { hideInEnvelope } from '../../src/core/secrets/hide-in-claims.ts';
import { RULES } from '../../src/guards/rules.ts';
import { Run } from '../core/run-builder.ts';
import { expectLinear } from '../expect-linear.ts';

const WHERE: CommentContext = {
  issue: 7,
  limits: RULES.limitsInForce({}),
  capabilities: { live: false, form: true },
  op: 'r1.status',
};

const RENDERED: Record<string, (text: string) => string> = {
  'as it is': (text) => text,
  'in a sentence': (text) => inlineText(`The key ${text} is refused.`, 500),
  alone: (text) => inlineText(text, 500),
  'in a quote': (text) => quoted(`I tried\n${text}\nand failed`, 500),
  'in code': (text) => code(`curl -u ${text} shop`, 500),
  'in a fence': (text) => fenced(`$ login ${text}\nrefused`, 500),
  'in a summary': (text) => htmlCode(`login ${text}`, 500),
  'in a table': (text) => renderTable({ head: ['a'], rows: [[inlineText(text, 500)], [code(text, 500)]] }),
  'in base64': (text) => inlineText(`Basic ${Buffer.from(text).toString('base64')} sent`, 500),
  'in JSON': (text) => fenced(JSON.stringify({ text }), 500),
  'in a URL': (text) => inlineText(`see /login?key=${encodeURIComponent(text)} there`, 500),
};

const SECRETS = [
  'pa*ss*w0rd[1]q',
  'x<y>z&amp;123|4',
  '_lead_and_trail_',
  '#1pass~word!',
  'a&lt;b&#124;c\\|d',
  'p@ssw0rd with `code` and $1',
  'fixes #12 in the vault',
  '-----+++++=====',
];

test.each(SECRETS)('R-11: %s does not leave in a text, however it was rendered', (secret) => {
  for (const [how, render] of Object.entries(RENDERED)) {
    const clean = redact(render(secret), [secret]);
    expect(clean, how).toContain('[redacted]');
    expect(shown(clean), how).not.toContain(shown(secret));
  }
});

test('S-13: what has the shape of a credential does not leave in a text, whoever knows it and however it was rendered', () => {
  for (const token of [`ghp_${'a1B2c3D4e5'.repeat(4)}`, `sk-ant-api03-_${'a1_B2-c3'.repeat(6)}-_A`]) {
    expect(redact(token, [])).toBe('[redacted]');
    for (const [how, render] of Object.entries(RENDERED)) {
      if (how === 'in base64') continue;
      const clean = redact(render(token), []);
      expect(clean, how).toContain('[redacted]');
      expect(shown(clean), how).not.toContain('a1');
    }
  }
});

test('what stands beside a secret stays as it was', () => {
  const text = 'Use `a` &amp; \\*b\\* with pa\\*ss\\*w0rd\\[1\\]q, then <b>go</b> | on…';
  expect(redact(text, ['pa*ss*w0rd[1]q'])).toBe(
    'Use `a` &amp; \\*b\\* with [redacted], then <b>go</b> | on…',
  );
  expect(redact('ends with &lt;secret&gt; here', ['<secret>'])).toBe('ends with [redacted] here');
  expect(redact(text, [])).toBe(text);
  expect(redact(text, ['a', 'then'])).toBe(text);
});

test('P-1: a common word is hidden in sentences, not in the marks, commands and keys of ours', () => {
  const text = [
    '<!-- autobuild:question run=continue op=r1.postgres -->',
    'Not postgres, says postgres.my-key: `/continue` or continue.',
    '/provide postgres_password=',
  ].join('\n');
  expect(redactAround(text, ['postgres', 'continue'], ['postgres_password'])).toBe(
    [
      '<!-- autobuild:question run=continue op=r1.postgres -->',
      'Not [redacted], says [redacted].my-key: `/continue` or [redacted].',
      '/provide postgres_password=',
    ].join('\n'),
  );
  const hostile = (size: number) =>
    void redactAround('<!-- autobuild:/continue '.repeat(size), ['postgres'], []);
  expectLinear(hostile, 2_000);
});

test('a value of any length and any characters is no trouble, and costs linear time', () => {
  for (const value of ['€'.repeat(50_000), '€'.repeat(32_000), 'a'.repeat(60_000), '&'.repeat(9_000)])
    expect(redact(`before ${value.slice(0, 40_000)} after`, [value])).toMatch(/^before \[redacted\]/);
  expect(() => redact('text', ['\ud800'.repeat(9)])).not.toThrow();
  const secrets = [`${'&'.repeat(100)}b`, `${'\\'.repeat(100)}key-of-all`];
  expectLinear((size) => void redact('&amp;\\'.repeat(size), secrets), 2_000);
});

/** A run whose agent shows the secret wherever it can; `hide` as the desk does when the claim comes. */
function tellingRun(secret: string, hide: (input: Input) => Input): Run {
  class HeardRun extends Run {
    override feed(input: Input) {
      return super.feed(hide(input));
    }
  }
  const told = `It says ${secret} to me`;
  return new HeardRun({ guards: { max_iterations: 2 } })
    .startJob()
    .baseline()
    .turn({ report: { status: 'partial', summary: told } })
    .beginTurn()
    .askForHelp([{ key: 'colour', label: told }], told);
}

const texts = (run: Run) => [
  renderEscalation(run.state, run.asked, WHERE),
  renderStatus(run.state, WHERE),
  renderPullRequest(run.state, WHERE),
];

const secretValue = fc
  .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 })
  .filter((text) => text.replace(/[\s`\\]/g, '').length >= 8);

test('R-11: no question, status or pull request shows a secret that stood in agent text, even when it was not hidden at the source', () => {
  fc.assert(
    fc.property(secretValue, (secret) => {
      const run = tellingRun(secret, (input) => input);
      for (const text of texts(run)) {
        const clean = redact(text, [secret]);
        expect(clean).not.toContain(secret);
        expect(shown(clean)).not.toContain(shown(secret));
      }
    }),
    { numRuns: 60 },
  );
});

test('R-11: what was hidden when the claim came is in no event and in no text, also when the vault is empty', () => {
  fc.assert(
    fc.property(secretValue, (secret) => {
      const run = tellingRun(secret, (input) =>
        input.type === 'claim'
          ? { ...input, envelope: hideInEnvelope(input.envelope, [secret], RULES) }
          : input,
      );
      const journal = JSON.stringify(run.commits);
      for (const text of [journal, ...texts(run)]) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
        expect(shown(text)).not.toContain(shown(secret));
      }
      expect(journal).toContain('It says');
    }),
    { numRuns: 60 },
  );
});

/** Roughly what a person reads: without what escaping adds. */
function shown(markdown: string): string {
  let text = markdown;
  for (let round = 0; round < 3; round += 1)
    text = text
      .replace(/&#(\d+);/g, (_, number: string) => String.fromCodePoint(Number(number)))
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  return text.replace(/[\\`\s]/g, '');
}
