import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint, unknown } from './doctor-finding.ts';

/** An environment may demand that somebody approves every single job, also the one that follows each answer. */
export async function* examineEnvironments(
  eyes: Pick<RepositorySetUp, 'environment'>,
  { jobs }: WorkflowFile,
): AsyncGenerator<Finding> {
  const check = 'environment';
  const names = [...new Set(jobs.flatMap(({ environment }) => environment ?? []))];
  for (const name of names) {
    if (name.includes('${{')) {
      const remedy = 'See that it demands no reviewers and no waiting time.';
      yield unknown(check, `${WORKFLOW_PATH} names an environment that is only known when it runs.`, remedy);
      continue;
    }
    const environment = await eyes.environment(name);
    if (environment === undefined) {
      const remedy =
        'Look with a token that may read Actions and Environments, if there is one of that name.';
      yield unknown(check, `The environment ${name} cannot be seen.`, remedy);
      continue;
    }
    const demands = [
      ...(environment.hasReviewers ? ['a reviewer has to approve each job'] : []),
      ...(environment.waitMinutes > 0 ? [`each job waits for ${environment.waitMinutes} minutes`] : []),
    ];
    if (demands.length === 0) continue;
    yield hint(
      check,
      `The environment ${name} holds up every job, also after each answer: ${demands.join(', and ')}.`,
      'Take the rule off in the settings, under Environments, or use an environment without one for these jobs.',
    );
  }
}
