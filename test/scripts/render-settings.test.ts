import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { renderJsonSchema } from '../../scripts/render-settings.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { SETTINGS } from '../../src/config/registry.ts';
import type { Setting } from '../../src/config/setting.ts';

const settings: [path: string, setting: Setting][] = Object.entries(SETTINGS).flatMap(([key, entry]) =>
  'isGroup' in entry
    ? Object.entries<Setting>(entry.keys).map(([name, one]): [string, Setting] => [`${key}.${name}`, one])
    : [[key, entry] as [string, Setting]],
);

/** The file that sets one key. */
function fileWith(path: string, value: unknown): unknown {
  return path.split('.').reduceRight((inner, name) => ({ [name]: inner }), value);
}

const isRead = (file: unknown) => readConfig(JSON.stringify(file)).ok;

interface Described {
  properties?: Record<string, Described>;
  default?: unknown;
}
const schema: Described = JSON.parse(renderJsonSchema());
const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);

describe.each(settings)('%s', (path, setting) => {
  test('has words that are sentences, and an example that is valid', () => {
    expect(setting.words).toMatch(/^[A-Z`].*\.$/s);
    expect(isRead(fileWith(path, setting.example))).toBe(true);
  });

  test('says what holds without it: by its default, or in words', () => {
    const value: unknown = setting.schema.parse(undefined);
    const isEmpty =
      value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
    expect(setting.unset !== undefined).toBe(isEmpty);
    if (!isEmpty) expect(isRead(fileWith(path, value))).toBe(true);
  });

  /** Rules that JSON Schema cannot say: an editor is content, and `check-config` is not. */
  const ONLY_READ: Record<string, unknown[]> = {
    state_dir: ['', '../out', '/etc'],
    protected_paths: [[''], ['../out'], ['/etc']],
    check_files: [[''], ['../out'], ['/etc']],
    'waiting.expire_minutes': [1, 1.5, 60, 100, 101],
  };

  test('the JSON Schema for editors accepts and refuses the same values', () => {
    const values = [
      setting.example,
      setting.schema.parse(undefined) ?? setting.example,
      ...[null, true, false, 'on', 'off', '', 'a', 'Big Name', '../out', '/etc', 'skip', 'admin'],
      ...[-1, 0, 1, 1.5, 60, 100, 101, 999, 1001, 100_001, 1e9],
      ...[[], [''], ['a'], [7], ['../out'], ['/etc'], ['@a'], Array(21).fill('a'), Array(101).fill('a')],
      ...[['permission_denied'], ['sadness'], {}, { a: 1 }, { a: {} }, { a: { command: [] } }],
      ...[{ a: { command: ['x'] } }, { a: { command: ['x'], more: 1 } }, { 'Big Name': { command: ['x'] } }],
      ...[{ approve: 'admin' }, { approve: 'king' }, { aprove: 'admin' }, { threshold: 3 }, { threshold: 0 }],
      ...[{ threshold: 3, unit: 'turn' }, { dollars: 1 }, { dollars: 0 }, { tokens: 1.5 }, { tokens: 5 }],
    ];
    const only = ONLY_READ[path] ?? [];
    for (const value of values) {
      const isOnlyRead = only.some((one) => JSON.stringify(one) === JSON.stringify(value));
      const file = fileWith(path, value);
      expect([value, validate(file)]).toEqual([value, isOnlyRead || isRead(file)]);
      if (isOnlyRead) expect([value, isRead(file)]).toEqual([value, false]);
    }
  });
});

test.each([
  [{}, true],
  [{ zebra: 1 }, false],
  [{ limits: {} }, true],
  [{ limits: { hold: 1 } }, false],
  [{ limits: 5 }, false],
  [{ guards: { max_iteration: 3 } }, false],
  [{ notify: null }, false],
  [[], false],
  ['text', false],
])('the JSON Schema for editors takes %j as the reader does: %s', (file, accepted) => {
  expect([validate(file), isRead(file)]).toEqual([accepted, accepted]);
});

test('the JSON Schema describes every key, with its default and an example', () => {
  for (const [path, setting] of settings) {
    const at = path.split('.').reduce((node, name) => node.properties?.[name] ?? {}, schema);
    expect(at).toMatchObject({ examples: [setting.example] });
    expect(at).toHaveProperty('description', expect.stringContaining(setting.words));
    const value = setting.schema.parse(undefined);
    expect(at.default).toEqual(value);
  }
});
