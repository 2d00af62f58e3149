import { randomBytes } from 'node:crypto';
import type { Gh } from './gh.ts';

const NAME = 'AUTOBUILD_KEY';
const KEY_BYTES = 32;
const YES = /^(?:y|yes)?$/i;

/**
 * Makes the key that seals the state of runs and saves it as an Actions secret, if the person agrees. Nobody sees it: it goes to
 * gh alone. A key that is there stays, because open runs could not be read with another. `isThere`: nothing is left to do.
 */
export async function setStateKey({
  gh,
  repository,
  ask,
}: {
  gh: Gh;
  /** As gh names it. */
  repository: string;
  ask(question: string): Promise<string | undefined>;
}): Promise<{ isThere: boolean; lines: string[] }> {
  const listed = await gh.run(['secret', 'list', '--repo', repository]);
  if (!listed.ok) return { isThere: false, lines: [] };
  if (listed.text.split('\n').some((line) => line.split(/\s/)[0] === NAME))
    return { isThere: true, lines: [`✓ The Actions secret ${NAME} is there already.`] };
  const answer = await ask(
    `Create a random ${NAME} (it encrypts the state of runs) and save it as a secret of ${repository} with gh? [Y/n] `,
  );
  if (answer === undefined || !YES.test(answer.trim())) return { isThere: false, lines: [] };
  const key = randomBytes(KEY_BYTES).toString('base64');
  const set = await gh.run(['secret', 'set', NAME, '--repo', repository], key);
  return set.ok
    ? { isThere: true, lines: [`✓ The Actions secret ${NAME} was created and saved.`] }
    : { isThere: false, lines: [`! gh could not save ${NAME}; the command is below.`] };
}
