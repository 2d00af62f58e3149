import { actionsSecretName, isForAgents } from '../../core/variable-name.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The values that people keep for the agent in one Actions secret, as KEY=value lines. A line that is none is told by its number
 * alone, because it may be a piece of a value. Names that steer this job or every program are refused.
 */
export function readGivenEnv(text: string): { values: Record<string, string>; problems: string[] } {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const at = line.indexOf('=');
    const name = line
      .slice(0, Math.max(at, 0))
      .trim()
      .replace(/^export\s+/, '');
    if (line.includes('-----BEGIN') && !line.includes('-----END'))
      problems.push(`line ${index + 1} begins a value of several lines, which is cut: save it as base64`);
    if (at < 0 || !NAME.test(name)) problems.push(`line ${index + 1} is not KEY=value`);
    else if (!isForAgents(name))
      problems.push(
        `line ${index + 1} sets ${name}, which is not for agents: name it ${actionsSecretName(name)}`,
      );
    else values[name] = withoutQuotes(line.slice(at + 1).trim());
  }
  return { values, problems };
}

function withoutQuotes(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}
