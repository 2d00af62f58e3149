import { agentVariables } from '../agents/registry.ts';

/** Keys of model providers, the job's own tokens, and the files by which a step can change the steps after it. */
const PREFIXES = [
  'ANTHROPIC_',
  'OPENAI_',
  'AZURE_OPENAI_',
  'GOOGLE_GENAI_',
  'GOOGLE_GENERATIVE_AI_',
  'MISTRAL_',
  'OPENROUTER_',
  'DEEPSEEK_',
  'GROQ_',
  'XAI_',
  'COHERE_',
  'CURSOR_',
  'ACTIONS_',
  'AUTOBUILD_',
  'INPUT_',
];
const NAMES = new Set([
  'AWS_BEARER_TOKEN_BEDROCK',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENV',
  'GITHUB_PATH',
  'GITHUB_OUTPUT',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'FORCE_COLOR',
]);

/**
 * The environment for the repository's own checks: they run the agent's code, so they get no model key, no token
 * and none of the operator's inputs (`extraNames`). Output is plain and nothing waits for a keypress.
 */
export function scrubEnv(
  env: Readonly<Record<string, string | undefined>>,
  extraNames: readonly string[],
  ofAgents: readonly string[] = agentVariables(),
): Record<string, string> {
  const extra = new Set(extraNames);
  const names = new Set([...NAMES, ...ofAgents]);
  const prefixes = [
    ...PREFIXES,
    ...ofAgents.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1)),
  ];
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const known = name.toUpperCase();
    const secret = names.has(known) || prefixes.some((prefix) => known.startsWith(prefix));
    if (value !== undefined && !secret && !extra.has(name)) kept[name] = value;
  }
  return { ...kept, CI: 'true', NO_COLOR: '1' };
}
