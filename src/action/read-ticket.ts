import type { ActionLog } from '../runner/output/workflow-commands.ts';
import { ActionError } from './action-error.ts';
import { findDesk } from './find-desk.ts';
import { readDispatch } from './read-dispatch.ts';

/** The values by which a step presents the job's ticket. */
interface PresentedTicket {
  baseUrl: string;
  ticket: string;
  actionsRun: number;
  attempt: number;
  kind: 'build' | 'verify';
  now(): Date;
  onRetry(problem: string, waitMs: number): void;
}

/** Reads the ticket from the event file, and hides it in the log before anything else is printed. */
export function readTicket(
  env: Readonly<Record<string, string | undefined>>,
  log: Pick<ActionLog, 'mask' | 'print'>,
): PresentedTicket {
  const { ticket, desk, kind } = readDispatch(env.GITHUB_EVENT_PATH);
  log.mask(ticket);
  return {
    baseUrl: findDesk(desk, env.INPUT_DESK),
    ticket,
    kind,
    actionsRun: wholeNumber('GITHUB_RUN_ID', env.GITHUB_RUN_ID),
    attempt: wholeNumber('GITHUB_RUN_ATTEMPT', env.GITHUB_RUN_ATTEMPT ?? '1'),
    now: () => new Date(),
    onRetry: (problem, waitMs) => log.print(`The desk: ${problem}; again in ${Math.ceil(waitMs / 1000)} s.`),
  };
}

function wholeNumber(name: string, text: string | undefined): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new ActionError(
    `${name} is ${JSON.stringify(text ?? '')}, not a whole number.`,
    `Set ${name} to one.`,
  );
}
