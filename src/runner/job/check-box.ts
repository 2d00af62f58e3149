import type { Box } from '../box/box.ts';
import { directBox } from '../box/direct-box.ts';

export const CHECKS_OUTSIDE =
  "The checks run outside the agent's box (`check_isolation: host`): the agent's code in them has all rights of this job.";

/** The box of the checks: the agent's, or none if the setting says that they need the machine itself. */
export function checkBoxOf(box: Box, where: 'box' | 'host' | undefined): Box {
  if (where !== 'host') return box;
  return { ...directBox(), why: ['`check_isolation: host`'] };
}
