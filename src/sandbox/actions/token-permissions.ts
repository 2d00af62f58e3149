import type { AskedPermissions } from './workflow-file.ts';

export type Level = 'none' | 'read' | 'write';
/** The permissions of a job's token, by the names of a workflow file. */
export type TokenPermissions = Readonly<Record<string, Level>>;

const NAMES = [
  'actions',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'issues',
  'packages',
  'pages',
  'pull-requests',
  'security-events',
  'statuses',
];
const ORDER: Level[] = ['none', 'read', 'write'];

const all = (level: Level): TokenPermissions => Object.fromEntries(NAMES.map((name) => [name, level]));

/** The permissions of a token where no file names any, as new repositories have them. */
export const DEFAULT_PERMISSIONS: TokenPermissions = { contents: 'read', packages: 'read' };

/** A file that names some permissions takes all others away. */
export function readPermissions(asked: AskedPermissions | undefined): TokenPermissions | undefined {
  if (asked === undefined) return undefined;
  if (asked === 'read-all') return all('read');
  if (asked === 'write-all') return all('write');
  return asked;
}

export function allows(granted: TokenPermissions, name: string, level: Level): boolean {
  return ORDER.indexOf(granted[name] ?? 'none') >= ORDER.indexOf(level);
}

/** The first permission that is asked for and not granted. A called workflow can only ask for less. */
export function tooMuch(granted: TokenPermissions, asked: TokenPermissions): string | undefined {
  const found = Object.entries(asked).find(([name, level]) => !allows(granted, name, level));
  return found && `${found[0]}: ${found[1]}`;
}

/** The token of a workflow that comes from a fork. */
export function onlyReading(granted: TokenPermissions): TokenPermissions {
  return Object.fromEntries(
    Object.entries(granted).map(([name, level]) => [name, level === 'write' ? 'read' : level]),
  );
}
