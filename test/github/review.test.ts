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

test.each(['FORBIDDEN', 'UNPROCESSABLE'])(
  'V-4: a thread in which the reply is refused (%s) is named, and the others are answered',
  async (type) => {
    onGraphql({
      data: { r0: made, r1: null, r2: null },
      errors: [
        failure('r1', 'NOT_FOUND', 'Could not resolve to a node'),
        failure('r2', type, 'It is locked'),
      ],
    });
    expect(await github.replyInReview('PRR_1', three)).toEqual(['PRRT_C']);
    expect(sent).toHaveLength(1);
  },
);

test.each([
  ['they come too quickly', 'UNPROCESSABLE', 'was submitted too quickly', { status: 429, retryAfter: 60 }],
  ['the limit is reached', 'RATE_LIMITED', 'API rate limit exceeded', { status: 429, retryAfter: 60 }],
  ['it is unknown why', 'SOMETHING', 'Something went wrong', { status: 502 }],
])(
  'V-4: %s: that is thrown, not left out like a thread that is gone or refused',
  async (_, type, message, expected) => {
    onGraphql({
      data: { r0: null, r1: null, r2: null },
      errors: [
        failure('r0', 'NOT_FOUND', 'Could not resolve to a node'),
        failure('r1', 'FORBIDDEN', 'It is locked'),
        failure('r2', type, message),
      ],
    });
    await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject(expected);
  },
);

test('V-4: a permission that is missing is no matter of one thread', async () => {
  const headers = { 'x-accepted-github-permissions': 'pull_requests=write' };
  onGraphql(
    {
      data: { r0: null, r1: null, r2: null },
      errors: ['r0', 'r1', 'r2'].map((field) =>
        failure(field, 'FORBIDDEN', 'Resource not accessible by integration'),
      ),
    },
    headers,
  );
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject({
    missingPermission: 'pull_requests=write',
  });
});

const notFound = (...ids: string[]) =>
  ids.map((id, index) =>
    failure(`r${index}`, 'NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`),
  );

test('V-4: a review that is not found is no thread that is gone', async () => {
  onGraphql({ data: { r0: null, r1: null, r2: made }, errors: notFound('PRR_1', 'PRRT_B') });
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject({ status: 404 });
  onGraphql({
    data: { r0: null, r1: null, r2: null },
    errors: ['r0', 'r1', 'r2'].map((field) => failure(field, 'NOT_FOUND', 'Could not resolve to a node')),
  });
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject({ status: 404 });
});

test('V-4: threads that are all gone, each by its name, are left out', async () => {
  onGraphql({ data: { r0: null, r1: null, r2: null }, errors: notFound('PRRT_A', 'PRRT_B', 'PRRT_C') });
  expect(await github.replyInReview('PRR_1', three)).toEqual([]);
});

test.each([
  ['a document that failed as a whole', null],
  ['an error that names no reply', { r0: made, r1: made, r2: null }],
])('V-4: %s is no thread that is gone', async (_, data) => {
  onGraphql({ data, errors: [{ type: 'NOT_FOUND', message: 'Could not resolve to a node' }] });
  await expect(github.replyInReview('PRR_1', three)).rejects.toMatchObject({ status: 404 });
});
