import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';

const source = join(import.meta.dirname, '../../src/github');
const published = join(import.meta.dirname, '../../node_modules/@octokit/graphql-schema/schema.graphql');
/** GitHub's own text defines a field twice, so it is not examined itself. */
const schema = buildSchema(readFileSync(published, 'utf8'), { assumeValidSDL: true });

/** Every text in backquotes that is a query or a mutation, with the texts of the same file that it is made of. */
function queriesIn(text: string): string[] {
  const named = new Map(
    [...text.matchAll(/const (\w+) = `([^`]*)`/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const whole = (value: string): string =>
    value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => whole(named.get(name) ?? `UNKNOWN_${name}`));
  return [...named.values()].filter((value) => /^\s*(?:query|mutation)\b/.test(value)).map(whole);
}

const queries = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    queriesIn(readFileSync(join(source, file), 'utf8')).map((query, index) => ({
      ...{ name: `${file} ${index + 1}`, query },
    })),
  );

test('no query is missed', () => {
  const begun = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/`(?:query|mutation)\b/g)]);
  expect(queries).toHaveLength(begun.length);
  expect(queries.length).toBeGreaterThan(10);
});

test.each(queries)('V-4: $name is valid by the schema that GitHub publishes', ({ query }) => {
  expect(validate(schema, parse(query)).map(({ message }) => message)).toEqual([]);
});

test('a misspelt field is found', () => {
  const wrong = parse('query ($id: ID!) { node(id: $id) { ... on PullRequest { isDraught } } }');
  expect(validate(schema, wrong)).toHaveLength(1);
});
