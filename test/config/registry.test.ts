import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../../src/config/registry.ts';

const src = join(import.meta.dirname, '../../src');
const readers = globSync('**/*.ts', { cwd: src })
  .filter((file) => !/^(?:config|sandbox)\//.test(file))
  .map((file) => readFileSync(join(src, file), 'utf8'));

/** Settings that `readConfig` turns into another one. */
const RESOLVED = ['max_turns'];

/** A setting and the object of the parsed config that has it. Guards read their own limits, so they count as one setting. */
const settings = Object.entries(SETTINGS).flatMap(([key, entry]) =>
  'isGroup' in entry && key !== 'guards'
    ? Object.keys(entry.keys).map((name) => ({ holder: key, key: name }))
    : [{ holder: 'config', key }],
);

test.each(settings.filter(({ key }) => !RESOLVED.includes(key)))(
  'something reads $key of $holder',
  ({ holder, key }) => {
    const member = `\\b${holder}\\??\\.${key}\\b`;
    const type = holder === 'config' ? 'Config\\b' : `Config\\['${holder}'\\]`;
    const destructured = `\\{[^{}]*\\b${key}\\b[^{}]*\\}\\s*(?:=\\s*[\\w.]*\\b${holder};|:\\s*${type})`;
    const reading = new RegExp(`${member}|${destructured}`);
    expect(readers.some((text) => reading.test(text))).toBe(true);
  },
);
