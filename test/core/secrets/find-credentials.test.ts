import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCredentials } from '../../../src/core/secrets/find-credentials.ts';
import { createSecretHider } from '../../../src/core/secrets/hide-secrets.ts';
import { looksLikeCredential } from '../../../src/core/secrets/looks-like-credential.ts';
import { expectLinear } from '../../expect-linear.ts';

const letters = (count: number) => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8'.repeat(4).slice(0, count);
/** Put together here, because services that search repositories for keys would report whole ones. */
const CREDENTIALS: Record<string, string> = {
  'an Anthropic key': `sk-ant-${'api03'}-${letters(40)}-_${letters(20)}AA`,
  'an Anthropic key of letters': `sk-ant-${'abcdefghijklmnopqrstuvwxyz'}`,
  'an OpenAI key': `sk-${letters(48)}`,
  'an OpenAI key of a project': `sk-proj-${letters(30)}_${letters(20)}-${letters(10)}`,
  'an OpenRouter key': `sk-or-v1-${'0a1b2c3d'.repeat(8)}`,
  'a token of GitHub': `ghp_${letters(36)}`,
  'an OAuth token of GitHub': `gho_${letters(36)}`,
  'a token of a GitHub App': `ghs_${letters(36)}`,
  'a long token of a GitHub App': `ghs_${'123456'}_eyJ${letters(20)}.${letters(30)}.${letters(43)}`,
  'a fine-grained token of GitHub': `github_pat_${letters(22)}_${letters(59)}`,
  'a token of GitLab': `glpat-${letters(20)}`,
  'a token of npm': `npm_${letters(36)}`,
  'a token of Slack': `xoxb-${'123456789012'}-1234567890123-${letters(24)}`,
  'an app token of Slack': `xapp-${'1'}-A0123456789-1234567890123-${'0a1b2c3d'.repeat(8)}`,
  'the address of a Slack webhook': `hooks.slack.com/services/${'T0123ABCD'}/B0123ABCD/${letters(24)}`,
  'a token of a GitLab runner': `glrt-${letters(20)}`,
  'a routable token of GitLab': `glpat-${letters(27)}.${'01'}.0w1abcdef`,
  'an AWS key id': `AKIA${'IOSFODNN7EXAMPLE'}`,
  'an AWS key id for some hours': `ASIA${'IOSFODNN7EXAMPLE'}`,
  'a Google key': `AIza${letters(35)}`,
  'a new Google key': `AQ.${'Ab'}${letters(50)}`,
  'a Google client secret': `GOCSPX-${letters(28)}`,
  'a Google token': `ya29.${letters(60)}`,
  'a Stripe key': `sk_live_${letters(24)}`,
  'a JWT': `eyJ${letters(20)}.eyJ${letters(40)}.${letters(30)}-_${letters(11)}`,
  'a private key': `-----BEGIN RSA PRIVATE KEY-----\n${`${letters(64)}\n`.repeat(5)}${letters(20)}==\n-----END RSA PRIVATE KEY-----`,
  'a password in an address': `postgres://shop:${letters(12)}@`,
  'a password with a quote in an address': `postgres://shop:it's${letters(12)}@`,
  'a password in an address without a name': `redis://:${letters(12)}@`,
  'a password of many digits in an address': `redis://shop:12345${'678'}@`,
};
const hide = (text: string) => createSecretHider([]).hide(text);

describe.each(Object.entries(CREDENTIALS))('%s', (_, credential) => {
  test.each([
    ['alone', '', ''],
    ['in a sentence', 'The key ', ' is refused.'],
    ['in quotes', 'key: "', '"'],
    ['in an assignment', 'API_KEY=', '\nnext line'],
    ['in code', '`', '`'],
    ['at the end of a sentence', 'I used ', ', and failed.'],
    ['behind an escaped line end', 'first\\n', '\\nlast'],
    ['in JSON', '{"key":"', '"}'],
    ['in a URL', 'https://host/?q=Bearer%20', '&x=1'],
    ['in colour', '\u001b[31m', '\u001b[0m'],
  ])('S-13: is hidden %s', (_how, before, after) => {
    expect(hide(`${before}${credential}${after}`)).toBe(`${before}•••${after}`);
  });

  test('S-13: is secret as a value that a person gives', () => {
    expect(looksLikeCredential(credential)).toBe(true);
  });
});

test('S-13: a credential inside an address of a server is hidden with it', () => {
  expect(hide(`git clone https://x-access-token:ghp_${letters(36)}@github.com/a/b`)).toBe(
    'git clone •••github.com/a/b',
  );
});

const LINES = `${letters(64)}\n`.repeat(3);
test.each([
  [
    'without its end',
    `before\n-----BEGIN PRIVATE KEY-----\n${LINES}and more words`,
    'before\n•••\nand more words',
  ],
  ['without its beginning', `${LINES}${letters(9)}=\n-----END PRIVATE KEY-----\nafter`, '•••\nafter'],
  [
    'in one line of JSON',
    `{"k":"-----BEGIN PRIVATE KEY-----\\n${LINES.replaceAll('\n', '\\n')}-----END PRIVATE KEY-----\\n"}`,
    '{"k":"•••\\n"}',
  ],
])('S-13: a private key is hidden %s', (_how, text, hidden) => {
  expect(hide(text)).toBe(hidden);
});

test.each([
  'fixed in 248cc42f5d1e0b7a9c3e4f5061728394a5b6c7d8 and 99df3117',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'run 6f1c2d34-9a7b-4c0d-8e1f-0123456789ab',
  'sha512-aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5gH7jK9mN1pQ2sT4vW6yZ8aB3dE5g==',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'src/core/secrets/find-credentials.ts:41:7',
  '/home/me/project/node_modules/.pnpm/npm_config_registry/package.json',
  'C:\\Users\\me\\npm_cache\\sk-learn',
  'test/sk-learn-classification-of-long-words.test.ts',
  'autobuild/sk-1234-fix-the-login-page-of-the-shop',
  '.sk-folding-cube-container-2 .sk-cube1',
  'the task-management-and-planning-2024 board',
  'disk-0123456789abcdef0123456789',
  'test_github_pat_is_refused_when_it_has_expired',
  'ghp_ is the prefix, ghp_short is none',
  'the prefix sk-ant- is for Anthropic, npm_ for npm, glpat- for GitLab',
  'npm_config_user_agent_and_other_settings_of_npm',
  'xoxo-',
  'AKIAS are dogs, and ASIAPACIFICREGIONALOFFICE is none',
  'sk_test_mode is on, sk_test_integration too',
  'task_test_abcdefghij0123',
  'eyJ is how a token begins, eyJhbGciOiJIUzI1NiJ9 is its header',
  'http://localhost:5173/@vite/client and http://127.0.0.1:3000/',
  'docker://node:24-alpine@sha256:0123456789abcdef',
  'postgres://shop:$PASSWORD@db and postgres://shop:<password>@db',
  'password=, token: and secret= in the form have no value',
  'ssh://git@github.com:22/a/b and git@github.com:a/b.git',
  '{"url":"http://localhost:8080","contact":"me@example.com"}',
  "['http://localhost:8080','@scope/name']",
  'http://localhost:3000?user=alice@example.com',
  '[the app](http://localhost:3000),@alice',
  'http://localhost:3000\\n@alice',
  'jdbc:postgresql://host:5432;user=a@b',
  'glpat-is-the-prefix-of-tokens, fix/sk-ant-key-is-refused-in-the-header',
  'xoxb-token-is-refused',
  'see FAQ.md and AQ.some-long-name-of-a-chapter-of-it',
  'xapp-1-some-name-in-words-and-more, GOCSPX-your-client-secret-goes-here',
  'AQ.docs-chapter-1-introduction-to-the-system and gldt-1-some-table-name-long',
  'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  'https://hooks.slack.com/services/ is where webhooks are',
  '-----BEGIN PRIVATE KEY----- was expected, -----END PRIVATE KEY----- too',
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBa\n-----END CERTIFICATE-----',
  'expect(received).toBe(expected) // Object.is equality',
])('S-13: what only looks similar stays: %s', (text) => {
  expect(hide(text)).toBe(text);
});

const hex = (length: number) =>
  fc.string({ minLength: length, maxLength: length, unit: fc.constantFrom(...'0123456789abcdef') });

test('S-13: hashes, ids and encoded bytes stay', () => {
  fc.assert(
    fc.property(hex(40), hex(64), fc.uuid(), fc.uint8Array({ minLength: 1, maxLength: 3_000 }), (...of) => {
      const [commit, digest, id, bytes] = of;
      const image = Buffer.from(bytes).toString('base64');
      const text = `${commit} ${commit.slice(0, 7)} sha256:${digest} ${id} data:image/png;base64,${image} src/${id}/${digest}.ts`;
      expect(hide(text)).toBe(text);
    }),
  );
});

test('S-13: a token is hidden in any words, which stay, and a text is hidden once', () => {
  const words = fc.string({ unit: fc.constantFrom(...'abc xyz\n.,:(){}"\'') });
  const tokens = fc.constantFrom(...Object.values(CREDENTIALS));
  fc.assert(
    fc.property(words, tokens, words, (before, token, after) => {
      const hidden = hide(`${before} ${token} ${after}`);
      expect(hidden).toBe(`${before} ••• ${after}`);
      expect(hide(hidden)).toBe(hidden);
    }),
  );
});

test.each([
  ...['eyJ-', `eyJ${letters(10)}.`, `eyJ${letters(10)}.${letters(10)}.b.`, 'sk-', 'sk-proj-a', 'ghp_', 'a.'],
  ...['://a:', 'x://a:bcdefg', `${letters(64)}\n`, 'AKIA', 'AIza', '[0;', '%20eyJ', 'github_pat_', ' \n'],
  ...['glpat-a-', 'xapp-1-', 'hooks.slack.com/a/AAAAAAAA/', 'AQ.a-', 'ya29.', 'a://:'],
  ...['-----BEGIN PRIVATE KEY-----', `${letters(24)}\n-----END PRIVATE KEY-----`, '-----BEGIN A '],
])('S-18: a long text of %j is searched in proportion to its length', (piece) => {
  // The hint makes the whole search happen.
  const text = (size: number) => `npm_ ${piece.repeat(Math.ceil(size / piece.length))}`;
  expectLinear((size) => findCredentials(text(size)), 250_000);
});
