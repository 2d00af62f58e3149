import type { Reply } from '../contracts/effect.ts';
import type { ExposedSecret } from '../contracts/input.ts';

/** P-9: advises to rotate the secrets, and says where they were found and whether they were stored. */
export function adviseRotation(
  exposed: readonly ExposedSecret[],
  stored: readonly ExposedSecret[],
  { found, because = '' }: { found: 'comment' | 'review'; because?: string },
): Reply {
  const left = exposed.filter((secret) => !stored.includes(secret));
  const newOne = 'Give the new one as an Actions secret, or where the question says.';
  const outcome =
    left.length === 0
      ? 'The value was taken.'
      : stored.length === 0
        ? `The value was not taken. ${because}`.trim()
        : `Taken: ${list(stored)}. Not taken: ${list(left)}.`;
  return {
    tone: 'refused',
    title: `Please rotate: ${list(exposed)}. It came in a ${found}.`,
    detail: [
      found === 'comment'
        ? 'The comment is deleted, but notification e-mails may carry the value, and so may any page that was open.'
        : 'A review cannot be deleted: edit it, and take the value out.',
      outcome,
      newOne,
    ].join(' '),
  };
}

function list(exposed: readonly ExposedSecret[]): string {
  return exposed.map(({ label }) => label).join(', ');
}
