import { packageFile } from '../package/package-file.ts';
import type { Blueprint, PlannedAgent } from './blueprint.ts';
import { DEFAULT_NODE } from './languages/node.ts';
import type { SetUp, SetUpPart } from './set-up.ts';
import { renderStep } from './workflow-steps.ts';

/** A line of the template that stands for others: its indentation, and its name. */
const SLOT = /^( *)# <([\w-]+)>$/;
const OWN_ACTION = /(?<=^ *- uses: )autobuild\/autobuild@\S+$/;

/** The workflow whose jobs the hosted App starts. */
export function renderAppWorkflow(
  { setUp, agent, action }: Blueprint,
  app: NonNullable<Blueprint['app']>,
): string {
  const steps = setUp.parts.flatMap(renderStep);
  const slots: Readonly<Record<string, string[]>> = {
    'set-up': [...describeSetUp(setUp), ...(steps.length > 0 ? steps : EXAMPLE)],
    'set-up-again': [
      '# The same set-up as above, without the agent and without secrets.',
      ...(steps.length > 0 ? steps : EXAMPLE),
    ],
    agent: installAgent(agent, setUp),
    desk: ['with:', `  desk: ${app.desk}`],
    key: renderKey(agent),
  };
  return packageFile('templates/workflow.yml')
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name = ''] = SLOT.exec(line) ?? [];
      return slots[name]?.map((text) => `${indent}${text}`) ?? [line.replace(OWN_ACTION, () => action)];
    })
    .join('\n');
}

const NODE: SetUpPart = { kind: 'tool', tool: 'node', version: { value: DEFAULT_NODE } };
const EXAMPLE = [NODE, { kind: 'command', run: 'npm ci' } as const]
  .flatMap(renderStep)
  .map((line) => `# ${line}`);

function describeSetUp({ languages, parts }: SetUp): string[] {
  if (parts.length === 0)
    return [
      '# Fill in what the repository needs before its checks can run, here and in `verify`. An example:',
    ];
  return [`# What the repository needs: ${languages.join(', ')}. Keep it the same in \`verify\`.`];
}

/** Command lines of agents are npm packages, so they need a Node.js where the repository has none. */
function installAgent({ name, install }: PlannedAgent, { parts }: SetUp): string[] {
  if (!install)
    return [`# Install the command of your agent \`${name}\` here, unless it is part of the repository.`];
  const hasNode = parts.some((part) => part.kind === 'tool' && part.tool === 'node');
  return [
    '# The agent, at the version that Autobuild was tested with.',
    ...(hasNode ? [] : renderStep(NODE)),
    ...renderStep({ kind: 'command', run: install }),
  ];
}

function renderKey({ key, otherKeys }: PlannedAgent): string[] {
  if (!key) return [`# MODEL_API_KEY: ${secret('MODEL_API_KEY')}`];
  const others = otherKeys.length > 0 ? [`# Or one of ${otherKeys.join(', ')}, in the same way.`] : [];
  return [`${key}: ${secret(key)}`, ...others];
}

function secret(name: string): string {
  return `\${{ secrets.${name} }}`;
}
