import { sql } from 'kysely';
import type { Publication } from '../../../core/ports/publications.ts';
import type { Trx } from '../tables.ts';
import { convertDispatches } from './convert-dispatches.ts';
import type { UnfinishedDispatch } from './convert-outbox.ts';
import { below, type Marks } from './marks.ts';

/** Facts of the older layout, which kept them as texts under free keys. Cursors of reconcile are dropped: it reads again. */
export async function convertMarks(
  trx: Trx,
  { unfinished, nowMs }: { unfinished: UnfinishedDispatch[]; nowMs: number },
): Promise<void> {
  const { rows } = await sql<{ key: string; value: string }>`select key, value from marks`.execute(trx);
  const marks: Marks = new Map(rows.map(({ key, value }) => [key, value]));
  await convertAnswered(trx, marks, nowMs);
  await convertLabellings(trx, marks);
  await convertPublications(trx, marks);
  await convertComments(trx, marks);
  await convertDispatches(trx, { marks, unfinished, nowMs });
  await convertRedeliveries(trx, marks, nowMs);
}

/** Their age counts from now on, because it was not recorded. */
async function convertAnswered(trx: Trx, marks: Marks, nowMs: number): Promise<void> {
  const keys = [
    // A comment that was read is answered, whether or not it was a command.
    ...[...below(marks, 'handled:')].map(([source]) => source),
    ...['refused:', 'not-started:'].flatMap((prefix) =>
      [...below(marks, prefix)].map(([rest]) => prefix + rest),
    ),
  ];
  for (const key of keys)
    await sql`insert into seen (key, run, at_ms) values (${key}, '', ${nowMs})
      on conflict (key) do nothing`.execute(trx);
}

async function convertLabellings(trx: Trx, marks: Marks): Promise<void> {
  for (const [run, text] of below(marks, 'labelling:')) {
    const { event, at } = JSON.parse(text) as { event?: number; at: string };
    await sql`insert into labellings (run, event, at) values (${run}, ${event ?? null}, ${at})`.execute(trx);
  }
}

const asJson = (text: string): never => JSON.parse(text) as never;
const PUBLICATION_MARKS: [prefix: string, read: (text: string) => Publication][] = [
  ['branch:', (branch) => ({ branch })],
  ['head:', (head) => ({ head })],
  ['published:', (content) => ({ content })],
  ['unpublished:', (text) => ({ unpublished: text === '' ? null : asJson(text) })],
  ['ci:', (text) => ({ ci: asJson(text) })],
  ['left-out:', (text) => ({ left_out: asJson(text) })],
  ['check:', (check) => ({ check })],
  ['label:', (label) => ({ label })],
  ['report-of:', (id) => ({ report_run: Number(id) })],
  ['free-of-secrets:', (free_of_secrets) => ({ free_of_secrets })],
  ['replaces-nothing:', (replaces_nothing) => ({ replaces_nothing })],
  ['pull-of:', (pull) => ({ pull: Number(pull) })],
];

async function convertPublications(trx: Trx, marks: Marks): Promise<void> {
  const publications = new Map<string, Publication>();
  for (const [prefix, read] of PUBLICATION_MARKS)
    for (const [run, text] of below(marks, prefix))
      publications.set(run, { ...publications.get(run), ...read(text) });
  for (const [run, publication] of publications) {
    await sql`insert into publications (run, repo_id, pull, body)
      select ${run}, repo_id, ${publication.pull ?? null}, ${JSON.stringify(publication)}
      from runs where run = ${run}`.execute(trx);
  }
  for (const [issue, text] of below(marks, 'own-commits:')) {
    const [repoId = '', number = ''] = issue.split('#');
    for (const sha of JSON.parse(text) as string[])
      await sql`insert into own_commits (repo_id, issue, sha)
        values (${Number(repoId)}, ${Number(number)}, ${sha}) on conflict do nothing`.execute(trx);
  }
}

async function convertComments(trx: Trx, marks: Marks): Promise<void> {
  for (const [op, at] of below(marks, 'commenting:')) {
    await sql`insert into sent_comments (op, tried_ms) values (${op}, ${Date.parse(at) || 0})
      on conflict (op) do update set tried_ms = excluded.tried_ms`.execute(trx);
  }
  for (const [op] of below(marks, 'minimised:'))
    await sql`update sent_comments set minimised = 1 where op = ${op}`.execute(trx);
  for (const [op, escalation] of below(marks, 'question-in:'))
    await sql`update sent_comments set kind = 'review', escalation = ${escalation || null}
      where op = ${op}`.execute(trx);
}

async function convertRedeliveries(trx: Trx, marks: Marks, nowMs: number): Promise<void> {
  for (const [guid, body] of below(marks, 'redelivered:'))
    await sql`insert into cursors (name, key, body, at_ms)
      values ('redelivery', ${guid}, ${body}, ${nowMs})`.execute(trx);
}
