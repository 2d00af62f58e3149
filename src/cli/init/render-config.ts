import { packageFile } from '../package/package-file.ts';

/** The settings with every key in them, and with the repository's own agent and checks. */
export function renderConfig(agent: string, checks: readonly string[]): string {
  const verify =
    checks.length > 0
      ? `verify:\n${checks.map((check) => `  - ${quote(check)}\n`).join('')}`
      : '# Fill it in: nothing starts on GitHub before.\n# verify:\n#   - npm test\n';
  return packageFile('templates/autobuild.yml')
    .replace(/^agent: .*$/m, () => `agent: ${agent}`)
    .replace(/^verify:\n(?: {2}- .*\n)+/m, () => verify);
}

/** JSON is YAML, so a command with special characters is quoted as JSON. */
function quote(check: string): string {
  return /^[\w./][\w ./-]*$/.test(check) ? check : JSON.stringify(check);
}
