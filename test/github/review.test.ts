import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { MOST_REPLIES } from '../../src/core/ports/github/review-port.ts';
import { useGitHubApi } from './github-api.ts';

const { onGraphql, sent, github } = useGitHubApi();

const published = join(import.meta.dirname, '../../node_modules/@octokit/graphql-schema/schema.graphql');
const schema = buildSchema(readFileSync(published, 'utf8'), { assumeValidSDL: true });

const three = ['A', 'B', 'C'].map((name) => ({ thread: `PRRT_${name}`, body: `Fixed ${name}.` }));
const made = { comment: { id: 'PRRC_1' } };
const failure = (field: string, type: string, message: string) => ({ type, path: [field], message });

test('V-4: several replies are one document, valid by the schema that GitHub publishes, with each text as a variable', async () => {
  onGraphql({ data: {} });
  const replies = Array.from({ length: MOST_REPLIES }, (_, index) => ({
    ...{ thread: `PRRT_${index}`, body: `"Fixed" ${index}` },
  }));
  await github.replyInReview('PRR_1', replies);
  expect(sent).toHaveLength(1);
  const { query = '', variables } = (sent[0]?.body ?? {}) as { query?: string; variables?: object };
  expect(validate(schema, parse(query))).toEqual([]);
  expect(query.match(/addPullRequestReviewThreadReply\(/g)).toHaveLength(MOST_REPLIES);
  expect(query).not.toContain('Fixed');
  expect(variables).toMatchObject({ review: 'PRR_1', thread19: 'PRRT_19', body19: '"Fixed" 19' });
});

test('V-4: a thread that is gone fails alone, and no reply is sent twice', async () => {
  onGraphql({
    data: { r0: made, r1: null, r2: made },
    errors: [failure('r1', 'NOT_FOUND', 'Could not resolve to a node')],
  });
  await github.replyInReview('PRR_1', three);
  expect(sent).toHaveLength(1);
});

test.each([
  ['one of them is refused', failure('r2', 'FORBIDDEN', 'No'), { status: 403 }],
  [
    'they come too quickly',
    failure('r2', 'UNPROCESSABLE', 'was submitted too quickly'),
    { status: 429, retryAfter: 60 },
  ],
])('V-4: %s: that is told, not the thread that is gone', async (_, error, expected) => {
  onGraphql({
    data: { r0: made, r1: null, r2: null },
    errors: [failure('r1', 'NOT_FOUND', 'Could not resolve to a node'), error],
  });
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject(expected);
});

test.each([
  ['a document that failed as a whole', null],
  ['an error that names no reply', { r0: made, r1: made, r2: null }],
])('V-4: %s is no thread that is gone', async (_, data) => {
  onGraphql({ data, errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] });
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject({ status: 404 });
});
