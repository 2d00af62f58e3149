// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of the source text
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Puts known faults back, one at a time, and prints the seed of the simulation that notices each. */
const MUTANTS = [
  {
    name: 'a comment is created again without looking for its marker',
    file: 'src/app/upsert-comment.ts',
    from: 'const lost = known && (await findByMarker(deps, github, issue, known));',
    to: 'const lost = undefined;',
  },
  {
    name: 'leases are compared by a clock that is 20 s ahead',
    file: 'src/store/hosted/outbox.ts',
    from: [
      'lanes.lane = one.lane and lanes.until_ms > ${now})',
      'where lanes.until_ms <= ${now}\n',
      'and fence = ${fence} and until_ms > ${now} ${forUpdate}',
    ],
    to: [
      'lanes.lane = one.lane and lanes.until_ms > ${now} + 20000)',
      'where lanes.until_ms <= ${now} + 20000\n',
      'and (fence = ${fence} or 1 = 1) ${forUpdate}',
    ],
  },
  {
    name: 'a desk that stood still writes on',
    file: 'src/app/workers/work-lane.ts',
    from: 'if (!isHeld()) throw',
    to: 'if (isHeld() === undefined) throw',
  },
  {
    name: "a job's end is charged to whichever job is there",
    file: 'src/core/decide/jobs/end-job.ts',
    from: 'if (ended.job !== neededJob(state)) return NOTHING;',
    to: '',
  },
  {
    name: 'the token of a job that Actions gave up is good',
    file: 'src/app/handlers/workflow-run-completed.ts',
    from: 'await store.tickets.revoke(op);',
    to: '',
  },
  {
    name: 'a dispatch whose response was lost is sent again unseen',
    file: 'src/app/effects/dispatch-job.ts',
    from: 'dispatch.actions_run ?? (await findStarted(context, dispatch.requested_at))',
    to: 'dispatch.actions_run',
  },
  {
    name: 'nobody looks whether a working run has a job',
    file: 'src/app/workers/watch-jobs.ts',
    from: "for (const run of await deps.store.runs.inPhase('working')) {",
    to: 'for (const run of [] as string[]) {',
  },
  {
    name: 'a command has no key, so that it acts once per delivery',
    file: 'src/app/handlers/handle-command.ts',
    from: '    [asked.seen],\n  );\n  return handled',
    to: '    [],\n  );\n  return handled',
  },
  {
    name: 'an effect is removed before it is performed',
    file: 'src/app/workers/work-lane.ts',
    from: '    const { againAfterMs } = await performOrExplain(deps, effect);',
    to: '    await outbox.done(lease, id);\n    const { againAfterMs } = await performOrExplain(deps, effect);',
  },
  {
    name: 'comments whose webhook was lost are not read',
    file: 'src/app/reconcile/reconcile.ts',
    from: '  await readComments(deps, github, state, target, target.issue);\n',
    to: '',
  },
];

const SEEDS = process.env.SIMULATION_SEEDS ?? '300';
const root = join(import.meta.dirname, '..');
const wanted = process.argv[2];
let survivors = 0;
for (const mutant of MUTANTS) {
  if (wanted && !mutant.name.includes(wanted)) continue;
  const scratch = mkdtempSync(join(tmpdir(), 'autobuild-mutant-'));
  try {
    for (const part of ['src', 'test/simulation', 'test/core', 'templates', 'package.json'])
      cpSync(join(root, part), join(scratch, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
    mutate(join(scratch, mutant.file), mutant);
    const run = spawnSync(process.execPath, ['test/simulation/run.ts', '1', SEEDS, 'first'], {
      cwd: scratch,
      encoding: 'utf8',
    });
    const noticed = run.status === 1 && run.stdout.startsWith('seed ');
    if (!noticed) survivors += 1;
    const found = noticed ? run.stdout.trim().slice(0, 200) : `NOT NOTICED in ${SEEDS} seeds ${run.stderr}`;
    process.stdout.write(`${mutant.name}\n  ${found}\n`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
process.exitCode = survivors > 0 ? 1 : 0;

function mutate(path, { from, to, name }) {
  let text = readFileSync(path, 'utf8');
  const [befores, afters] = [[from].flat(), [to].flat()];
  for (const [index, before] of befores.entries()) {
    if (!text.includes(before)) throw new Error(`The place of "${name}" is not in ${path} any more.`);
    text = text.replace(before, () => afters[index]);
  }
  writeFileSync(path, text);
}
