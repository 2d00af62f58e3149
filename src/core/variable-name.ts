/** Withheld are credentials of the repository, the job or a registry, and files that let a process influence later steps. */
const PREFIX = 'AUTOBUILD_';
/** Withheld only in Actions, because elsewhere they are ordinary names such as `STATE_DIR` or `INPUT_FILE`. */
const PREFIXES_IN_ACTIONS = ['ACTIONS_', 'INPUT_', 'STATE_'];
const NAMES: ReadonlySet<string> = new Set([
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'NPM_TOKEN',
  'NODE_AUTH_TOKEN',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  // The event file contains the job's ticket.
  'GITHUB_EVENT_PATH',
]);

/** True for a variable that neither the agent nor the checks may see. The checks run the agent's code. */
export function isWithheld(name: string, { inActions }: { inActions: boolean }): boolean {
  const known = name.toUpperCase();
  if (NAMES.has(known) || known.startsWith(PREFIX)) return true;
  return inActions && PREFIXES_IN_ACTIONS.some((prefix) => known.startsWith(prefix));
}

/** Variables that ordinary programs need: paths, locale, proxy and certificates. */
export const EVERY_PROGRAM = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LC_*',
  'TZ',
  'TERM',
  'TMPDIR',
  'CI',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

/** Variables by which a program loads or runs something else, or by which the job finds its own places. */
const STEERING = [
  'LD_*',
  'DYLD_*',
  'GITHUB_*',
  'RUNNER_*',
  'GIT_CONFIG*',
  'BASH_FUNC_*',
  'BASH_ENV',
  'ENV',
  'IFS',
  'SHELLOPTS',
  'BASHOPTS',
  'PROMPT_COMMAND',
  'NODE_OPTIONS',
  'NODE_PATH',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PERL5LIB',
  'PERL5OPT',
  'RUBYLIB',
  'RUBYOPT',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_EXEC_PATH',
  'GIT_TEMPLATE_DIR',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_ASKPASS',
  'GIT_PROXY_COMMAND',
  'GIT_EXTERNAL_DIFF',
];

export function isForEveryProgram(name: string): boolean {
  return isAmong(EVERY_PROGRAM, name);
}

/**
 * True if an agent can be given a value under this name: nothing else uses it, and no job withholds it. Questions name only such
 * variables, and jobs take only such.
 */
export function isForAgents(name: string): boolean {
  const known = name.toUpperCase();
  if (!/^[A-Z_][A-Z0-9_]*$/.test(known)) return false;
  return !isWithheld(known, { inActions: true }) && !isForEveryProgram(known) && !isAmong(STEERING, known);
}

/**
 * The name under which a job takes the value of this key. Characters that no secret or variable may have are replaced, and a name
 * that no agent gets, such as `NPM_TOKEN`, is given another beginning. A name that is one already stays as it is.
 */
export function actionsSecretName(key: string): string {
  const name = key.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  return isForAgents(name) ? name : `AGENT_${name}`;
}

/** An entry that ends with `*` stands for all names that begin like it. */
export function isAmong(entries: readonly string[], name: string): boolean {
  return entries.some((entry) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
}
