import { WORKFLOW_PATH } from '../../core/config-path.ts';
import type { WorkflowFile } from '../workflow-file.ts';
import { type Finding, hint, ok, problem, unknown } from './doctor-finding.ts';
import { findActionReferences } from './doctor-workflow.ts';

const REMEDY = 'Use `runs-on: ubuntu-latest`, or a machine of your own with Linux.';

/** Machines on which no job of Autobuild can work, by their label. */
const UNUSABLE: { label: RegExp; why: string }[] = [
  { label: /^windows(?:-|$)/i, why: 'a machine with Windows, and the action needs Linux or macOS' },
  { label: /^ubuntu-slim$/i, why: 'a machine that ends each job after 15 minutes' },
  {
    label: /^(?:ubuntu-(?:16|18|20)\.04|macos-(?:10\.\d+|11|12|13))(?:-|$)/i,
    why: 'a machine that GitHub no longer has',
  },
];
const USABLE = /^(?:ubuntu|macos)-(?:latest|\d)/i;

/** Examines the labels of the jobs that run the action. Other jobs may run anywhere. */
export function examineRunners({ jobs }: WorkflowFile): Finding[] {
  const check = 'runner';
  const found = jobs
    .filter((job) => findActionReferences(job).length > 0)
    .map(({ name, runsOn }): Finding => {
      const where = `${WORKFLOW_PATH}: \`jobs.${name}\``;
      if (!runsOn || runsOn.some((label) => label.includes('${{')))
        return unknown(
          check,
          `${where}: its \`runs-on\` is only known when it runs.`,
          'See that it is a machine with Linux.',
        );
      for (const label of runsOn) {
        const unusable = UNUSABLE.find((kind) => kind.label.test(label));
        if (unusable) return problem(check, `${where} runs on ${label}: ${unusable.why}.`, REMEDY);
      }
      if (runsOn.length === 0) return problem(check, `${where} names no machine in \`runs-on\`.`, REMEDY);
      if (runsOn.length === 1 && USABLE.test(runsOn[0] ?? ''))
        return ok(check, `\`jobs.${name}\` runs on ${runsOn[0]}.`);
      return hint(
        check,
        `${where} runs on ${runsOn.join(', ')}, which is none of GitHub's own machines.`,
        'See that a machine with these labels is online and has Linux; a job without one waits for a day.',
      );
    });
  return merged(found);
}

/** Jobs on the same kind of machine are one line. */
function merged(found: Finding[]): Finding[] {
  const fine = found.filter(({ status }) => status === 'ok');
  if (fine.length !== found.length || fine.length === 0) return found.filter(({ status }) => status !== 'ok');
  return [ok('runner', 'The jobs run on machines that the action can use.')];
}
