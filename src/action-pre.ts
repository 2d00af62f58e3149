import { randomBytes } from 'node:crypto';
import { describeFailure } from './action/describe-failure.ts';
import { readTicket } from './action/read-ticket.ts';
import { saveStepState } from './action/step-state.ts';
import { claimEarly } from './link/claim-early.ts';
import { RunOverError } from './link/post-claim.ts';
import { createActionLog } from './runner/output/workflow-commands.ts';

/**
 * The action's `pre` step, which runs before every step of the job. It claims the job, because any step could read the ticket in
 * the event file and be first.
 */
async function claimJob(env: NodeJS.ProcessEnv): Promise<void> {
  const newWord = () => randomBytes(32).toString('hex');
  const log = createActionLog((text) => void process.stdout.write(text), newWord);
  try {
    const began = Date.now();
    const { nonce, kind } = await claimEarly(readTicket(env, log), (secret) => log.mask(secret));
    saveStepState(env.GITHUB_STATE, { nonce, began }, newWord);
    log.print(`Claimed: this job is there to ${kind}. Its ticket opens nothing for anybody else.`);
  } catch (error) {
    // The main step says so again, and writes it where people look.
    if (error instanceof RunOverError) return log.annotate('notice', error.message);
    log.annotate('error', describeFailure(error));
    process.exitCode = 1;
  } finally {
    log.close();
  }
}

// Without a server there is no ticket.
if (!process.env.INPUT_PART) await claimJob(process.env);
