import type { Reply } from '../contracts/effect.ts';
import type { ExposedSecret } from '../contracts/input.ts';

/** P-9: advises to rotate the secrets, and says where they were found and whether they were stored. */
export function adviseRotation(
  exposed: readonly ExposedSecret[],
  stored: readonly ExposedSecret[],
  { found, because = '' }: { found: 'comment' | 'review'; because?: string },
): Reply {
  const left = exposed.filter((secret) => !stored.includes(secret));
  const newOne = 'Provide the new one as an Actions secret, or where the question says.';
  const outcome =
    left.length === 0
      ? 'The value was accepted.'
      : stored.length === 0
        ? `The value was not accepted. ${because}`.trim()
        : `Accepted: ${list(stored)}. Not accepted: ${list(left)}.`;
  return {
    tone: 'refused',
    title: `Please rotate: ${list(exposed)}. It was posted in a ${found}.`,
    detail: [
      found === 'comment'
        ? 'The comment is deleted, but notification e-mails and open pages may still show the value.'
        : 'A review cannot be deleted: edit it and remove the value.',
      outcome,
      newOne,
    ].join(' '),
  };
}

function list(exposed: readonly ExposedSecret[]): string {
  return exposed.map(({ label }) => label).join(', ');
}
