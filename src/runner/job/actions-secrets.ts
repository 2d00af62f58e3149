import { passSecretLine } from '../../core/contracts/actions-secret.ts';
import type { InputRef } from '../../core/contracts/command.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import { actionsSecretName } from '../../core/variable-name.ts';
import type { Job, SharedSecret, WorkOrders } from './job.ts';

/** More would be cut off in the question. The job's log has all. */
const MAX_PROBLEMS = 4;

interface PassedSecret {
  key: string;
  name: string;
  ref: string;
}

/** Inputs that a person keeps in Actions secrets. Only the workflow can pass them, in the job's environment (P-9). */
export function secretsIn(orders: Orders): PassedSecret[] {
  const inputs: Record<string, InputRef> = orders.do === 'work' ? orders.inputs : {};
  return Object.entries(inputs).flatMap(([key, { actions_secret, ref }]) =>
    // A record may have a name that no job takes any more. A question must not ask for it again.
    actions_secret === undefined ? [] : [{ key, name: actionsSecretName(actions_secret), ref }],
  );
}

/** Undefined for an empty value, because Actions passes an unknown secret as an empty string. */
export function passedValue(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return (Object.hasOwn(env, name) && env[name]) || undefined;
}

export function missingSecrets(job: Pick<Job, 'agentEnv'>, orders: Orders): PassedSecret[] {
  return secretsIn(orders).filter(({ name }) => passedValue(job.agentEnv, name) === undefined);
}

/**
 * Checks that this job has all Actions secrets. `next_job`: some were named after the job began, so only the next one can have
 * them. `asked`: a person was asked for the missing ones.
 */
export async function checkSecrets(job: Job, orders: WorkOrders): Promise<'next_job' | 'asked' | undefined> {
  const missing = missingSecrets(job, orders);
  if (missing.length === 0) return undefined;
  if (missing.some(({ ref }) => !job.secretsAtStart?.has(ref))) return 'next_job';
  const { turn, kind, resumed } = orders;
  job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
  job.meter.observe({ type: 'help_requested', turn, help: helpFor(missing, job.settings.sharedSecret) });
  // With the guard for help switched off, the agent continues without them.
  if (job.meter.tripped().length === 0) return undefined;
  await job.claim('turn_started', { kind, resumed });
  await job.claim('tripped', { usage: job.usage.total(), measured: job.meter.measured() });
  return 'asked';
}

function helpFor(missing: PassedSecret[], shared: SharedSecret | undefined) {
  const isOne = missing.length === 1;
  const it = isOne ? 'it' : 'them';
  const list = (text: (name: string) => string) =>
    missing.map(({ name }) => `\`${text(name)}\``).join(' and ');
  const passing = `The workflow does not pass ${it}: add ${list(passSecretLine)} under \`env\` of the Autobuild step in the workflow file on the default branch`;
  const refused = (shared?.problems ?? []).slice(0, MAX_PROBLEMS).join('; ');
  const adding = `The Actions secret \`${shared?.name}\` does not have ${it}: add the ${isOne ? 'line' : 'lines'} ${list((name) => `${name}=…`)} to its value`;
  return {
    what_i_tried: `Autobuild looked for ${missing.map(({ name }) => `\`${name}\``).join(', ')} in the job's environment.`,
    what_i_need: `${shared ? adding : passing}, then tick the first box below.${refused ? ` Not taken from the secret: ${refused}.` : ''}`,
    inputs: missing.map(({ key, name }) => ({ key, label: `Actions secret ${name}`, secret: true })),
  };
}
