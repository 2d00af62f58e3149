import type { Blueprint } from './blueprint.ts';
import type { SetUpPart } from './set-up.ts';

type ToolPart = Extract<SetUpPart, { kind: 'tool' }>;

/** A job has one version of each tool. Agent, set-up and checks all run with it, whatever else the repository names. */
export function describeVersions({ setUp, agent, app }: Blueprint): string[] {
  const tools = setUp.parts.flatMap((part) => (part.kind === 'tool' ? [part] : []));
  const byName = Map.groupBy(tools, ({ tool }) => tool);
  return [...byName].flatMap(([name, parts]) => {
    // With an App each is a step of its own, and the last one stays on the path.
    const used = app ? parts.at(-1) : parts[0];
    if (!used) return [];
    const others = new Set(parts.map(showVersion));
    others.delete(showVersion(used));
    const { node } = agent;
    return [
      ...(others.size > 0
        ? [
            `All checks run with one version of ${name}: that of ${showVersion(used)}, not of ${[...others].join(', ')}.`,
          ]
        : []),
      ...(name === 'node' && node !== undefined && used.newest !== undefined && used.newest < node
        ? [
            `${agent.name} asks for Node.js ${node} or newer and runs on the repository's own, but ${showVersion(used)} allows ${used.newest} at most: raise it, or choose another agent with --agent.`,
          ]
        : []),
    ];
  });
}

function showVersion({ version }: ToolPart): string {
  return 'file' in version ? version.file : version.value;
}
