import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../src/commands/registry.ts';
import { readArguments } from './read-arguments.mjs';
import { renderJsonSchema, renderSettingsTable, renderTemplate } from './render-settings.ts';

/**
 * One file, or one section of it, that `npm run generate` writes from the code. A test demands that nothing differs.
 */
export interface Generated {
  file: string;
  render(current: string): string;
}

const root = join(import.meta.dirname, '..');

export const GENERATED: Generated[] = [
  { file: 'README.md', render: section('commands', renderCommands) },
  { file: 'docs/configure.md', render: section('settings', renderSettingsTable) },
  { file: 'templates/autobuild.yml', render: renderTemplate },
  { file: 'templates/autobuild.schema.json', render: renderJsonSchema },
];

function renderCommands(): string {
  const rows = Object.values(COMMANDS).map(({ usage, summary }) => `| \`${usage}\` | ${summary} |`);
  return ['| command | |', '|:--|:--|', ...rows].join('\n');
}

/**
 * Replaces the text between `<!-- generated: NAME -->` and `<!-- /generated -->`. The rest of the file is written by
 * hand.
 */
function section(name: string, render: () => string): Generated['render'] {
  const [begin, end] = [`<!-- generated: ${name} -->`, '<!-- /generated -->'];
  return (current) => {
    const from = current.indexOf(begin);
    const to = current.indexOf(end, from);
    if (from === -1 || to === -1) throw new Error(`There is no section ${begin} … ${end}.`);
    return `${current.slice(0, from + begin.length)}\n${render()}\n${current.slice(to)}`;
  };
}

export function readCurrent({ file }: Generated): string {
  return readFileSync(join(root, file), 'utf8');
}

const USAGE = `Usage: node scripts/generate.ts

Writes what comes from the code: ${GENERATED.map(({ file }) => file).join(', ')}.
  --help   this text
`;

if (import.meta.main) {
  readArguments(USAGE);
  for (const generated of GENERATED) {
    const current = readCurrent(generated);
    const text = generated.render(current);
    if (text === current) continue;
    writeFileSync(join(root, generated.file), text);
    console.log(`wrote ${generated.file}`);
  }
}
