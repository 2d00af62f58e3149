// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of the source text
interface Edit {
  file: string;
  from: string | string[];
  to: string | string[];
}

interface KnownFault extends Edit {
  name: string;
  /** Where something else would make up for the fault. */
  also?: Edit[];
  seed?: number;
}

/**
 * Faults that the code had or could have, each as a text in its file and what to put in its place. `seed` is the one that last noticed
 * it: it is played first, and the others if a change of the code has made another history of it.
 */
export const KNOWN_FAULTS: KnownFault[] = [
  {
    name: 'a comment is created again without looking for its marker',
    seed: 4,
    file: 'src/app/upsert-comment.ts',
    from: 'const lost = known && (await findByMarker(deps, github, issue, known));',
    to: 'const lost = undefined;',
  },
  {
    name: 'leases are compared by a clock that is 20 s ahead',
    seed: 1,
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
    seed: 74,
    file: 'src/app/workers/work-lane.ts',
    from: 'if (!isHeld()) throw',
    to: 'if (isHeld() === undefined) throw',
  },
  {
    name: "a job's end is charged to whichever job is there",
    seed: 1,
    file: 'src/core/decide/jobs/end-job.ts',
    from: 'if (ended.job !== neededJob(state)) return NOTHING;',
    to: '',
  },
  {
    name: 'the token of a job that Actions gave up is good',
    seed: 30,
    file: 'src/app/handlers/workflow-run-completed.ts',
    from: 'await deps.jobs.silence(op);',
    to: '',
  },
  {
    name: 'a dispatch whose response was lost is sent again unseen',
    seed: 18,
    file: 'src/app/effects/dispatch-job.ts',
    from: 'dispatch.actions_run ?? (await findStarted(context, dispatch))',
    to: 'dispatch.actions_run',
  },
  {
    name: 'nobody looks whether a working run has a job',
    seed: 25,
    file: 'src/app/workers/watch-jobs.ts',
    from: "await store.runs.inPhase('working')",
    to: '[] as string[]',
  },
  {
    name: 'a silent job looks as if it worked',
    seed: 25,
    file: 'src/app/silence.ts',
    from: 'const SILENT_MS = 150_000;',
    to: 'const SILENT_MS = 150_000_000;',
  },
  {
    name: 'a job that is back stays silent',
    seed: 25,
    file: 'src/app/workers/watch-jobs.ts',
    from: 'if ((since === undefined) === (silent_at === undefined)) return;',
    to: 'if (since === undefined || silent_at !== undefined) return;',
  },
  {
    name: 'the work of a round is published on a head that nobody verified it on',
    seed: 58,
    file: 'src/core/decide/revise/move-revision.ts',
    from: 'by === undefined && !verified',
    to: 'by !== undefined && !verified',
  },
  {
    name: 'a round that was asked for in another one is forgotten',
    seed: 123,
    file: 'src/core/decide/revise/end-revision.ts',
    from: 'if (asked_revisions.length === 0 ||',
    to: 'if (asked_revisions.length > 0 ||',
  },
  {
    name: 'a dispatch that started nothing is waited for',
    seed: 40,
    file: 'src/app/workers/watch-jobs.ts',
    from: 'const UNKNOWN_MS = 270_000;',
    to: 'const UNKNOWN_MS = 270_000_000;',
  },
  {
    name: 'a command has no key, so that it acts once per delivery',
    seed: 2,
    file: 'src/app/handlers/handle-command.ts',
    from: '    [asked.seen],\n  );\n  return handled',
    to: '    [],\n  );\n  return handled',
  },
  {
    name: 'an effect is removed before it is performed',
    seed: 4,
    file: 'src/app/workers/work-lane.ts',
    from: '    const { againAfterMs } = await performEffect(deps, effect);',
    to: '    await outbox.done(lease, id);\n    const { againAfterMs } = await performEffect(deps, effect);',
  },
  {
    name: 'two desks that decide at once both commit',
    seed: 2090,
    file: 'src/store/hosted/runs.ts',
    from: 'if (version !== expectedVersion) return { ok: false };',
    to: '',
  },
  {
    name: 'a decision that lost its race is not made again',
    seed: 128,
    file: 'src/core/decide/handle.ts',
    from: 'if (!committed.ok) continue;',
    to: 'if (!committed.ok) return undefined;',
  },
  {
    name: 'an effect does not look at the state when it runs',
    seed: 366,
    file: 'src/app/effects/perform-effect.ts',
    from: 'if (!isStillWanted(effect, state)) {',
    to: 'if (isStillWanted(effect, state) === undefined) {',
    also: [
      {
        file: 'src/app/effects/dispatch-job.ts',
        from: 'if (!isNeeded(state, dispatch)) return',
        to: 'if (isNeeded(state, dispatch) === undefined) return',
      },
    ],
  },
  {
    name: 'a question that GitHub refused is posted after the cancel',
    seed: 297,
    file: 'src/app/effects/write-question.ts',
    from: 'if (endedWithoutResult(state) && !(await wasPosted(context, op))) return;',
    to: 'await wasPosted(context, op);',
  },
  {
    name: 'a job that works on after a cancel is not ended',
    seed: 126,
    file: 'src/app/effects/stop-jobs.ts',
    from: 'else works = true;',
    to: 'else works = false;',
  },
  {
    name: 'stopping and starting jobs waits behind comments',
    seed: 1,
    file: 'src/core/decide/lane-order.ts',
    from: 'const URGENT = 0;',
    to: 'const URGENT = 1;',
  },
  {
    name: 'a newer status does not replace an older one',
    seed: 1,
    file: 'src/core/decide/lane-order.ts',
    from: 'rank: NORMAL, replaces: true',
    to: 'rank: NORMAL, replaces: false',
  },
  {
    name: 'words about the work that failed hold up the next round',
    seed: 50,
    file: 'src/store/hosted/outbox.ts',
    from: '(older.error is null or older.kind not in',
    to: '(1 = 1 or older.kind not in',
  },
  {
    name: 'a comment that fails holds up everything else of its issue',
    seed: 1,
    file: 'src/core/decide/lane-order.ts',
    from: '=> ({ slot, rank, replaces: false })',
    to: "=> ({ slot: slot.startsWith('react') ? slot : 'one', rank, replaces: false })",
  },
  {
    name: 'a job that dies is replaced for ever',
    seed: 126,
    file: 'src/core/decide/jobs/replace-lost-job.ts',
    from: 'const MOST_LOSSES = 3;',
    to: 'const MOST_LOSSES = 300;',
  },
  {
    name: 'a dispatch that is given up leaves its record open',
    seed: 158,
    file: 'src/app/workers/work-lane.ts',
    from: "if (isDispatch(effect.effect)) await endDispatch(deps, id, 'given up');",
    to: '',
    also: [
      {
        file: 'src/app/effects/perform-effect.ts',
        from: 'if ((await explainFailure(deps, attempt, error))',
        to: 'if (!isDispatch(effect) && (await explainFailure(deps, attempt, error))',
      },
    ],
  },
  {
    name: 'nobody is asked about a dispatch that GitHub refuses',
    seed: 26,
    file: 'src/core/decide/jobs/end-job.ts',
    from: "return { events: asked.events, effects: [{ type: 'stop_job' }, ...asked.effects] };",
    to: 'return NOTHING;',
  },
  {
    name: 'the last status is given up at a refusal',
    seed: 22,
    file: 'src/app/workers/retry-policy.ts',
    from: 'return IS_WORD[type] ? isUseless(error, attempts) : isGivenUp(error, attempts);',
    to: 'return isUseless(error, attempts) || (WORDS.size > 0 && type !== undefined && isGivenUp(error, 3));',
  },
  {
    name: 'comments whose webhook was lost are not read',
    seed: 2,
    file: 'src/app/reconcile/reconcile-repository.ts',
    from: '=> reconcileComments(round, underWay, listed)',
    to: '=> Promise.resolve(void reconcileComments)',
  },
  {
    name: 'a refusal is decided after the key of its command',
    seed: 102,
    file: 'src/app/handlers/handle-command.ts',
    from: '  await write(deps, run, [...confused, reply], [told, ...keys]);\n  if (confused.length > 0) await write(deps, run, confused, [seen]);',
    to: '  if (confused.length > 0) await write(deps, run, confused, keys);\n  await write(deps, run, [reply], [told]);',
  },
  {
    name: 'a comment that is to be restored is not looked for after a kill',
    seed: 90,
    file: 'src/app/reconcile/reconcile-comments.ts',
    from: 'if (!isTicked && (!known || known.body_hash ===',
    to: 'if (!isTicked && (!known?.body_hash || known.body_hash ===',
  },
  {
    name: 'a deleted status is made up for by another comment',
    seed: 1074,
    file: 'src/app/reconcile/reconcile-issue.ts',
    from: "phaseOf(state) === 'working' ? '' : updated_at",
    to: "phaseOf(state) === 'working' || state.pending === undefined ? '' : updated_at",
  },
  {
    name: 'the second of two who answer is not told who was first',
    seed: 8,
    file: 'src/core/decide/commands/refused.ts',
    from: [
      'const last = closed?.resolved_at ? closed.responses.at(-1) : undefined;',
      'const last = state.escalations.at(-1)?.responses.at(-1);',
    ],
    to: [
      'const last = closed?.resolved_at ? closed.responses.at(99) : undefined;',
      'const last = state.escalations.at(-1)?.responses.at(99);',
    ],
  },
  {
    name: 'an effect is tried again before GitHub allows it',
    seed: 3,
    file: 'src/app/workers/work-lane.ts',
    from: 'const wait = waitFor(error, attempts);',
    to: 'const wait = waitFor(undefined, attempts);',
  },
  {
    name: 'the desk does not count the turns of a job that lies',
    seed: 86,
    file: 'src/core/decide/count-at-desk.ts',
    from: "turns: counted.turns + (kind === 'normal' ? 1 : 0),",
    to: "turns: counted.turns + (kind === 'normal' ? 0 : 0),",
  },
  {
    name: 'the desk does not count the verifications of a job that lies',
    seed: 23,
    file: 'src/core/decide/count-at-desk.ts',
    from: [
      'verifications: counted.verifications + (verification ? 1 : 0),',
      'verifications: counted.verifications + 1 }',
    ],
    to: ['verifications: counted.verifications,', 'verifications: counted.verifications }'],
  },
  {
    name: 'an installation that GitHub limits is called for something else',
    seed: 7,
    file: 'src/github/client/within-budget.ts',
    from: 'budget?.refuseIfSpent(resource);',
    to: '',
  },
  {
    name: 'a limit of GraphQL does not stop REST',
    seed: 36,
    file: 'src/github/client/within-budget.ts',
    from: "isUsedUp(headers) ? resource : 'all'",
    to: "isUsedUp(headers) ? 'all' : resource",
  },
  {
    name: 'two desks work in one lane at once',
    seed: 1,
    file: 'src/store/hosted/outbox.ts',
    from: [
      'and not exists (select 1 from lanes where lanes.lane = one.lane and lanes.until_ms > ${now})',
      'where lanes.until_ms <= ${now}\n',
      'and fence = ${PARAMETER} and until_ms > ${now} ${forUpdate}',
    ],
    to: ['', 'where 1 = 1\n', 'and (fence = ${PARAMETER} or 1 = 1) ${forUpdate}'],
  },
  {
    name: 'a box that leaves the question open stays ticked',
    seed: 29,
    file: 'src/app/handlers/comment-edited.ts',
    from: 'if (!isReworded && !isOpen) return;',
    to: 'return;',
  },
  {
    name: 'a webhook that is stored wakes nobody',
    seed: 14,
    file: 'src/app/workers/workers.ts',
    from: "if (what === 'inbox' || what === 'outbox') queues[what].wake();",
    to: "if (what === 'outbox') queues[what].wake();",
  },
  {
    name: 'GitHub is read again every five minutes only',
    seed: 34,
    file: 'src/app/workers/workers.ts',
    from: 'const RECONCILE_MS = 60_000;',
    to: 'const RECONCILE_MS = 300_000;',
  },
];
