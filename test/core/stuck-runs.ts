import { changed, only, proposed, times } from '../guards/guard-events.ts';
import { errorAt, type Run, startRun, tests } from './run-builder.ts';

/** Runs that stopped with a question, one way each. */

export const ERROR = 'TypeError: undefined is not a function';

export const failing = (message = ERROR) => tests(3, 5, { errors: [errorAt(message)] });

export function repeatedError(): Run {
  return startRun({ guards: only({ same_error_repeated: 3, need_help: 'on' }) }).turns(3, {
    verification: failing(),
  });
}

export function tooManyFiles(): Run {
  const files = times(20, (index) => `src/${index}.ts`);
  const run = startRun({ guards: only({ files_modified_exceeds: 20 }) }).beginTurn();
  run.observe(changed(...files), proposed('src/20.ts', 'file_limit', files));
  run.trip();
  return run;
}

export function outOfScope(): Run {
  const run = startRun({ task: { scope: ['src/auth/**'] } }).beginTurn();
  run.observe(proposed('src/payment/pay.ts', 'out_of_scope', [], ['src/auth/**']));
  run.trip();
  return run;
}
