import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { withoutKeys } from '../../runner/agent/agent-environment.ts';
import { removeTree, writeHomeFiles } from '../../runner/agent/agent-home.ts';
import { type FoundVersion, findVersion } from './cli-version.ts';

/**
 * The version that a run would start. Some CLIs keep newer versions of themselves in the user's home and switch to them,
 * which a run with a home of its own does not.
 */
export async function findAgentVersion(
  agent: Agent,
  machine: { cwd: string; env: Record<string, string> },
): Promise<FoundVersion> {
  const home = await mkdtemp(join(tmpdir(), 'autobuild-'));
  try {
    // A version needs no key.
    const env = withoutKeys(machine.env);
    const nowhere = join(home, 'nothing');
    const start = agent.start({
      prompt: '',
      instructions: '',
      cwd: machine.cwd,
      files: { prompt: nowhere, context: nowhere, inputs: nowhere, report: nowhere, gate: nowhere },
      inputs: {},
      home,
      newSession: '00000000-0000-4000-8000-000000000000',
      hook: [],
      env,
    });
    await writeHomeFiles(home, start.homeFiles ?? []);
    return await findVersion(start.argv[0] ?? agent.name, {
      cwd: machine.cwd,
      env: { ...env, ...start.env },
    });
  } finally {
    await removeTree(home);
  }
}
