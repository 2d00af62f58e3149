import { Claim, type Envelope } from '../core/contracts/envelope.ts';
import type { BaseUpdate } from '../core/contracts/revision.ts';
import type { RunState } from '../core/contracts/run-state.ts';
import type { WorkFacts } from '../core/contracts/work-facts.ts';
import { isComplete } from '../core/decide/completion.ts';
import { handle } from '../core/decide/handle.ts';
import { hideInFacts } from '../core/secrets/hide-in-claims.ts';
import { createSecretHider } from '../core/secrets/hide-secrets.ts';
import { openSecrets } from '../core/secrets/secrets-of-run.ts';
import type { Changeset } from '../core/work/changeset.ts';
import { changesetLimits, digestOfFile, examineWork, readChangeset } from '../core/work/examine-work.ts';
import { keptIn, unresolvedIn, withReverted } from '../core/work/judge-merge.ts';
import { roundHead } from '../core/work/round-head.ts';
import { suggestionsIn } from '../core/work/suggestion.ts';
import type { ClaimsDesk } from './claims-desk.ts';
import { digestOf } from './digest-of.ts';

const MOST_UNRESOLVED = 100;

/** Work that a job only talks about is none. */
const NO_WORK: WorkFacts = { files: 0, changed: 0, problems: [], secrets: [] };

/** Why a changeset is not accepted. People are told once per job, because it would be missing silently otherwise. */
export async function whyNotAccepted(
  { store, rules, log, now }: ClaimsDesk,
  { run, job }: { run: string; job: number },
  bytes: Uint8Array,
): Promise<string | undefined> {
  const target = await store.runs.target(run);
  if (!target) return undefined;
  const { state } = await store.runs.load(run);
  const read = readChangeset(bytes, state ? roundHead(state, target) : target.head_sha);
  if (read.ok) return undefined;
  const secrets = state ? await openSecrets(store.vault, state) : [];
  // It quotes a path of the agent's choice.
  const problem = createSecretHider(secrets.map(({ value }) => value)).hide(read.problem);
  log.warn({ run, job, problem }, 'changeset refused');
  const input = { type: 'changeset_refused', at: now().toISOString(), problem } as const;
  await handle(store.runs, rules, run, input, { seen: [`changeset-refused:${run}:${job}`] });
  return problem;
}

/** The facts that the desk itself knows about the work, for a claim that it is complete. Undefined for other claims. */
export async function factsFor(
  { store, rules }: Pick<ClaimsDesk, 'store' | 'rules'>,
  state: RunState,
  { type, data }: Envelope,
): Promise<WorkFacts | undefined> {
  if (type !== 'turn_ended') return undefined;
  const claim = Claim.safeParse({ type, data }).data;
  if (claim?.type !== 'turn_ended' || !isComplete(claim.data.record, state.known_issues)) return undefined;
  const [bytes, target] = await Promise.all([
    store.blobs.get(state.run, 'changeset'),
    store.runs.target(state.run),
  ]);
  if (!target) return undefined;
  const read = bytes ? readChangeset(bytes, roundHead(state, target)) : undefined;
  if (!bytes || !read?.ok) return NO_WORK;
  const update = state.revision?.update;
  if (update && !read.changeset.merge?.done) return NO_WORK;
  const secrets = await openSecrets(store.vault, state);
  const judged = { ...read.changeset, files: withReverted(read.changeset.files, update) };
  const limits = changesetLimits(state, target, judged, rules.limitsInForce(state.limits), hashText);
  const facts = examineWork(judged, digestOf(bytes), limits, secrets, hashText);
  const { remarks } = state.revision ?? {};
  const unresolved = update && unresolvedIn(resolvable(read.changeset, update));
  const applied = remarks && { applied: suggestionsIn(read.changeset, remarks) };
  return hideInFacts(
    { ...facts, ...applied, ...(unresolved?.length && { unresolved: unresolved.slice(0, MOST_UNRESOLVED) }) },
    secrets.map(({ value }) => value),
  );
}

/** Files that are as in the head were not merged. */
function resolvable({ files }: Changeset, update: BaseUpdate): Changeset['files'] {
  const kept = keptIn(files, update, (file) => digestOfFile(file, hashText));
  return files.filter(({ path }) => !kept.has(path));
}

function hashText(text: string): string {
  return digestOf(new TextEncoder().encode(text));
}
