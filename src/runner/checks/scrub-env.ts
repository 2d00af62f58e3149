import { agentVariables } from '../../agents/registry.ts';
import { isWithheld } from '../../core/variable-name.ts';
import { isInActions } from './withheld-env.ts';

/** Prefixes of variables with keys of model providers. */
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
];
const NAMES = ['AWS_BEARER_TOKEN_BEDROCK', 'FORCE_COLOR'];

/**
 * The environment for the repository's own checks. They run the agent's code, so they get no model key, no token and none of
 * the operator's inputs (`extraNames`). `CI` and `NO_COLOR` keep the output plain and the tools non-interactive.
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
  const inActions = isInActions(env);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const known = name.toUpperCase();
    const secret =
      isWithheld(name, { inActions }) ||
      names.has(known) ||
      prefixes.some((prefix) => known.startsWith(prefix));
    if (value !== undefined && !secret && !extra.has(name)) kept[name] = value;
  }
  return { ...kept, CI: 'true', NO_COLOR: '1' };
}
