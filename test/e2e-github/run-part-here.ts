import { randomUUID } from 'node:crypto';
import { describeFailure } from '../../src/action/describe-failure.ts';
import { runBuildPart } from '../../src/action/no-server/build-part.ts';
import { runVerifyPart } from '../../src/action/no-server/verify-part.ts';
import { runDeskPart } from '../../src/desk.ts';
import { createActionLog } from '../../src/runner/output/workflow-commands.ts';
import type { PartInProcess } from '../../src/sandbox/steps/machine.ts';

/** Runs parts of the action in the process of the test, without Node.js being started for each. Agents are processes. */
export function partsHere(jobs: 'here' | 'processes' = 'here') {
  return (part: string, step: PartInProcess): Promise<boolean> | undefined => {
    if (part === 'desk' || part === 'deliver') return runDeskPart(step.env, step.print);
    return jobs === 'here' ? runJob(part === 'build' ? runBuildPart : runVerifyPart, step) : undefined;
  };
}

async function runJob(run: typeof runBuildPart, { env, print, cancelled }: PartInProcess): Promise<boolean> {
  const log = createActionLog(print, randomUUID);
  try {
    await run(env, log, () => undefined, cancelled);
    return true;
  } catch (error) {
    log.annotate('error', describeFailure(error));
    return false;
  } finally {
    log.close();
  }
}
