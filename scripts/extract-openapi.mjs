// Cuts GitHub's OpenAPI description down to the operations Autobuild uses, for the contract tests.
//
//   npm install --prefix "$(mktemp -d)" @octokit/openapi      (large, so it is no dependency of ours)
//   node scripts/extract-openapi.mjs <that directory>/node_modules/@octokit/openapi/generated/api.github.com.json
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allowNull } from '../test/fixtures/openapi/allow-null.ts';
import { readArguments } from './read-arguments.mjs';

const root = join(import.meta.dirname, '..');
const target = join(root, 'test/fixtures/openapi/github-subset.json');
const USAGE = 'Usage: node scripts/extract-openapi.mjs <api.github.com.json of @octokit/openapi>\n';
const [descriptionPath] = readArguments(USAGE, {}, 1).positionals;
if (!descriptionPath) {
  process.stderr.write(USAGE);
  process.exit(64);
}

/** Calls that Probot makes, and calls that a local GitHub has to answer beside our own. */
const CALLED_BY_OTHERS = [
  'GET /app',
  'GET /app/hook/deliveries',
  'POST /app/hook/deliveries/{delivery_id}/attempts',
  'GET /app/installations',
  'POST /app/installations/{installation_id}/access_tokens',
  'GET /installation/repositories',
  'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
  'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
  'DELETE /repos/{owner}/{repo}/git/refs/{ref}',
  'GET /repos/{owner}/{repo}/installation',
  'POST /repos/{owner}/{repo}/issues',
];

/** Our routes are string literals in the source, so the description cannot lag behind unnoticed. */
function routesInSource() {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts'))
    .flatMap(
      (file) =>
        readFileSync(join(root, 'src', file), 'utf8').match(
          /'(?:GET|POST|PATCH|PUT|DELETE) \/(?:repos|app|app-manifests|installation)\b[^']*'/g,
        ) ?? [],
    )
    .map((literal) => literal.slice(1, -1));
}

const description = JSON.parse(readFileSync(descriptionPath, 'utf8'));

function resolve(reference) {
  const [, , section, name] = reference.split('/');
  return { section, name, value: description.components[section]?.[name] };
}

const PROSE = new Set([
  'description',
  'externalDocs',
  'x-github',
  'examples',
  'example',
  'x-github-breaking-changes',
  'deprecated',
  'tags',
  'summary',
]);

/** `names` is set inside `properties`, where the keys are field names and none of them is prose. */
function slim(value, names = false) {
  if (Array.isArray(value)) return value.map((item) => slim(item));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value)
    .filter(([key]) => names || !PROSE.has(key))
    .map(([key, item]) => [key, slim(item, !names && key === 'properties')]);
  const object = Object.fromEntries(kept);
  return names ? object : allowNull(object);
}

/** Some operations have a partial example beside the complete one. */
function fullestExample(content) {
  const examples = Object.values(content.examples ?? {}).map((named) =>
    named.$ref ? resolve(named.$ref).value.value : named.value,
  );
  const size = (example) => JSON.stringify(example).length;
  return examples.sort((one, other) => size(other) - size(one))[0] ?? content.example;
}

function slimResponse(response) {
  const whole = response.$ref ? resolve(response.$ref).value : response;
  const json = whole.content?.['application/json'];
  const content = json && {
    'application/json': { schema: slim(json.schema), example: fullestExample(json) },
  };
  return { description: '', ...(content && { content }) };
}

/** An unknown field is our mistake, although GitHub's description allows it. */
function strictBody(body) {
  const json = body?.content?.['application/json'];
  if (!json) return undefined;
  const schema = slim(json.schema);
  const strict = schema.type === 'object' && schema.properties && schema.additionalProperties === undefined;
  return {
    required: body.required ?? false,
    content: { 'application/json': { schema: strict ? { ...schema, additionalProperties: false } : schema } },
  };
}

function slimOperation(operation) {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    slimResponse(response),
  ]);
  const requestBody = strictBody(operation.requestBody);
  return {
    operationId: operation.operationId,
    parameters: slim(operation.parameters ?? []),
    ...(requestBody && { requestBody }),
    responses: Object.fromEntries(responses),
  };
}

function referencesIn(value) {
  return [...new Set(JSON.stringify(value).match(/#\/components\/[^"]+/g) ?? [])];
}

const routes = [...new Set([...CALLED_BY_OTHERS, ...routesInSource()])].sort();
const paths = {};
for (const route of routes) {
  const [method, path] = route.split(' ');
  const operation = description.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`GitHub describes no ${route}`);
  paths[path] = { ...paths[path], [method.toLowerCase()]: slimOperation(operation) };
}

const components = {};
const waiting = referencesIn(paths);
const done = new Set();
for (const reference of waiting) {
  if (done.has(reference)) continue;
  done.add(reference);
  const { section, name, value } = resolve(reference);
  const slimmed = slim(value);
  components[section] = { ...components[section], [name]: slimmed };
  waiting.push(...referencesIn(slimmed));
}

const subset = {
  openapi: description.openapi,
  info: {
    title: 'What Autobuild uses of GitHub',
    version: description.info.version,
    license: description.info.license,
  },
  paths,
  components,
};
writeFileSync(target, `${JSON.stringify(subset, null, 1)}\n`);
console.log(`${routes.length} operations written to ${target}`);
