import { expect, test } from 'vitest';
import { createSecretHider } from '../../../src/core/secrets/hide-secrets.ts';
import { secretForms } from '../../../src/core/secrets/secret-forms.ts';
import { expectLinear } from '../../expect-linear.ts';

const SPECIAL = [
  'pa*ss*w0rd[1]q',
  'x<y>z&amp;123|4',
  '_lead_and_trail_',
  '#1pass~word!',
  'zwölf "Boxkämpfer"\\',
  '€uro💶key 99',
];
const hide = (text: string, ...values: string[]) => createSecretHider(values).hide(text);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each(SPECIAL)('R-11: %s is hidden as it is, in JSON, in a URL and in base64', (value) => {
  const params = new URLSearchParams({ key: value }).toString();
  for (const form of [
    value,
    JSON.stringify(value),
    encodeURIComponent(value),
    base64(value),
    base64(value).replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ]) {
    const hidden = hide(`before ${form} after`, value);
    expect(hidden).toMatch(/^before "?•••"? after$/);
  }
  if (!/[*~!]/.test(value)) expect(hide(params, value)).toBe('key=•••');
});

test.each(['', 'u', 'us', 'user:', 'Bearer '])(
  'R-11: in base64 behind %j, as in an Authorization header',
  (before) => {
    const value = 'S3CRETvalue99-and-more';
    for (const after of ['', 'x', 'yz']) {
      const hidden = hide(base64(before + value + after), value);
      expect(hidden).toContain('•••');
      // What is left beside the mark holds at most two bytes of the value.
      const [left = '', right = ''] = hidden.split('•••');
      expect(left.length).toBeLessThanOrEqual(Math.ceil(before.length / 3) * 4);
      expect(right.replace(/=/g, '').length).toBeLessThanOrEqual(6);
    }
  },
);

test('R-11: a line of a value with several lines is hidden; the frame of a key is not', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\n';
  expect(hide('read hkiG9w0BAQEFAASC here', key)).toBe('read ••• here');
  expect(hide(`all: ${key.trim()}.`, key)).not.toMatch(/MIIE|hkiG/);
  expect(hide('-----BEGIN PRIVATE KEY----- was expected', key)).toContain('BEGIN PRIVATE KEY');
});

test('R-11: what a cut left of a value is hidden, at either end of a text and of its lines', () => {
  const value = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  for (const [text, clean] of [
    [`key ${value.slice(0, 10)}`, 'key •••'],
    [`key ${value.slice(0, 10)}…`, 'key •••…'],
    [`${value.slice(-10)} was it`, '••• was it'],
    [`…${value.slice(-10)} was it`, '…••• was it'],
    [
      `key ${value.slice(0, 30)}\n… 90 bytes left out …\n${value.slice(-8)}, done`,
      'key •••\n… 90 bytes left out …\n•••, done',
    ],
    // Too little to say anything, and no cut.
    [`key ${value.slice(0, 7)}`, `key ${value.slice(0, 7)}`],
    [`key ${value.slice(0, 10)} there`, `key ${value.slice(0, 10)} there`],
  ])
    expect(hide(text ?? '', value)).toBe(clean);
});

test('the longest of several values is hidden first, short ones are left, and texts are copied whole', () => {
  expect(hide('abcdefgh-ijkl abcdefgh red', 'abcdefgh', 'abcdefgh-ijkl', 'red')).toBe('••• ••• red');
  const record = { text: ['a S3CRETvalue99', 1, null], S3CRETvalue99: true };
  expect(createSecretHider(['S3CRETvalue99']).hideDeep(record)).toEqual({
    text: ['a •••', 1, null],
    '•••': true,
  });
  expect(record.text[0]).toBe('a S3CRETvalue99');
  expect(createSecretHider([]).hideDeep(record)).toEqual(record);
});

test('a record of any depth is copied without falling over', () => {
  let deep: unknown = 'S3CRETvalue99';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const copy = JSON.stringify(createSecretHider(['S3CRETvalue99']).hideDeep(deep));
  expect(copy).not.toContain('S3CRET');
});

test('values and texts of any length take linear time', () => {
  for (const value of [
    '€'.repeat(50_000),
    'a'.repeat(60_000),
    '\ud800'.repeat(1_000),
    `b${'a'.repeat(5_000)}`,
  ]) {
    expect(hide(`x ${value.slice(0, 50_000)} y`, value).length).toBeLessThan(60_000);
    expect(secretForms(value).every((form) => form.length < 3_000)).toBe(true);
  }
  const { hide: hideMany } = createSecretHider([`${'a'.repeat(200)}b`, 'xyzxyzxyzxyz1']);
  expectLinear((size) => void hideMany('a'.repeat(size)), 20_000);
  expectLinear((size) => void hideMany('xyz\n'.repeat(size)), 20_000);
  expectLinear((size) => void secretForms('k€y'.repeat(size)), 2_000);
});
