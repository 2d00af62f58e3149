import { readFileSync, writeFileSync } from 'node:fs';

/** The variables in GITHUB_OUTPUT, GITHUB_ENV or GITHUB_STATE: `name=value`, or `name<<word` and lines up to that word. */
export function takeVariables(file: string): { text: string; values: Record<string, string> } {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, '');
  const values: Record<string, string> = {};
  const lines = text.split('\n');
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, name, word] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      const end = lines.indexOf(word ?? '', index + 1);
      if (end < 0) throw new Error(`The value of ${name} has no end.`);
      values[name] = lines.slice(index + 1, end).join('\n');
      index = end;
    } else {
      const [, key, value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? [];
      if (key !== undefined) values[key] = value;
    }
  }
  return { text, values };
}
