import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import type { ActionsMetadataProvider } from '@actions/languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { parse } from 'yaml';

// The service imports its JSON files without saying that they are JSON, which Node demands.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { registerLogger, validate } = await import('@actions/languageservice');

/** It writes down its own failures and finds nothing then: they count as findings here. */
const failures: string[] = [];
const ignore = () => undefined;
registerLogger({ error: (message) => void failures.push(message), warn: ignore, info: ignore, log: ignore });
let asked = 0;

const input = { description: '' };
/** What our workflows use of other people's actions; the real lists are longer. */
const OTHERS: Record<string, Record<string, { description: string; required?: boolean }>> = {
  'actions/checkout': { ref: input, 'persist-credentials': input },
  'actions/cache': { path: { ...input, required: true }, key: { ...input, required: true } },
  'actions/setup-dotnet': { 'dotnet-version': input, 'global-json-file': input },
  'actions/setup-go': {
    'go-version': input,
    'go-version-file': input,
    cache: input,
    'cache-dependency-path': input,
  },
  'actions/setup-java': {
    'java-version': input,
    'java-version-file': input,
    distribution: { ...input, required: true },
    cache: input,
  },
  'actions/setup-node': {
    'node-version': input,
    'node-version-file': input,
    'package-manager-cache': input,
    cache: input,
    'cache-dependency-path': input,
  },
  'actions/setup-python': {
    'python-version': input,
    'python-version-file': input,
    cache: input,
    'cache-dependency-path': input,
  },
  'ruby/setup-ruby': { 'ruby-version': input, 'bundler-cache': input, 'working-directory': input },
  'github/codeql-action': { languages: input, 'build-mode': input, category: input },
  'actions/upload-artifact': {
    name: input,
    path: { ...input, required: true },
    'include-hidden-files': input,
    'if-no-files-found': input,
    overwrite: input,
    'retention-days': input,
  },
  'actions/download-artifact': { name: input, path: input },
};

const actionsMetadataProvider: ActionsMetadataProvider = {
  async fetchActionMetadata({ owner, name }) {
    const inputs = OTHERS[`${owner}/${name}`];
    if (inputs) return { name, description: '', inputs };
    if (name !== 'autobuild') return undefined;
    return parse(readFileSync(join(import.meta.dirname, '../action.yml'), 'utf8'));
  },
};

/** What GitHub's own language service, the one behind its editors, finds in a workflow or an action.yml. */
export async function findDiagnostics(path: string, text: string): Promise<string[]> {
  asked += 1;
  // It keeps what it has read by its address.
  const document = TextDocument.create(`file:///${asked}/${path}`, 'yaml', 0, text);
  const found = await validate(document, { actionsMetadataProvider });
  return [
    ...found.map(({ range, message }) => `${path}:${range.start.line + 1}: ${message}`),
    ...failures.splice(0),
  ];
}
