import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIBackend } from 'openapi-backend';

const subset = join(import.meta.dirname, '../fixtures/openapi/github-subset.json');

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Json }> }>>;
}
type Operation = { responses: Record<string, { content?: Json } | undefined> };
type Json = { 'application/json'?: { example?: unknown } };

const description: Described = JSON.parse(readFileSync(subset, 'utf8'));
const backend = new OpenAPIBackend({
  definition: structuredClone(description) as never,
  quick: true,
  ajvOpts: { strict: false, allErrors: true, logger: false },
  coerceTypes: true,
});
await backend.init();

/** `METHOD /path` of every operation in the committed description. */
export const describedRoutes = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

/** GitHub's own example of an answer. */
export function exampleAnswer(route: string, status: number): unknown {
  const [method = '', path = ''] = route.split(' ');
  const answer = description.paths[path]?.[method.toLowerCase()]?.responses[status];
  if (!answer) throw new Error(`GitHub describes no answer ${status} to ${route}`);
  return structuredClone(answer.content?.['application/json']?.example);
}

/** What is wrong with a request by GitHub's description; nothing when it is right. An unknown path is wrong. */
export function checkRequest(method: string, path: string, body?: unknown): string[] {
  const request = toRequest(method, path, body);
  const operation = backend.matchOperation(request);
  if (!operation) return [`${method} ${path}: GitHub describes no such operation`];
  const { errors } = backend.validateRequest(request, operation);
  return (errors ?? []).map((error) => `${method} ${path}: ${error.instancePath} ${error.message}`);
}

/** The same for an answer. Failures need no description: GitHub leaves many of them out. */
export function checkResponse(method: string, path: string, status: number, body: unknown): string[] {
  const operation = backend.matchOperation(toRequest(method, path)) as Operation | undefined;
  if (!operation) return [`${method} ${path}: GitHub describes no such operation`];
  // The description names it for few operations, but GitHub's documentation promises it for every conditional GET.
  if (method === 'GET' && status === 304 && body === undefined) return [];
  const described = operation.responses[status];
  if (!described) return status < 400 ? [`${method} ${path}: GitHub does not answer ${status}`] : [];
  if (!described.content) {
    return body === undefined || body === '' ? [] : [`${method} ${path}: ${status} has no body`];
  }
  const { errors } = backend.validateResponse(body, operation as never, status);
  return (errors ?? []).map(
    (error) => `${method} ${path} → ${status}: ${error.instancePath} ${error.message}`,
  );
}

function toRequest(method: string, path: string, body?: unknown) {
  const url = new URL(path, 'https://api.github.com');
  const headers = { 'content-type': 'application/json' };
  return { method, path: url.pathname, query: url.search.slice(1), headers, body };
}
