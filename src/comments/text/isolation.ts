import { type IsolationLevel, isStopCertain } from '../../core/contracts/isolation.ts';

const BOXES: Record<IsolationLevel, string> = {
  0: 'not isolated',
  1: 'not isolated, daemons are tracked',
  2: 'isolated without root',
  3: 'a user of its own',
  4: 'isolated by root',
};

/** One line for log, status, receipt and terminal. */
export function isolationWords(level: IsolationLevel): string {
  const doubt = isStopCertain(level)
    ? ''
    : '; "stopped" is not certain: a process that hides can keep running';
  return `isolation level ${level} of 4 (${BOXES[level]})${doubt}`;
}
