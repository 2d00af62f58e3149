import { AGENTS, agentNamed } from '../../agents/registry.ts';
import { cleanText } from '../../comments/text/clean-text.ts';
import { CONFIG_PATH } from '../../core/config-path.ts';
import type { PlannedAgent } from './blueprint.ts';
import { fateOf, type PlannedFile } from './planned-file.ts';

const LINE_CHARS = 300;

/** Changes left to a person in files that were kept, because they are for another agent than the one that was chosen. */
interface OtherAgent {
  paths: string[];
  lines: string[];
}

/** Settings and workflows belong together: an agent whose workflow installs another one, with its key, cannot run. */
export function findOtherAgent(
  files: readonly PlannedFile[],
  { agent, configured, force }: { agent: PlannedAgent; configured?: string; force: boolean },
): OtherAgent {
  const kept = files.filter((file) => fateOf(file, force) === 'kept');
  const changes = kept.flatMap((file) => {
    const lines = file.path === CONFIG_PATH ? changeSetting(agent, configured) : changeWorkflow(file, agent);
    return lines.length > 0 ? [{ path: file.path, lines }] : [];
  });
  const them = changes.length > 1 ? 'all of them' : 'it';
  return {
    paths: changes.map(({ path }) => path),
    lines: [
      ...changes.flatMap(({ lines }) => lines),
      ...(changes.length > 0
        ? [
            `! Change ${them} for ${agent.name} before the commands below, or run init again with --force, which replaces the files.`,
          ]
        : []),
    ],
  };
}

function changeSetting({ name }: PlannedAgent, configured: string | undefined): string[] {
  if (configured === undefined || configured === name) return [];
  return [`! ${CONFIG_PATH} was kept and names ${configured}: change \`agent\` there to ${name}.`];
}

/** The lines about other agents that go, and those about the chosen one that come. */
function changeWorkflow({ path, text, present }: PlannedFile, agent: PlannedAgent): string[] {
  if (present === undefined || present === 'unreadable') return [];
  const there = linesOf(present.text);
  const own = wordsOf(agent);
  const others = Object.values(AGENTS).flatMap(({ npmPackage, keys }) => [
    ...(npmPackage ? [npmPackage] : []),
    ...(keys ?? []),
  ]);
  const foreign = others.filter((word) => !own.includes(word));
  const gone = there.filter((line) => namesAny(line, foreign));
  const come = linesOf(text).filter((line) => namesAny(line, own) && !there.includes(line));
  // As far as the workflow of `init` names them, this one has to name the package and a key, whichever it is.
  const isReady = [own.filter((word) => !keysOf(agent).includes(word)), keysOf(agent)]
    .filter((words) => linesOf(text).some((line) => namesAny(line, words)))
    .every((words) => there.some((line) => namesAny(line, words)));
  if (gone.length === 0 || isReady) return [];
  return [
    `! ${path} was kept and is for another agent than ${agent.name}. Change these lines there:`,
    ...gone.map((line) => `    - ${cleanText(line, LINE_CHARS)}`),
    ...come.map((line) => `    + ${line}`),
  ];
}

/** Comments name what could be there. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^- (?=run:)/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function wordsOf(agent: PlannedAgent): string[] {
  const npmPackage = agent.install ? agentNamed(agent.name)?.npmPackage : undefined;
  return [...(npmPackage ? [npmPackage] : []), ...keysOf(agent)];
}

function keysOf({ key, otherKeys }: PlannedAgent): string[] {
  return [...(key ? [key] : []), ...otherKeys];
}

function namesAny(line: string, words: readonly string[]): boolean {
  return words.some((word) => new RegExp(`(?<![\\w/-])${word.replaceAll('.', '\\.')}(?![\\w/-])`).test(line));
}
