import { ActionError } from './action-error.ts';

/**
 * The address in the workflow file wins, so that a person who may dispatch cannot send the job and the agent's keys
 * elsewhere.
 */
export function findDesk(dispatched: string | undefined, pinned: string | undefined): string {
  const desk = pinned || dispatched;
  const remedy = 'Give the App’s address to the action as `desk`, or leave it to the App.';
  if (!desk) throw new ActionError('The address of the App is not known.', remedy);
  if (pinned && dispatched && new URL(pinned).href !== new URL(dispatched).href)
    throw new ActionError(`The dispatch names ${dispatched}, but the workflow is for ${pinned}.`, remedy);
  return desk;
}
