import { type RawBuilder, sql } from 'kysely';
import type { CursorValues } from '../../core/ports/cursors.ts';

/** The thing whose memory a cursor is, named by its key. */
type Needing = 'a run' | 'an issue' | 'a repository' | 'a dispatch' | 'the desk' | 'nothing open';

/** A cursor is kept, however old it is, for as long as something open needs it: a run may wait for ever (P-10). */
const NEEDED_BY: Record<keyof CursorValues, Needing> = {
  run: 'a run',
  dropped: 'a run',
  label_gone: 'a run',
  labelled_issue: 'an issue',
  polled: 'a repository',
  labels: 'a repository',
  job: 'a dispatch',
  repositories: 'the desk',
  performing: 'the desk',
  deliveries: 'the desk',
  // GitHub sends nothing again that is older than three days.
  redelivery: 'nothing open',
  // A rate: what was left of it months ago says nothing of now.
  first_reads: 'nothing open',
  restored: 'nothing open',
};

/** Deletes cursors that have not changed since, and that nothing open needs. */
export function pruneCursors(
  before: RawBuilder<number>,
  isOver: (run: RawBuilder<string>) => RawBuilder<unknown>,
  some: RawBuilder<unknown>,
): RawBuilder<unknown>[] {
  const open = sql`from runs where runs.phase <> 'ended' and runs.repo_id is not null`;
  const deletable: [of: Needing[], condition: RawBuilder<unknown>][] = [
    [['a run'], isOver(sql`one.key`)],
    [
      ['an issue'],
      sql`one.key not in (select cast(runs.repo_id as text) || '#' || cast(runs.issue as text) ${open})`,
    ],
    [['a repository'], sql`one.key not in (select cast(runs.repo_id as text) ${open})`],
    // Dispatches go with their run.
    [['a dispatch'], sql`not exists (select 1 from dispatches where dispatches.op = one.key)`],
  ];
  const namesOf = (of: Needing[]) =>
    Object.entries(NEEDED_BY).flatMap(([name, needing]) => (of.includes(needing) ? [name] : []));
  const list = (names: string[]) => sql.join(names.map((name) => sql.val(name)));
  const others = list(namesOf([...deletable.flatMap(([of]) => of), 'the desk']));
  return [
    ...deletable.map(([of, condition]) => sql`one.name in (${list(namesOf(of))}) and ${condition}`),
    sql`one.name not in (${others})`,
  ].map(
    (condition) => sql`delete from cursors where (name, key) in (
      select one.name, one.key from cursors as one where one.at_ms < ${before} and ${condition} ${some})`,
  );
}
