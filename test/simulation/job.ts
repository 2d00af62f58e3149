import { createHash } from 'node:crypto';
import { readPlayerReport } from '../../src/core/contracts/agent/player-report.ts';
import type { Claim } from '../../src/core/contracts/envelope.ts';
import { PROTOCOL } from '../../src/core/contracts/envelope.ts';
import type { Orders } from '../../src/core/contracts/orders.ts';
import { phaseOf } from '../../src/core/contracts/run-state.ts';
import type { Verification } from '../../src/core/contracts/verification.ts';
import type { ClaimResponse } from '../../src/core/ports/job-api.ts';
import type { Changeset } from '../../src/core/work/changeset.ts';
import { createMeter, type Meter } from '../../src/runner/job/meter.ts';
import { PASSING, tests, USAGE } from '../core/run-builder.ts';
import type { Desk, Hub } from './desk.ts';
import type { ActionsRun } from './fake-github.ts';
import { BACK_MS, checkBack, checkSilence } from './silence.ts';

const ANSWER_MS = 10_000;
const HEARTBEAT_MS = 30_000;
const MOST_CALLS = 12;

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** What a job was allowed to do, for the model. */
export interface JobRecord {
  actions_run: number;
  attempt: number;
  job: number;
  kind: string;
  run: string;
  /** When the desk last took a claim of it. */
  accepted: { at: number; type: string; version: number }[];
}

/** Of the remarks of a round, in turn. */
const RESULTS = ['fixed', 'declined', 'question'];

class Died extends Error {}

/** The job of one Actions run: claims its ticket, works as ordered, and may die, hang, lie or come back at any point. */
export class Job {
  readonly hub: Hub;
  readonly actions: ActionsRun;
  readonly record: JobRecord;
  over = false;
  /** Actions has lost the machine, which works on. */
  isZombie = false;
  #token = '';
  #seq = 0;
  #meter!: Meter;
  #claimed!: ClaimResponse;
  #orders!: Orders;
  #answered = new Set<string>();

  constructor(hub: Hub, actions: ActionsRun, records: JobRecord[]) {
    this.hub = hub;
    this.actions = actions;
    const { id: actions_run, attempt, inputs } = actions;
    this.record = { actions_run, attempt, job: 0, kind: inputs.kind ?? '', run: '', accepted: [] };
    records.push(this.record);
  }

  /** Returns the conclusion of the Actions run. */
  async run(): Promise<string> {
    try {
      await this.#work();
      return 'success';
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      this.hub.world.log(`job ${this.actions.id}: ends, ${error.message}`);
      return 'failure';
    } finally {
      this.over = true;
    }
  }

  async #work(): Promise<void> {
    const { world } = this.hub;
    await world.sleep(world.random.between(500, 5_000));
    const claim = {
      ticket: this.actions.inputs.ticket,
      actions_run_id: this.actions.id,
      attempt: this.actions.attempt,
      nonce: `nonce-of-actions-run-${this.actions.id}-${this.actions.attempt}`,
    };
    // An older action has no step before all others.
    const hasPre = world.random.chance(0.85);
    if (hasPre) await this.#claim({ ...claim, step: 'pre' });
    await world.sleep(world.random.between(500, 15_000));
    this.#mayDie('set-up', 0.05);
    if ((this.hub.brokenUntil ?? 0) > world.now) throw new Died('its workflow is broken');
    const begin = hasPre ? { begin: `begin-of-actions-run-${this.actions.id}-${this.actions.attempt}` } : {};
    const claimed = await this.#claim({ ...claim, ...begin });
    this.#claimed = claimed.body as unknown as ClaimResponse;
    this.#token = this.#claimed.token;
    this.#orders = this.#claimed.orders;
    const { brief } = this.#claimed;
    Object.assign(this.record, { job: brief.job, run: brief.run });
    world.log(`job ${this.actions.id}: is job ${brief.job} (${this.#claimed.kind}) of ${brief.run}`);
    await this.#pause(5_000);
    if (this.#claimed.kind === 'verify') return this.#verify();
    this.#meter = this.#begin();
    await this.#report('job_started', {});
    if (!brief.baseline) {
      const verification = tests(3, 5);
      this.#meter.observe({ type: 'baseline', at: verification.at, verification });
      await this.#report('baseline_recorded', { verification, measured: this.#meter.measured() });
    }
    for (let turns = this.hub.areIdle ? 12 : 0; turns < 12; turns += 1) {
      const orders = this.#orders;
      if (orders.do === 'work') await this.#turn(orders);
      else if (orders.do === 'wait') await this.#wait();
      else if (orders.do === 'park') return this.#park();
      else return;
    }
    await this.#report('handed_over', { guards: this.#meter.states() });
  }

  /** A job that lies counts from zero, each time it says something. */
  #begin(): Meter {
    const { brief } = this.#claimed;
    return createMeter(this.hub.areLiars ? { ...brief, guards: {} } : brief, () => USAGE);
  }

  async #claim(claim: object): Promise<Answer> {
    const claimed = await this.#call('POST', '/claim', claim);
    if (claimed.status !== 200) throw new Died(`its claim is refused (${claimed.status})`);
    return claimed;
  }

  async #turn(orders: Extract<Orders, { do: 'work' }>): Promise<void> {
    const { world } = this.hub;
    const { turn, kind, answers } = orders;
    this.#meter.setLimits(orders.limits as Parameters<Meter['setLimits']>[0]);
    for (const answer of answers) {
      if (this.#answered.has(answer.id)) continue;
      this.#answered.add(answer.id);
      if (answer.rearm.length > 0) this.#meter.observe({ type: 'rearmed', guards: answer.rearm });
    }
    this.#meter.observe({ type: 'turn_started', turn, counted: kind === 'normal' });
    await this.#report('turn_started', { kind, resumed: orders.resumed }, orders);
    for (const answer of answers) await this.#report('answer_delivered', { answer: answer.id }, orders);
    await this.#pause(world.random.between(5_000, 120_000));
    this.#mayDie('a turn', 0.08);
    if (world.faults.happens('job hangs', 0.03)) {
      world.log(`job ${this.actions.id}: HANGS`);
      this.hub.onHang?.();
      await this.#hang(world.random.between(3, 40));
      if (world.random.chance(0.5)) throw new Died('it hung');
      await this.#comeBack();
    }
    if (this.hub.hangsInCalm && world.faults.calm) {
      this.hub.hangsInCalm = false;
      world.log(`job ${this.actions.id}: HANGS although nothing fails`);
      await this.#hang(world.random.between(11, 15));
      await this.#comeBack();
    }
    const { areLiars = false } = this.hub;
    const wish = areLiars ? 0.5 : world.random.next();
    const calm = world.faults.calm || this.hub.isReviewed === true;
    if (wish < (calm ? 0.05 : 0.35)) return this.#ask(turn, orders);
    if (wish < 0.45 && !calm)
      return void (await this.#report('handed_over', { guards: this.#meter.states() }));
    const complete = wish < 0.75 || calm;
    const lies = world.faults.happens('job lies', 0.05) || areLiars;
    if (areLiars) this.#meter = this.#begin();
    if (complete) await this.#upload(`${this.actions.id}.${turn}`, orders);
    const verification = complete ? PASSING : tests(3, 5);
    const read = readPlayerReport(
      JSON.stringify({
        status: complete ? 'implemented' : 'in_progress',
        summary: `Turn ${turn}`,
        remarks: orders.revision?.remarks.map(({ id }, index) => ({
          ...{ id, result: RESULTS[index % 3], note: `Answer of turn ${turn} to ${id}` },
        })),
      }),
    );
    this.#meter.observe({ type: 'files_changed', turn, paths: [`src/turn-${turn}.ts`] });
    this.#meter.observe({
      type: 'turn_ended',
      at: verification.at,
      turn,
      counted: kind === 'normal',
      title: 'exit 0',
    });
    const record = {
      turn: lies ? 1 : turn,
      kind,
      agent: orders.agent,
      read,
      verification: kind === 'debug' ? undefined : verification,
      changes: { paths: [`src/turn-${turn}.ts`], added: turn, removed: 0 },
      turn_ms: 1000,
      turn_cost_usd: null,
      turn_added: 1,
      turn_removed: 0,
      exit: 'exit 0',
    };
    await this.#report(
      'turn_ended',
      { record, usage: USAGE, measured: this.#meter.measured('exit 0') },
      orders,
    );
  }

  async #hang(minutes: number): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await this.hub.world.sleep(60_000);
      await checkSilence(this.hub, this.actions.id);
    }
  }

  /** Works on for a while, so that people can see that it is back. */
  async #comeBack(): Promise<void> {
    const backAt = this.hub.world.now;
    await this.#pause(BACK_MS + 2 * HEARTBEAT_MS);
    await checkBack(this.hub, this.actions.id, backAt);
  }

  async #ask(turn: number, orders: Extract<Orders, { do: 'work' }>): Promise<void> {
    const inputs = this.hub.world.random.chance(0.4) ? [{ key: 'key', label: 'A value', secret: false }] : [];
    const help = { what_i_tried: 'Looked everywhere', what_i_need: 'A word of a person', inputs };
    this.#meter.observe({ type: 'help_requested', turn, help });
    await this.#report('tripped', { usage: USAGE, measured: this.#meter.measured() }, orders);
  }

  async #wait(): Promise<void> {
    const { world } = this.hub;
    for (let polls = 0; polls < 8; polls += 1) {
      await this.#pause(20_000);
      const endedBefore = await this.#hasEnded();
      const { status, body } = await this.#call('GET', '/orders');
      if (status !== 200) throw new Died(`its token is refused (${status})`);
      this.#orders = body.orders as Orders;
      await this.#checkOrders(endedBefore);
      if (this.#orders.do !== 'wait') return;
      this.#mayDie('waiting', 0.04);
    }
    world.log(`job ${this.actions.id}: parks`);
    return this.#park();
  }

  async #hasEnded(): Promise<boolean> {
    const { run } = this.record;
    if (!this.hub.endedAt.has(run)) return false;
    const { state } = await this.hub.store.runs.load(run);
    return state !== undefined && phaseOf(state) === 'ended';
  }

  /** the orders of a job whose run has ended are to stop. */
  async #checkOrders(endedBefore: boolean): Promise<void> {
    if (endedBefore && this.#orders.do !== 'stop' && (await this.#hasEnded()))
      this.hub.broken.push(
        `R-9: job ${this.record.job} of ${this.record.run} is told to ${this.#orders.do} after its run has ended`,
      );
  }

  async #park(): Promise<void> {
    await this.#report('parked', { guards: this.#meter.states() });
    this.hub.onParked?.();
    this.#orders = { do: 'stop', status: 'cancelled' };
  }

  async #verify(): Promise<void> {
    const { world } = this.hub;
    await this.#pause(world.random.between(5_000, 60_000));
    this.#mayDie('verifying', 0.1);
    const blob = await this.#call('GET', '/blobs/changeset');
    const bytes = blob.body.bytes as Uint8Array | undefined;
    const changeset = bytes ? createHash('sha256').update(bytes).digest('hex') : null;
    const verification: Verification =
      this.hub.areLiars || (world.random.chance(0.15) && !world.faults.calm) ? tests(4, 5) : PASSING;
    const { files, base_sha } = JSON.parse(
      new TextDecoder().decode(bytes ?? Buffer.from('{"files":[]}')),
    ) as { base_sha: string; files: { content: string }[] };
    if (verification === PASSING)
      for (const { content } of files) {
        this.hub.verified.add(content);
        this.hub.verifiedOn.add(`${base_sha} ${content}`);
      }
    else for (const { content } of files) this.hub.failed.set(content, verification.tests?.failing ?? []);
    await this.#call('POST', '/verification', { verification, changeset });
  }

  async #upload(name: string, { revision }: Extract<Orders, { do: 'work' }>): Promise<void> {
    const content = Buffer.from(name).toString('base64');
    const mode = '100644' as const;
    const base_sha = this.#claimed.place.head_sha;
    const merge = revision?.update ? await this.#partsOf(base_sha) : undefined;
    // What both sides have changed is merged by the agent, and what only the pull request has stays.
    const merged = merge?.files.map(({ path, head, before }) => ({
      ...{ path, mode, status: 'modified' },
      content: before === undefined ? (head?.content ?? null) : content,
    }));
    const files = merged ?? [{ path: 'src/login.ts', mode, status: 'added', content }];
    const done = merge && { merge: { ...merge, done: true } };
    await this.#call('PUT', '/blobs/changeset', { base_sha, files, left_out: [], ...done });
  }

  /** The merge that the desk has prepared. */
  async #partsOf(base: string): Promise<Changeset['merge']> {
    const { body } = await this.#call('GET', '/blobs/changeset');
    const saved = JSON.parse(new TextDecoder().decode((body.bytes as Uint8Array) ?? Buffer.from('{}'))) as
      | Changeset
      | { base_sha?: undefined };
    return saved.base_sha === base ? saved.merge : undefined;
  }

  async #report<Type extends Claim['type']>(
    type: Type,
    data: object,
    orders?: Extract<Orders, { do: 'work' }>,
  ): Promise<void> {
    const { world } = this.hub;
    this.#seq += 1;
    const { brief } = this.#claimed;
    const envelope = {
      protocol: PROTOCOL,
      run: brief.run,
      fence: brief.job,
      seq: this.#seq,
      turn: orders?.turn ?? brief.turn,
      at: new Date(world.now).toISOString(),
      active_ms: brief.active_ms,
      limits_rev: orders?.limits_rev ?? brief.limits_rev,
      type,
      data,
    };
    const endedBefore = await this.#hasEnded();
    const { status, body } = await this.#call('POST', '/report', envelope);
    if (status !== 200) throw new Died(`its report ${type} is refused (${status} ${JSON.stringify(body)})`);
    this.#orders = body.orders as Orders;
    await this.#checkOrders(endedBefore);
    this.record.accepted.push({ at: world.now, type, version: Number(body.version) });
  }

  /** Works on for a while, with heartbeats. Stops early if told so. */
  async #pause(ms: number): Promise<void> {
    const { world } = this.hub;
    for (let left = ms; left > 0; left -= HEARTBEAT_MS) {
      await world.sleep(Math.min(left, HEARTBEAT_MS));
      if (this.actions.cancelled && !this.isZombie) throw new Died('it was cancelled');
      if (left > HEARTBEAT_MS && this.#token && !world.faults.happens('heartbeat lost', 0.02))
        await this.#call('POST', '/heartbeat', {});
    }
  }

  #mayDie(where: string, chance: number): void {
    if (this.actions.cancelled && !this.isZombie) throw new Died('it was cancelled');
    if (this.hub.world.faults.happens(`job dies in ${where}`, chance)) throw new Died(`it died in ${where}`);
  }

  /** Like the real job: the same request again until some desk answers. */
  async #call(method: string, path: string, body?: object): Promise<Answer> {
    const { world } = this.hub;
    for (let tries = 0; tries < MOST_CALLS; tries += 1) {
      if (this.actions.status === 'completed' && !this.isZombie) throw new Died('its runner is gone');
      const answer = await this.#callOnce(method, path, body);
      if (answer && answer.status < 500) return answer;
      await world.sleep(1_000 * 2 ** Math.min(tries, 6));
    }
    throw new Died(`no desk answers ${path}`);
  }

  #callOnce(method: string, path: string, body?: object): Promise<Answer | undefined> {
    const { world, desks } = this.hub;
    return new Promise((resolve, reject) => {
      const give = (answer: Answer | undefined) => resolve(answer);
      world.after(ANSWER_MS, () => give(undefined));
      if (world.faults.happens(`request ${path} lost`, 0.02)) return;
      const desk = world.random.pick(desks);
      world.after(world.random.between(5, 100), () => {
        if (desk.process.dead) return;
        world.as(desk.process, () =>
          this.#request(desk, method, path, body).then((answer) => {
            if (world.faults.happens(`response ${path} lost`, 0.02)) return;
            world.after(world.random.between(5, 100), () => give(answer));
          }, reject),
        );
      });
    });
  }

  async #request(desk: Desk, method: string, path: string, body?: object): Promise<Answer> {
    const isGivenUp = this.isZombie && (await this.#isGivenUp());
    const answer = await this.#send(desk, method, path, body);
    if (isGivenUp && answer.status < 400)
      this.hub.broken.push(
        `R-6: ${path} of Actions run ${this.actions.id} was answered ${answer.status} after its end was recorded`,
      );
    return answer;
  }

  /** A desk has recorded that this job is over, and may have asked for its successor. */
  async #isGivenUp(): Promise<boolean> {
    const dispatch = await this.hub.store.dispatches.ofActionsRun(this.actions.id);
    return dispatch?.ended_at !== undefined;
  }

  async #send(desk: Desk, method: string, path: string, body?: object): Promise<Answer> {
    const response = await desk.jobs.request(path, {
      method,
      headers: this.#token ? { authorization: `Bearer ${this.#token}` } : {},
      body: body && JSON.stringify(body),
    });
    if (!response.headers.get('content-type')?.includes('json'))
      return { status: response.status, body: { bytes: new Uint8Array(await response.arrayBuffer()) } };
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
}
