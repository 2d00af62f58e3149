import { type Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from 'yaml';
import {
  HelpInput,
  HelpRequest,
  MAX_HELP_CHARS,
  MAX_HELP_INPUTS,
} from '../../core/contracts/agent/help-request.ts';
import type { HelpBlock } from './help-scanner.ts';
import { unescapeJsonText } from './json-unescape.ts';

type ParsedHelp = { ok: true; request: HelpRequest } | { ok: false; raw: string; problem: string };

/** A mistake in the agent's block. The message is shown to a person and sent back to the agent. */
class Problem extends Error {}

const REMEDY: Record<string, string> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  BLOCK_AS_IMPLICIT_KEY: 'Put text that contains ": " in quotes or after "|" on lines of its own.',
  MULTIPLE_DOCS: 'Write one YAML mapping, without "---".',
  RESOURCE_EXHAUSTION: 'Write a flat mapping.',
};

/** Parses a help block (P-1). Never throws: a block that cannot be parsed is returned as raw text with the problem. */
export function parseHelpRequest(block: HelpBlock): ParsedHelp {
  const raw = block.text;
  try {
    if (raw.length > MAX_HELP_CHARS)
      throw new Problem(
        `The block has ${raw.length} characters, at most ${MAX_HELP_CHARS} are read. Say it shorter and name a file for the rest.`,
      );
    if (!block.closed)
      throw new Problem(
        'The block was not closed: no <<<END_HELP>>> within it. End it with <<<END_HELP>>> on a line of its own.',
      );
    return { ok: true, request: toRequest(readMapping(plainText(raw))) };
  } catch (error) {
    if (error instanceof Problem) return { ok: false, raw, problem: error.message };
    // The YAML parser recurses; a hostile block may exhaust its stack.
    const message = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      raw,
      problem: `The block could not be read as YAML: ${message}. Write a flat mapping.`,
    };
  }
}

/** Removes the wrapping that agents add around the YAML: escapes of an outer JSON text, a code fence, common indentation. */
function plainText(raw: string): string {
  let text = raw.replaceAll('\r\n', '\n');
  // Up to three levels, because the block may be in JSON that is itself inside the JSON of an event.
  for (let level = 0; level < 3 && !text.trim().includes('\n') && text.includes('\\n'); level++)
    text = unescapeJsonText(text);
  const fenced = /^\s*```[^\n]*\n([\s\S]*?)\n[ \t]*```\s*$/.exec(text);
  return dedent(fenced?.[1] ?? text);
}

function dedent(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  // The first line follows the opening marker, so its indentation is not part of the common one.
  const inline = first.trim() !== '' && rest.length > 0;
  const body = inline ? rest : [first, ...rest];
  const margins = body.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  let common = margins[0] ?? '';
  for (const margin of margins) while (!margin.startsWith(common)) common = common.slice(0, -1);
  const cut = (line: string) => (line.startsWith(common) ? line.slice(common.length) : line.trimStart());
  return (inline ? [first.trimStart(), ...rest.map(cut)] : body.map(cut)).join('\n');
}

function readMapping(text: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    // The failsafe schema reads every scalar as a string, so that `key: on` and `what_i_need: 8080` are not converted.
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    // Checked below instead, because the parser's own check takes seconds for thousands of keys.
    uniqueKeys: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new Problem(
      `Line ${line}, column ${col} is not valid YAML: ${error.message}. ${REMEDY[error.code] ?? 'Quote the text, or put it after "|" on lines of its own.'}`,
    );
  }
  refuseAliasesAndDuplicates(document, lines);
  const value: unknown = document.toJS();
  if (!isMapping(value))
    throw new Problem(
      `The block holds ${nameKind(value)}, not a mapping. Write "what_i_tried:", "what_i_need:" and, if values are needed, "inputs:".`,
    );
  return value;
}

function refuseAliasesAndDuplicates(document: Document, lines: LineCounter): void {
  const lineOf = (node: { range?: readonly number[] | null }) => lines.linePos(node.range?.[0] ?? 0).line;
  visit(document, {
    Alias(_, node) {
      throw new Problem(
        `Line ${lineOf(node)} has the alias "*${node.source}". Aliases are not read: write the value out.`,
      );
    },
    Map(_, node) {
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        if (!isScalar(key))
          throw new Problem(`Line ${lineOf(node)} has a key that is not text. Use plain names as keys.`);
        if (seen.has(key.value))
          throw new Problem(
            `Line ${lineOf(key as Scalar)} repeats the key "${key.value}". Keep one of them.`,
          );
        seen.add(key.value);
      }
    },
  });
}

function toRequest(mapping: Record<string, unknown>): HelpRequest {
  return HelpRequest.parse({
    what_i_tried: readText(mapping, 'what_i_tried'),
    what_i_need: readText(mapping, 'what_i_need'),
    inputs: readInputs(mapping.inputs),
  });
}

function readText(mapping: Record<string, unknown>, field: string): string {
  const text = joinLines(mapping[field]).trim();
  if (text !== '') return text;
  const found =
    field in mapping
      ? 'is empty'
      : `is missing (found: ${Object.keys(mapping).slice(0, 10).join(', ') || 'nothing'})`;
  throw new Problem(
    `The field "${field}" ${found}. Add "${field}: |" and the text on indented lines below it.`,
  );
}

/** Turns a list into lines. An item such as `ran the tests: 2 failed`, which YAML parses as a mapping, becomes text again. */
function joinLines(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > 8) return '…';
  if (Array.isArray(value)) return value.map((item) => joinLines(item, depth + 1)).join('\n');
  if (isMapping(value))
    return Object.entries(value)
      .map(([key, item]) => `${key}: ${joinLines(item, depth + 1)}`)
      .join('\n');
  return '';
}

function readInputs(value: unknown): HelpInput[] {
  if (value === undefined || value === '') return [];
  if (!Array.isArray(value))
    throw new Problem(
      `The field "inputs" holds ${nameKind(value)}, not a list. Write "- key: NAME" with "label:" below it for each value.`,
    );
  if (value.length > MAX_HELP_INPUTS)
    throw new Problem(
      `The field "inputs" lists ${value.length} values, at most ${MAX_HELP_INPUTS} can be asked for. Ask for fewer.`,
    );
  const inputs = value.map((item, index) => readInput(item, `inputs[${index}]`));
  const keys = inputs.map((input) => input.key);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined)
    throw new Problem(`The field "inputs" has the key "${twice}" twice. Give every input a key of its own.`);
  return inputs;
}

function readInput(item: unknown, field: string): HelpInput {
  // A bare `- DATABASE_URL` is the key.
  const {
    key,
    label = '',
    secret = 'false',
  } = typeof item === 'string' ? { key: item } : isMapping(item) ? item : {};
  if (!HelpInput.shape.key.safeParse(key).success)
    throw new Problem(
      `The field "${field}.key" is ${key === undefined ? 'missing' : JSON.stringify(key)?.slice(0, 100)}. A key has letters, digits, "_", "." and "-", at most 64, and starts with a letter or "_".`,
    );
  if (typeof secret !== 'string' || !/^(true|yes|false|no)?$/i.test(secret))
    throw new Problem(
      `The field "${field}.secret" is ${JSON.stringify(secret)?.slice(0, 100)}. Write true or false.`,
    );
  const text = joinLines(label).trim().slice(0, 500);
  return HelpInput.parse({ key, label: text || key, secret: /^(true|yes)$/i.test(secret) });
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameKind(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return isMapping(value) ? 'a mapping' : `the text ${JSON.stringify(String(value).slice(0, 80))}`;
}
