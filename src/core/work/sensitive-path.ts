import { expandBraces, matchesPattern, trimPattern } from './path-pattern.ts';

/** Why a path matters beyond the scope: it runs with secrets, the repository protects it, or agents or owners obey it. */
type Sensitivity = 'workflow' | 'protected' | 'agent_config' | 'owners';

interface Sensitive {
  why: Sensitivity;
  /** The pattern that makes the path sensitive. */
  pattern: string;
}

/** A person has to approve changes to these, because they run with the repository's secrets or fetch code from elsewhere. */
const ALWAYS_PROTECTED: readonly string[] = ['.github/**', '.gitmodules'];

/** Names that agents obey in every directory. Compared with case, because `docs/agents.md` is an ordinary page. */
const OBEYED_ANYWHERE: readonly string[] = [
  'AGENTS.md',
  'AGENTS.override.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  '.claude',
  '.cursor',
  '.cursorrules',
  '.windsurfrules',
];
/** Names that agents, and the tools they call, obey at the top of a worktree only. */
const OBEYED_AT_TOP: readonly string[] = [
  '.agents',
  '.codex',
  '.copilot',
  '.gemini',
  '.husky',
  '.mcp.json',
  '.opencode',
  '.vscode/mcp.json',
  'opencode.json',
  'opencode.jsonc',
];

/** All reasons why the path is sensitive, the strongest first. `protectedPaths` are those of the repository's config. */
export function sensitivitiesOf(path: string, protectedPaths: readonly string[] = []): Sensitive[] {
  const folded = path.toLowerCase();
  const matching = (why: Sensitivity, patterns: readonly string[], name = folded) =>
    patterns.filter((pattern) => protects(pattern, name)).map((pattern) => ({ why, pattern }));
  return [
    ...(isWorkflow(path) ? [{ why: 'workflow' as const, pattern: '.github/**' }] : []),
    // Compared without case, because some file systems ignore it.
    ...matching(
      'protected',
      [...ALWAYS_PROTECTED, ...protectedPaths].map((pattern) => pattern.toLowerCase()),
    ),
    ...(folded.split('/').includes('codeowners') ? [{ why: 'owners' as const, pattern: 'CODEOWNERS' }] : []),
    ...OBEYED_ANYWHERE.filter(
      (name) => path.split('/').includes(name) || protects(name.toLowerCase(), folded),
    ).map((pattern): Sensitive => ({ why: 'agent_config', pattern })),
    ...matching('agent_config', OBEYED_AT_TOP),
  ];
}

/**
 * A pattern covers a sensitive path only if it names it: it is the path, or it has every name of the pattern that makes the path
 * sensitive. `**` and `db/**` do not name `db/migrations/1.sql` where `db/migrations/**` is protected; `db/migrations/*` does.
 */
export function namesSensitive(pattern: string, path: string, sensitive: readonly string[]): boolean {
  if (trimPattern(pattern) === path) return true;
  const written = expandBraces(trimPattern(pattern).toLowerCase()).map((one) => one.split('/'));
  return sensitive.every((guarding) => {
    const choices = expandBraces(trimPattern(guarding).toLowerCase());
    const matching = choices.filter((one) => protects(one, path.toLowerCase()));
    return (matching.length > 0 ? matching : choices).every((one) => {
      const names = one.split('/').filter((name) => !/^\*+$/.test(name));
      return written.some((given) => containsInOrder(given, names));
    });
  });
}

export function isWorkflow(path: string): boolean {
  return path.toLowerCase().startsWith('.github/workflows/');
}

/** Also true for a parent of a protected path, because a file written there replaces the directory. */
function protects(pattern: string, path: string): boolean {
  return matchesPattern(pattern, path) || trimPattern(pattern).startsWith(`${path}/`);
}

function containsInOrder(given: readonly string[], wanted: readonly string[]): boolean {
  let found = 0;
  for (const name of given) if (name === wanted[found]) found += 1;
  return found === wanted.length;
}
