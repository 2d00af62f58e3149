import { packageFile } from '../package/package-file.ts';
import { quoteWord } from '../package/quote-word.ts';
import type { Blueprint, PlannedAgent } from './blueprint.ts';
import { DEFAULT_NODE } from './languages/node.ts';
import type { SetUp, SetUpPart } from './set-up.ts';
import { quote, versionInput } from './workflow-steps.ts';

const SLOT = /^( *)# <([\w-]+)>$/;
const OWN_WORKFLOW = /(?<=^ *uses: )autobuild\/autobuild(\/\S+)@\S+$/;

/**
 * A workflow of a repository without a server: it calls the one that the action's repository has. The one of the daily round
 * needs the same keys.
 */
export function renderRunWorkflow(
  { setUp, agent, action }: Blueprint,
  template: 'templates/no-server.yml' | 'templates/reminders.yml' = 'templates/no-server.yml',
): string {
  const [repository = '', commit = ''] = action.split('@');
  const slots: Readonly<Record<string, string[]>> = {
    inputs: [
      ...describeSetUp(setUp),
      ...renderTools(setUp, agent),
      ...renderSetUp(setUp),
      ...renderAgent(agent),
    ],
    key: [`model_key: \${{ secrets.${agent.key ?? 'MODEL_API_KEY'} }}`],
  };
  return packageFile(template)
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name = ''] = SLOT.exec(line) ?? [];
      return (
        slots[name]?.map((text) => `${indent}${text}`) ?? [
          line.replace(OWN_WORKFLOW, (_, path: string) => `${repository}${path}@${commit}`),
        ]
      );
    })
    .join('\n');
}

function describeSetUp({ languages, parts }: SetUp): string[] {
  return parts.length === 0
    ? ['# Fill in what the repository needs before its checks can run, such as `setup: npm ci`.']
    : [`# What the repository needs: ${languages.join(', ')}.`];
}

/** Command lines of agents are npm packages, so they need a Node.js where the repository has none. */
function renderTools({ parts }: SetUp, { install }: PlannedAgent): string[] {
  const tools = parts.flatMap((part) => (part.kind === 'tool' ? [part] : []));
  const node: typeof tools =
    install && !tools.some(({ tool }) => tool === 'node')
      ? [{ kind: 'tool', tool: 'node', version: { value: DEFAULT_NODE } }]
      : [];
  // The workflow installs one version of each.
  const found = new Map([...tools, ...node].toReversed().map((part) => [part.tool, part]));
  return [...found.values()].toReversed().map((part) => {
    const [name, version] = versionInput(part);
    return `${name}: ${quote(version)}`;
  });
}

/** Nothing is kept from one job for the next, so parts about caches are left out. */
function renderSetUp({ parts }: SetUp): string[] {
  const commands = parts.flatMap((part) => (part.kind === 'command' ? [commandOf(part)] : []));
  const [first] = commands;
  if (first === undefined) return [];
  if (commands.length === 1) return [`setup: ${quote(first)}`];
  return ['setup: |', ...commands.map((command) => `  ${command}`)];
}

function commandOf({ run, directory }: Extract<SetUpPart, { kind: 'command' }>): string {
  return directory ? `(cd ${quoteWord(directory)} && ${run})` : run;
}

function renderAgent({ name, install, key, otherKeys }: PlannedAgent): string[] {
  if (!install)
    return [
      `# install: the command that installs ${name}, unless it is part of the repository`,
      ...(key ? [`variable: ${key}`] : []),
    ];
  return [`install: ${quote(install)}`, ...(key && otherKeys.length > 0 ? [`variable: ${key}`] : [])];
}
