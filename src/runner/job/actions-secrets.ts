import { passSecretLine } from '../../core/contracts/actions-secret.ts';
import type { InputRef } from '../../core/contracts/command.ts';
import type { Orders } from '../../core/contracts/orders.ts';
import type { Job, WorkOrders } from './job.ts';

interface PassedSecret {
  key: string;
  name: string;
  ref: string;
}

/** Values that a person keeps in Actions secrets: the workflow passes them in the job's environment, nobody else does (P-9). */
export function secretsIn(orders: Orders): PassedSecret[] {
  const inputs: Record<string, InputRef> = orders.do === 'work' ? orders.inputs : {};
  return Object.entries(inputs).flatMap(([key, { actions_secret, ref }]) =>
    actions_secret === undefined ? [] : [{ key, name: actions_secret, ref }],
  );
}

/** An unknown secret is passed as an empty text. */
export function passedValue(env: Readonly<Record<string, string>>, name: string): string | undefined {
  return (Object.hasOwn(env, name) && env[name]) || undefined;
}

export function secretsLacking(job: Pick<Job, 'agentEnv'>, orders: Orders): PassedSecret[] {
  return secretsIn(orders).filter(({ name }) => passedValue(job.agentEnv, name) === undefined);
}

/**
 * What to do about secrets that this job has not got. `anew`: they were named after it began, so the next one may have them.
 * `ask`: a person was asked.
 */
export async function mendSecrets(job: Job, orders: WorkOrders): Promise<'anew' | 'ask' | undefined> {
  const lacking = secretsLacking(job, orders);
  if (lacking.length === 0) return undefined;
  if (lacking.some(({ ref }) => !job.secretsAtStart?.has(ref))) return 'anew';
  const { turn, kind, resumed } = orders;
  job.meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
  job.meter.observe({ type: 'help_requested', turn, help: helpFor(lacking) });
  // Whoever switched the question off wants no stop: the agent goes on without.
  if (job.meter.tripped().length === 0) return undefined;
  await job.say('turn_started', { kind, resumed });
  await job.say('tripped', { usage: job.usage.total(), measured: job.meter.measured() });
  return 'ask';
}

function helpFor(lacking: PassedSecret[]) {
  const lines = lacking.map(({ name }) => `\`${passSecretLine(name)}\``).join(' and ');
  const it = lacking.length === 1 ? 'it' : 'them';
  return {
    what_i_tried: `Autobuild looked for ${lacking.map(({ name }) => `\`${name}\``).join(', ')} in the job's environment.`,
    what_i_need: `The workflow does not pass ${it}: add ${lines} under \`env\` of the Autobuild step in the workflow file on the default branch, then tick the first box below.`,
    inputs: lacking.map(({ key, name }) => ({ key, label: `Actions secret ${name}`, secret: true })),
  };
}
