import { ACTION_PINS, type PinnedAction } from './action-pins.ts';
import type { SetUpPart, ToolName } from './set-up.ts';

type ToolPart = Extract<SetUpPart, { kind: 'tool' }>;

interface ToolAction {
  action: PinnedAction;
  /** The input for a version, and the one for a file that names it. */
  value: string;
  file: string;
  inputs?(part: ToolPart): Record<string, string>;
}

/** The action of each tool, and what it calls a version. */
const TOOL_ACTIONS: Readonly<Record<ToolName, ToolAction>> = {
  node: {
    action: 'actions/setup-node',
    value: 'node-version',
    file: 'node-version-file',
    // It caches without being asked where package.json names npm.
    inputs: (part) => (part.isUncached ? { 'package-manager-cache': 'false' } : cacheInputs(part)),
  },
  python: {
    action: 'actions/setup-python',
    value: 'python-version',
    file: 'python-version-file',
    inputs: cacheInputs,
  },
  go: {
    action: 'actions/setup-go',
    value: 'go-version',
    file: 'go-version-file',
    // It caches without being asked.
    inputs: (part) => (part.isUncached ? { cache: 'false' } : cacheInputs(part)),
  },
  java: {
    action: 'actions/setup-java',
    value: 'java-version',
    file: 'java-version-file',
    inputs: (part) => ({ distribution: 'temurin', ...cacheInputs(part) }),
  },
  ruby: {
    action: 'ruby/setup-ruby',
    value: 'ruby-version',
    file: 'ruby-version',
    inputs: ({ cache, directory }) => ({
      ...(cache && { 'bundler-cache': 'true' }),
      ...(directory && { 'working-directory': directory }),
    }),
  },
  dotnet: { action: 'actions/setup-dotnet', value: 'dotnet-version', file: 'global-json-file' },
};

function cacheInputs({ cache, cacheFile }: ToolPart): Record<string, string> {
  return { ...(cache && { cache }), ...(cacheFile && { 'cache-dependency-path': cacheFile }) };
}

/** One step of a job as the lines of a workflow, without indentation. */
export function renderStep(part: SetUpPart): string[] {
  switch (part.kind) {
    case 'command':
      return [
        `- run: ${quote(part.run)}`,
        ...(part.directory ? [`  working-directory: ${quote(part.directory)}`] : []),
      ];
    case 'cache':
      return [
        ...renderUses('actions/cache'),
        '  with:',
        '    path: |',
        ...part.paths.map((path) => `      ${path}`),
        `    key: \${{ runner.os }}-${part.file.replaceAll(/[^\w]+/g, '-')}-\${{ hashFiles('${part.file}') }}`,
      ];
    case 'tool':
      return renderTool(part);
  }
}

function renderTool(part: ToolPart): string[] {
  const { action, inputs } = TOOL_ACTIONS[part.tool];
  const given = { ...Object.fromEntries([versionInput(part)]), ...inputs?.(part) };
  return [
    ...renderUses(action),
    '  with:',
    ...Object.entries(given).map(
      ([name, text]) => `    ${name}: ${/^(?:true|false)$/.test(text) ? text : quote(text)}`,
    ),
  ];
}

/** The input of the tool's action that takes its version, or the file that names it, and its value. */
export function versionInput({ tool, version }: ToolPart): [name: string, text: string] {
  const { value, file } = TOOL_ACTIONS[tool];
  return 'file' in version ? [file, version.file] : [value, version.value];
}

function renderUses(action: PinnedAction): string[] {
  const { commit, version } = ACTION_PINS[action];
  return [`- uses: ${action}@${commit} # ${version}`];
}

/** JSON is YAML. Plain text that YAML would read as a number, such as 3.10, is quoted as well. */
export function quote(text: string): string {
  return /^[A-Za-z.][\w ./@=,-]*$/.test(text) && !/^(?:true|false|yes|no|null|on|off)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
