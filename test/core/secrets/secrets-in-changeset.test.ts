import { expect, test } from 'vitest';
import { findSecretsInFiles } from '../../../src/core/secrets/secrets-in-changeset.ts';

const file = (path: string, content: string | Uint8Array) => ({
  path,
  content: Buffer.from(content).toString('base64'),
});
const secrets = [
  { key: 'stripe', value: 'S3CRETvälue99' },
  { key: 'pin', value: '1234' },
  { key: 'mail', value: 'mail"pass\\word' },
];

test('R-11: files that hold a secret are named, in whatever form it stands there', () => {
  const files = [
    file('src/clean.ts', 'const pin = 1234'),
    file('src/key.ts', 'const key = "S3CRETvälue99"'),
    file('.env', `TOKEN=${Buffer.from('S3CRETvälue99').toString('base64')}`),
    file('both.json', JSON.stringify({ a: 'S3CRETvälue99', b: 'mail"pass\\word' })),
    file(
      'app.bin',
      Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from('S3CRETvälue99'), Buffer.from([128])]),
    ),
    file('docs/S3CRETvälue99.md', ''),
    { path: 'gone.ts', content: null },
    { path: 'broken.ts', content: '*** no base64 ***' },
  ];
  expect(findSecretsInFiles(files, secrets)).toEqual([
    { path: 'src/key.ts', key: 'stripe' },
    { path: '.env', key: 'stripe' },
    { path: 'both.json', key: 'stripe' },
    { path: 'both.json', key: 'mail' },
    { path: 'app.bin', key: 'stripe' },
    { path: 'docs/S3CRETvälue99.md', key: 'stripe' },
  ]);
});

test('without secrets nothing is found', () => {
  expect(findSecretsInFiles([file('a', 'anything')], [])).toEqual([]);
  expect(findSecretsInFiles([file('a', 'anything')], [{ key: 'empty', value: '' }])).toEqual([]);
});
