import type { RepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { type Finding, hint, unknown } from './doctor-finding.ts';

const NAMED_AT_MOST = 5;

/**
 * Examines rulesets that are for no branch: those for pushes refuse files, and kinds that GitHub's description does not list, such
 * as execution rules, may forbid the App to start a workflow. Rules for branches are examined on the App's own branch.
 */
export async function* examineRulesets(eyes: Pick<RepositorySetUp, 'rulesets'>): AsyncGenerator<Finding> {
  const check = 'rulesets';
  const rulesets = await eyes.rulesets();
  if (!rulesets) {
    yield unknown(check, 'The rulesets cannot be seen.', 'Look with a token that may read the repository.');
    return;
  }
  const active = rulesets.filter(({ enforcement }) => enforcement === 'active');
  const named = (target: (name: string) => boolean) =>
    active
      .filter((ruleset) => target(ruleset.target))
      .map(({ name }) => name)
      .slice(0, NAMED_AT_MOST)
      .join(', ');
  const pushes = named((target) => target === 'push');
  if (pushes)
    yield hint(
      check,
      `Rulesets restrict pushes: ${pushes}. GitHub refuses the work of a run that breaks one.`,
      'See that they allow what agents may change, or let the App bypass them.',
    );
  const others = named((target) => !['branch', 'tag', 'push', 'repository'].includes(target));
  if (others)
    yield hint(
      check,
      `Rulesets of a kind that this version does not know: ${others}. Execution rules can forbid the App to start the workflow.`,
      'See that they let the App dispatch .github/workflows/autobuild.yml.',
    );
}
