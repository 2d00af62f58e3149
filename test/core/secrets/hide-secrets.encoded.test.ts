import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/app/redact.ts';
import { fenced, inlineText, quoted } from '../../../src/comments/text/harmless.ts';
import { createSecretHider } from '../../../src/core/secrets/hide-secrets.ts';
import { findSecretsInFiles } from '../../../src/core/secrets/secrets-in-changeset.ts';
import { expectLinear } from '../../expect-linear.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const hide = (text: string, value: string) => createSecretHider([value]).hide(text);
const isInFile = (text: string, value: string) =>
  findSecretsInFiles([{ path: 'a', content: base64(text) }], [{ key: 'k', value }]).length === 1;

/** As other languages and tools write it. */
const ESCAPED: Record<string, (text: string) => string> = {
  'JSON of Go': (text) => inJson(text).replace(/[&<>]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  'JSON of PHP': (text) =>
    inJson(text)
      .replaceAll('/', '\\/')
      .replace(/[^\0-\x7f]/g, asUnits),
  'JSON of Python': (text) => inJson(text).replace(/[^\0-\x7f]/g, asUnits),
  'JSON in JSON of Go': (text) => inJson(inJson(text).replaceAll('&', '\\u0026')),
  'a URL in lower case': (text) =>
    encodeURIComponent(text).replace(/%../g, (escaped) => escaped.toLowerCase()),
  'a URL by RFC 3986': (text) => encodeURIComponent(text).replace(/[!'()*~]/g, asPercent),
  'a form': (text) => new URLSearchParams({ a: text }).toString().slice(2),
  'a URL in a URL': (text) => encodeURIComponent(encodeURIComponent(text)),
  HTML: (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&#39;').replaceAll('"', '&quot;'),
  'HTML by numbers': (text) => text.replace(/[^\w ]/gu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`),
  'a shell': (text) => text.replace(/[^\w\0-\x20\x80-\uffff]/g, (one) => `\\${one}`),
  'octal escapes, as git and printf have them': (text) => text.replace(/[^\w\0-\x20]/gu, asOctal),
  'a URL in JSON of Go': (text) =>
    inJson(`/a?b=1&c=${encodeURIComponent(text).toLowerCase()}`).replaceAll('&', '\\u0026'),
};
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const asUnits = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const asOctal = (one: string) =>
  Array.from(Buffer.from(one), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const asPercent = (one: string) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`;

const VALUES = [
  'p@ss/w0rd+xy=z9&q',
  "it's(a)*secret!~9",
  'zwölf "boxer" & <€> 💶',
  'c:\\new\\table%2fx&amp;y',
];

describe.each(Object.entries(ESCAPED))('S-13: a value in %s', (_, write) => {
  test.each(VALUES)('%s is hidden in texts and found in files', (value) => {
    const written = write(value);
    for (const [before, after] of [
      ['', ''],
      ['key: ', ' was used'],
      ['{"a":"', '"}'],
      ['?a=', '&b=2'],
    ]) {
      const hidden = hide(`${before}${written}${after}`, value);
      expect(hidden.startsWith(before ?? '')).toBe(true);
      expect(hidden.endsWith(after ?? '')).toBe(true);
      expect(hidden).toContain('•••');
      expect(hidden).not.toContain(written);
      expect(isInFile(`${before}${written}${after}`, value)).toBe(true);
    }
  });
});

describe('S-13: base64 in lines', () => {
  const letters = 'Qx7Lm2Vt9Zr4Kp8Wd3Hs6Yb1Nf5Gc0Jj';
  const wrap = (text: string, between = '\n') => text.match(/.{1,76}/g)?.join(between) ?? '';

  test.each([60, 100, 140, 200, 400])('no line of a value of %i characters is left', (length) => {
    const value = letters
      .repeat(13)
      .slice(0, length)
      .replace(/Q/g, () => `${length}`)
      .slice(0, length);
    for (const before of ['', 'u', 'us']) {
      for (const between of ['\n', '\r\n', '\n    ', '\\n', '\n> ', '",\n  "']) {
        const text = wrap(base64(`${before}${value} and more`), between);
        const hidden = hide(`out:\n${text}\n`, value);
        for (const line of text.split(between).slice(0, -1)) expect(hidden).not.toContain(line);
        expect(isInFile(`out:\n${text}\n`, value)).toBe(true);
      }
      const text = wrap(base64(`${before}${value}`));
      for (const rendered of [fenced(text, 2_000), quoted(text, 2_000), inlineText(text, 2_000)])
        for (const line of text.split('\n').filter((one) => one.length > 12))
          expect(redact(rendered, [value])).not.toContain(line);
    }
  });

  test('what a cut left of it is hidden as well', () => {
    const value = letters.repeat(4);
    const text = wrap(base64(value));
    const [first = '', second = ''] = text.split('\n');
    expect(hide(`out: ${first}\n${second.slice(0, 20)}`, value)).toBe('out: •••');
    expect(hide(`${text.slice(-100)}\nend`, value)).toBe('•••\nend');
    expect(hide(`out: ${first}\n${second.slice(0, 20)}… 90 bytes left out …${text.slice(-80)}`, value)).toBe(
      'out: •••… 90 bytes left out …•••',
    );
  });
});

test('what is no value stays, escaped or not', () => {
  const text = 'p@ss%2fw0rd a%20b &amp; \\u0026 c:\\temp QUJD\nREVG 100% \\" &#x26; %zz \\uzzzz';
  expect(hide(text, 'p@ss/w0rd+xy=z9&q')).toBe(text);
  expect(isInFile(text, 'p@ss/w0rd+xy=z9&q')).toBe(false);
});

test('S-13: however a text is escaped, it is read in linear time', () => {
  const value = 'p@ss/w0rd+xy=z9&q';
  for (const part of [
    '%3',
    '\\',
    '\\u00e4',
    '\\101',
    '\\u0000',
    '\0',
    '&#x26;amp;',
    ';',
    '9,',
    '0o7 ',
    '1234',
  ]) {
    const { hide: hideIn } = createSecretHider([value]);
    expectLinear((size) => void hideIn(part.repeat(size)), 5_000);
    const look = (size: number) => void isInFile(part.repeat(size), value);
    expectLinear(look, 10_000);
  }
});

/** The bytes as numbers, each by `write`. */
const numbered = (write: (byte: number) => string, between: string) => (bytes: Buffer) =>
  Array.from(bytes, write).join(between);

describe('S-13: a value in numbers', () => {
  const octal = (byte: number) => byte.toString(8).padStart(3, '0');
  const WAYS: Record<string, (bytes: Buffer) => string> = {
    'a buffer in JSON': (bytes) => JSON.stringify([...bytes]),
    'a buffer in JSON, in lines': (bytes) => JSON.stringify([...bytes], undefined, 2),
    'octal numbers': numbered(octal, ' '),
    'octal numbers of Python': numbered((byte) => `'0o${byte.toString(8)}'`, ', '),
    'octal numbers with offsets, as od -b prints them': (bytes) =>
      numbered(octal, ' ')(bytes).replace(/(?:\d+ ){16}/g, (line) => `${line.trim()}\n0000020 `),
  };

  test.each(Object.entries(WAYS))('%s is hidden in texts and found in files', (_, write) => {
    for (const value of [...VALUES, VALUES.join(' ')]) {
      const text = `7 bytes: ${write(Buffer.from(value))}, 8`;
      const hidden = hide(text, value);
      expect(hidden).toMatch(/^7 bytes: (?:\D{0,8}|'0o)•••\D{0,8}8$/);
      expect(isInFile(text, value)).toBe(true);
    }
  });

  test('other numbers stay', () => {
    const text = '12 34 56, [112, 64, 115, 115, 47, 119, 48], 160 100 163, 1.2.3, 2026-11-18';
    expect(hide(text, 'p@ss/w0rd+xy=z9&q')).toBe(text);
    expect(isInFile(text, 'p@ss/w0rd+xy=z9&q')).toBe(false);
  });
});

describe('S-13: a value in UTF-16', () => {
  const ORDERS: Record<string, (text: string) => Buffer> = {
    'little end first': (text) => Buffer.from(text, 'utf16le'),
    'big end first': (text) => Buffer.from(text, 'utf16le').swap16(),
  };
  const WAYS: Record<string, (bytes: Buffer) => string> = {
    base64: (bytes) => bytes.toString('base64'),
    'hexadecimal digits': (bytes) => bytes.toString('hex'),
    numbers: (bytes) => JSON.stringify([...bytes]),
  };
  describe.each(Object.entries(ORDERS))('%s', (_, inOrder) => {
    test.each(Object.entries(WAYS))('in %s it is hidden in texts and found in files', (_way, write) => {
      for (const value of VALUES) {
        for (const before of ['', 'key: ', 'my key: ']) {
          const text = `-enc ${write(inOrder(`${before}${value}\r\n`))}`;
          const hidden = hide(text, value);
          expect(hidden).toContain('•••');
          // At most the letters of what stands before and after it, and those that they share with it.
          expect(hidden.length).toBeLessThan(`-enc •••${write(inOrder(`${before}\r\n`))}`.length + 12);
          expect(isInFile(text, value)).toBe(true);
        }
      }
    });

    test('as it is it is found in files, and between zero characters hidden in texts', () => {
      for (const value of VALUES) {
        const content = Buffer.concat([Buffer.from([0xff, 0xfe]), inOrder(`a: ${value}\n`)]);
        const files = [{ path: 'a', content: content.toString('base64') }];
        expect(findSecretsInFiles(files, [{ key: 'k', value }])).toHaveLength(1);
      }
      const [value = ''] = VALUES;
      const printed = inOrder(`a: ${value}`).toString('latin1');
      for (const text of [printed, inJson(printed)]) expect(hide(text, value)).toMatch(/•••(?:\0|\\u0000)?$/);
    });
  });
});

describe('S-13: a value in hexadecimal digits', () => {
  const WAYS: Record<string, (bytes: Buffer) => string> = {
    plain: (bytes) => bytes.toString('hex'),
    'in capitals': (bytes) => bytes.toString('hex').toUpperCase(),
    'with blanks, as od prints it': (bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$& '),
    'with colons': (bytes) => bytes.toString('hex').replace(/..(?=.)/g, '$&:'),
    'in lines, as xxd -p prints it': (bytes) => bytes.toString('hex').replace(/.{12}(?=.)/g, '$&\n'),
    'as an array of C': (bytes) => Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(', '),
  };

  test.each(Object.entries(WAYS))('%s is hidden in texts and found in files and their names', (_, write) => {
    for (const value of VALUES) {
      const written = write(Buffer.from(value));
      const hidden = hide(`dump:\n${written}\nend`, value);
      expect(hidden).toMatch(/^dump:\n(?:0x)?•••\nend$/);
      expect(isInFile(`dump:\n${written}\nend`, value)).toBe(true);
    }
  });

  test('digits that are not the value stay', () => {
    const digest = 'c0ffee5eed'.repeat(6);
    expect(hide(`sha256 ${digest} of 1234567890`, 'p@ss/w0rd+xy=z9&q')).toBe(
      `sha256 ${digest} of 1234567890`,
    );
  });

  test('the name of a file is searched, too', () => {
    const path = `dumps/${Buffer.from('p@ss/w0rd+xy=z9&q').toString('hex')}.txt`;
    expect(
      findSecretsInFiles([{ path, content: null }], [{ key: 'k', value: 'p@ss/w0rd+xy=z9&q' }]),
    ).toHaveLength(1);
  });
});
