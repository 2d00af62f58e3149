// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of the source text
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from './read-arguments.mjs';

/**
 * Puts known faults back, one at a time, and prints the seed of the simulation that notices each. `seed` is where that was last
 * so: it is played first, and the others if a change of the code has made another history of it.
 */
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
      'and fence = ${PARAMETER} and until_ms > ${now} ${forUpdate}',
    ],
    to: [
      'lanes.lane = one.lane and lanes.until_ms > ${now} + 20000)',
      'where lanes.until_ms <= ${now} + 20000\n',
      'and (fence = ${PARAMETER} or 1 = 1) ${forUpdate}',
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
    from: "await deps.store.runs.inPhase('working')",
    to: '[] as string[]',
  },
  {
    name: 'a silent job looks as if it worked',
    seed: 263,
    file: 'src/app/workers/watch-jobs.ts',
    from: 'const SILENT_MS = 150_000;',
    to: 'const SILENT_MS = 150_000_000;',
  },
  {
    name: 'a job that is back stays silent',
    file: 'src/app/workers/watch-jobs.ts',
    from: 'if (isSilent === (silent_at !== undefined)) return;',
    to: 'if (!isSilent || silent_at !== undefined) return;',
  },
  {
    name: 'the work of a round is published on a head that nobody verified it on',
    file: 'src/core/decide/revise/move-revision.ts',
    from: 'by === undefined && !verified',
    to: 'by !== undefined && !verified',
  },
  {
    name: 'a round that was asked for in another one is forgotten',
    file: 'src/core/decide/revise/end-revision.ts',
    from: 'if (asked_revisions.length === 0 ||',
    to: 'if (asked_revisions.length > 0 ||',
  },
  {
    name: 'a dispatch that started nothing is waited for',
    seed: 30,
    file: 'src/app/workers/watch-jobs.ts',
    from: 'const UNKNOWN_MS = 10 * 60_000;',
    to: 'const UNKNOWN_MS = 10_000 * 60_000;',
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
    from: '    const { againAfterMs } = await performEffect(deps, effect);',
    to: '    await outbox.done(lease, id);\n    const { againAfterMs } = await performEffect(deps, effect);',
  },
  {
    name: 'two desks that decide at once both commit',
    seed: 270,
    file: 'src/store/hosted/runs.ts',
    from: 'if (version !== expectedVersion) return { ok: false };',
    to: '',
  },
  {
    name: 'a decision that lost its race is not made again',
    seed: 157,
    file: 'src/core/decide/handle.ts',
    from: 'if (!committed.ok) continue;',
    to: 'if (!committed.ok) return undefined;',
  },
  {
    name: 'an effect does not look at the state when it runs',
    file: 'src/core/decide/is-still-wanted.ts',
    from: ['return isUnderWay(state);', 'return !endedWithoutResult(state);'],
    to: ['return isUnderWay(state) || true;', 'return !endedWithoutResult(state) || true;'],
  },
  {
    name: 'a question that GitHub refused is posted after the cancel',
    seed: 181,
    file: 'src/app/effects/write-question.ts',
    from: 'if (endedWithoutResult(state) && !(await wasPosted(context, op))) return;',
    to: 'await wasPosted(context, op);',
  },
  {
    name: 'a job that works on after a cancel is not ended',
    seed: 139,
    file: 'src/app/effects/stop-jobs.ts',
    from: 'else works = true;',
    to: 'else works = false;',
  },
  {
    name: 'stopping and starting jobs waits behind comments',
    file: 'src/core/decide/lane-order.ts',
    from: 'const URGENT = 0;',
    to: 'const URGENT = 1;',
  },
  {
    name: 'a newer status does not replace an older one',
    file: 'src/core/decide/lane-order.ts',
    from: 'rank: NORMAL, replaces: true',
    to: 'rank: NORMAL, replaces: false',
  },
  {
    name: 'a comment that fails holds up everything else of its issue',
    file: 'src/core/decide/lane-order.ts',
    from: '=> ({ slot, rank, replaces: false })',
    to: "=> ({ slot: slot.startsWith('react') ? slot : 'one', rank, replaces: false })",
  },
  {
    name: 'a job that dies is replaced for ever',
    seed: 352,
    file: 'src/core/decide/jobs/replace-lost-job.ts',
    from: 'const MOST_LOSSES = 3;',
    to: 'const MOST_LOSSES = 300;',
  },
  {
    name: 'the last status is given up at a refusal',
    seed: 42,
    file: 'src/app/workers/retry-policy.ts',
    from: 'return WORDS.has(type) ? isUseless(error, attempts) : isGivenUp(error, attempts);',
    to: 'return isUseless(error, attempts) || (WORDS.size > 0 && type !== undefined && isGivenUp(error, 3));',
  },
  {
    name: 'comments whose webhook was lost are not read',
    seed: 12,
    file: 'src/app/reconcile/reconcile-repository.ts',
    from: '=> reconcileComments(round, underWay, issues)',
    to: '=> Promise.resolve(void reconcileComments)',
  },
];

/** `npm run mutants [-- words of a name]`. Two at a time; each is played for so many seeds, and so many minutes at most. */
const SEEDS = process.env.SIMULATION_SEEDS ?? '2000';
const LONGEST_MS = 15 * 60_000;
const AT_ONCE = 2;

const root = join(import.meta.dirname, '..');
const USAGE = `Usage: npm run mutants [-- 'WORDS OF A NAME']

Puts known faults back, one at a time, and says which seed of the simulation notices each.
  -- --help   this text
`;
const [wanted = ''] = readArguments(USAGE, {}, 1).positionals;
const queue = MUTANTS.filter(({ name }) => name.includes(wanted));
const count = queue.length;
const survivors = [];
let done = 0;
process.stdout.write(`${count} mutants, ${SEEDS} seeds each\n`);
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.stdout.write(
  survivors.length > 0 ? `NOT NOTICED: ${survivors.join('; ')}\n` : `all ${count} were noticed\n`,
);
process.exitCode = survivors.length > 0 || count === 0 ? 1 : 0;

async function work() {
  for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
    const { noticed, said } = await play(mutant);
    done += 1;
    if (!noticed) survivors.push(mutant.name);
    process.stdout.write(`[${done}/${count}] ${mutant.name}\n  ${said}\n`);
  }
}

async function play(mutant) {
  const scratch = mkdtempSync(join(tmpdir(), 'autobuild-mutant-'));
  try {
    for (const part of ['src', 'test/simulation', 'test/core', 'templates', 'package.json'])
      cpSync(join(root, part), join(scratch, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
    mutate(join(scratch, mutant.file), mutant);
    const hinted = mutant.seed === undefined ? undefined : await run(scratch, mutant.seed, '1');
    const { code, out, err } = isNoticed(hinted) ? hinted : await run(scratch, '1', SEEDS);
    const noticed = isNoticed({ code, out });
    if (noticed) return { noticed, said: out.trim().slice(0, 200) };
    const why = code === null ? `in ${LONGEST_MS / 60_000} minutes` : `in ${SEEDS} seeds`;
    return { noticed, said: `NOT NOTICED ${why} ${err.trim().slice(-500)}` };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isNoticed(played) {
  return played?.code === 1 && played.out.startsWith('seed ');
}

/** `code` is null if the time was over. */
function run(cwd, first, count) {
  const child = spawn(process.execPath, ['test/simulation/run.ts', String(first), count, 'first'], {
    cwd,
    timeout: LONGEST_MS,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

function mutate(path, { from, to, name }) {
  let text = readFileSync(path, 'utf8');
  const [befores, afters] = [[from].flat(), [to].flat()];
  for (const [index, before] of befores.entries()) {
    if (!text.includes(before)) throw new Error(`The place of "${name}" is not in ${path} any more.`);
    text = text.replace(before, () => afters[index]);
  }
  writeFileSync(path, text);
}
