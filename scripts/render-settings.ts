import { stringify } from 'yaml';
import * as z from 'zod';
import { SETTINGS } from '../src/config/registry.ts';
import type { Setting, SettingGroup } from '../src/config/setting.ts';

type Entry = Setting | SettingGroup;

const SCHEMA_FILE = 'autobuild.schema.json';
const entries: [key: string, entry: Entry][] = Object.entries(SETTINGS);

/**
 * Renders `templates/autobuild.yml` with every key and its words. All keys except the decided ones are commented out.
 */
export function renderTemplate(): string {
  const head = [
    `# yaml-language-server: $schema=${SCHEMA_FILE}`,
    "# Autobuild's settings, read from the default branch. Every key may be left out.",
    '# Values in comments are the defaults, or examples where the comment says so.',
    '# Look at the result with: autobuild check-config',
  ];
  return `${[head, ...entries.map(renderEntry)].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderEntry([key, entry]: [string, Entry]): string[] {
  if (!isGroup(entry)) {
    const value = renderYaml(key, shownValue(entry));
    return [...describe(entry).map(comment), ...(entry.decided ? value : value.map(comment))];
  }
  const inner = Object.entries(entry.keys).flatMap(([name, setting]) => [
    ...describe(setting).map(comment),
    ...renderYaml(name, shownValue(setting)),
  ]);
  return [...splitSentences(entry.words), `${key}:`, ...inner.map((line) => `  ${line}`)].map(comment);
}

/** One sentence per line, each with a capital, so that a commented key differs from the words. */
function describe(setting: Setting): string[] {
  const sentences = splitSentences(setting.words);
  if (setting.unset === undefined) return sentences;
  return [...sentences, `Left out: ${setting.unset}.${setting.decided ? '' : ' An example:'}`];
}

function splitSentences(words: string): string[] {
  return words.split(/(?<=\.) (?=[A-Z])/);
}

/** The default, or the example if there is no default to show. */
function shownValue(setting: Setting): unknown {
  return setting.unset === undefined ? setting.schema.parse(undefined) : setting.example;
}

function renderYaml(key: string, value: unknown): string[] {
  return stringify({ [key]: value }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
}

const comment = (line: string) => `# ${line}`;

/** Renders the table of `docs/configure.md`. */
export function renderSettingsTable(): string {
  const rows = entries.flatMap(([key, entry]) => [
    renderRow([key], entry),
    ...(isGroup(entry)
      ? Object.entries(entry.keys).map(([name, setting]) => renderRow([key, name], setting))
      : []),
  ]);
  return ['| key | takes | default | what it does | example |', '|:--|:--|:--|:--|:--|', ...rows].join('\n');
}

function renderRow(path: string[], entry: Entry): string {
  const cells = isGroup(entry)
    ? ['a map of the keys below', 'the defaults below', entry.words, '']
    : [
        entry.allowed,
        entry.unset ?? code(inline(entry.schema.parse(undefined))),
        entry.words,
        code(inlinePair(path, entry.example)),
      ];
  return `| ${[code(path.join('.')), ...cells].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trim();
}

/** `limits: {hold_minutes: 0}` for the path `limits`, `hold_minutes`. */
function inlinePair([key = '', ...below]: string[], value: unknown): string {
  const inner = below.reduceRight<unknown>((nested, name) => ({ [name]: nested }), value);
  return `${key}: ${inline(inner)}`;
}

const code = (text: string) => `\`${text}\``;

/**
 * Renders the JSON Schema of the file for editors. Rules about several keys are not in it, because `check-config` has
 * them.
 */
export function renderJsonSchema(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: "Autobuild's settings",
    type: 'object',
    properties: mapValues(Object.fromEntries(entries), describeEntry),
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function describeEntry(entry: Entry): object {
  if (!isGroup(entry)) return describeSetting(entry);
  return {
    description: entry.words,
    type: 'object',
    properties: mapValues(entry.keys, describeSetting),
    additionalProperties: false,
  };
}

function describeSetting({ schema, words, unset, example }: Setting): object {
  const { $schema, default: _default, ...form } = z.toJSONSchema(schema, { io: 'input' });
  return {
    description: unset === undefined ? words : `${words} Left out: ${unset}.`,
    ...form,
    // A transform hides its default from zod's JSON Schema.
    default: schema.parse(undefined),
    examples: [example],
  };
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function isGroup(entry: Entry): entry is SettingGroup {
  return 'isGroup' in entry;
}
