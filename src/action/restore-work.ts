import { join } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import type { Usage } from '../core/contracts/run-event.ts';
import type { SetAside } from '../core/work/change.ts';
import { Changeset } from '../core/work/changeset.ts';
import { Carried } from '../runner/checkpoint/checkpoint.ts';
import { CheckpointError, unpackCheckpoint } from '../runner/checkpoint/pack-checkpoint.ts';
import { restoreCheckpoint } from '../runner/checkpoint/restore-checkpoint.ts';
import type { ActionLog } from '../runner/output/workflow-commands.ts';
import { applyChangeset } from '../runner/workspace/apply-changeset.ts';
import type { BuildJobInput } from './build-job-input.ts';

/** Restores files from the changeset, which is newer than the checkpoint, and everything else from the checkpoint. */
export async function restoreWork(
  { link, log, worktree, runDir, env, box }: BuildJobInput,
  agentFor: (name: string) => Agent | undefined,
  home: string,
): Promise<RestoredWork> {
  const { brief, place } = link.claimed;
  const [saved, files] = await Promise.all([link.getBlob('checkpoint'), link.getBlob('changeset')]);
  const newest = files && readChangeset(files);
  // V-5: in a round, work of an earlier one is in the commit already.
  const isEarlier = (work: Changeset) => brief.round !== undefined && work.base_sha !== place.head_sha;
  const nothing: Changeset = { base_sha: place.head_sha, files: [], left_out: [] };
  const changeset = newest && isEarlier(newest) ? nothing : newest;
  // An empty one was deleted, because the values that people gave were in it.
  const checkpoint = saved?.length
    ? await unpackCheckpoint(saved, brief.run).catch(warnAbout(log))
    : undefined;
  if (!checkpoint) {
    if (changeset) await applyChangeset(worktree, changeset, place.head_sha);
    return { aside: [], sessions: {} };
  }
  const { aside, conversation } = await restoreCheckpoint(
    {
      ...checkpoint,
      changeset: changeset ?? (isEarlier(checkpoint.changeset) ? nothing : checkpoint.changeset),
    },
    {
      worktree,
      headSha: place.head_sha,
      asideDir: join(runDir, 'aside'),
      home,
      agentFor,
      env,
      enter: box.enter,
    },
  );
  const carried = Carried.parse(checkpoint);
  const { usage } = carried;
  const used = { ...carried, usage: usage && largerUsage(usage, brief.usage) };
  if (conversation && 'problem' in conversation) {
    log.annotate('warning', `The agent starts a new conversation: ${conversation.problem}.`);
    return { aside, sessions: {}, ...used };
  }
  const sessions = conversation ? { [conversation.agent]: conversation.session } : {};
  return { aside, sessions, ...used };
}

interface RestoredWork extends Carried {
  aside: SetAside[];
  sessions: Record<string, string>;
}

/** A job that was cut off may have reported usage that its checkpoint lacks, or the other way round. */
function largerUsage(one: Usage, other: Usage): Usage {
  const costs = [one.cost_usd, other.cost_usd].filter((cost) => cost !== null);
  return {
    input_tokens: Math.max(one.input_tokens, other.input_tokens),
    output_tokens: Math.max(one.output_tokens, other.output_tokens),
    cached_tokens: Math.max(one.cached_tokens ?? 0, other.cached_tokens ?? 0),
    cost_usd: costs.length > 0 ? Math.max(...costs) : null,
  };
}

export function readChangeset(bytes: Uint8Array): Changeset {
  return Changeset.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
}

function warnAbout(log: ActionLog): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof CheckpointError)) throw error;
    log.annotate('warning', error.message);
  };
}
