import type { AppDependencies } from '../app/dependencies.ts';
import type { DeskParts } from './desk-parts.ts';

type Settings = AppDependencies['settings'];

/** A machine starts for the desk, and another one for the job. */
const ANSWER_MINUTES = 2;

const NO_STATE_KEY =
  '**The Actions secret `AUTOBUILD_KEY` is not set**, so the state of this run is encrypted with a key made from the model key. An agent that gets hold of the model key could read the values you provide, and changing the model key loses open runs. To fix both, run `openssl rand -base64 32 | gh secret set AUTOBUILD_KEY`. Open runs continue with the new key, as long as the model key stays the same until their next step.';

/** The abilities of a desk that is there only while it handles an event. */
export function capabilitiesOf({ isKeyDerived }: Pick<DeskParts, 'isKeyDerived'>): Settings['capabilities'] {
  return {
    live: false,
    form: false,
    env_secret: 'AUTOBUILD_ENV',
    answer_minutes: ANSWER_MINUTES,
    reminders: false,
    ci_approval: true,
    repository_limits: false,
    workflow_files: false,
    remark: isKeyDerived ? NO_STATE_KEY : undefined,
  };
}

/** The permissions of the token are those that the workflow file names. */
export function permissionsOf(workflow: string): NonNullable<Settings['permissions']> {
  return {
    holder: 'the workflow',
    remedy: `Add it under \`permissions\` in \`.github/workflows/${workflow}\` on the default branch`,
  };
}
