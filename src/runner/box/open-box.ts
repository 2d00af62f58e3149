import { isStopCertain } from '../../core/contracts/isolation.ts';
import type { Box } from './box.ts';
import type { BoxPlan } from './box-plan.ts';
import { directBox } from './direct-box.ts';
import { helperBox } from './helper-box.ts';
import { namespaceBox } from './namespace-box.ts';
import { reaperBox } from './reaper-box.ts';
import { userBox } from './user-box.ts';

/** `required`: without a box nothing starts. `best`: the best one that this machine allows. */
export type IsolationMode = 'required' | 'best';

type Attempt = Omit<Box, 'why'> | { problem: string };

export class BoxRefusedError extends Error {}

/** Makes the best box there is. Each one is tried with a program before it is chosen. Root helps only where nobody is asked. */
export function openBox(plan: BoxPlan, mode: IsolationMode, options: { byRoot: boolean }): Box {
  const attempts: (() => Attempt)[] = [
    ...(options.byRoot ? [() => helperBox(plan), () => userBox(plan)] : []),
    () => namespaceBox(plan),
    reaperBox,
    directBox,
  ];
  return chooseBox(attempts, mode);
}

export function chooseBox(attempts: readonly (() => Attempt)[], mode: IsolationMode): Box {
  const why: string[] = [];
  for (const attempt of attempts) {
    const box = attempt();
    if ('problem' in box) why.push(box.problem);
    else if (mode === 'required' && !isStopCertain(box.level)) break;
    else return { ...box, why };
  }
  throw new BoxRefusedError(
    `The agent cannot be isolated here (${why.join('; ')}), but \`isolation: required\` is set.`,
  );
}
