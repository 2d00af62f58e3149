import { trackingId } from '../../src/sandbox/steps/machine.ts';
import { processesWith } from '../e2e/processes.ts';
import type { Story } from './scene.ts';
import { until } from './until.ts';

/** The processes of an Actions run of this test's own sandbox. */
export const processesOf = (run: number) => processesWith(`\0RUNNER_TRACKING_ID=${trackingId(run)}\0`);

/** The Actions run of the first job, when its agent works. */
export function atWork(story: Story): Promise<number> {
  return until('the agent works', () => {
    const [first] = story.runs();
    const isAgent = ({ environment }: { environment: string }) => environment.includes('\0AUTOBUILD_PROMPT=');
    return first !== undefined && processesOf(first.id).some(isAgent) && first.id;
  });
}
