import { scrubEnv } from '../runner/checks/scrub-env.ts';
import { forgetEnvironment } from '../runner/process/forget-environment.ts';

/** This process keeps nothing of its environment that checks may not have, because an agent could read it. */
export function forgetKeys(env: NodeJS.ProcessEnv): void {
  const kept = scrubEnv(env, []);
  forgetEnvironment(env, (name) => Object.hasOwn(kept, name));
}
