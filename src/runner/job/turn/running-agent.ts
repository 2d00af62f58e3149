import type { Agent } from '../../../agents/agent.ts';
import { inTime } from '../../../core/in-time.ts';
import type { Ended } from '../../agent/agent-end.ts';
import type { Supervised } from '../../process/supervise.ts';

/** How long an agent may keep running after it has reported its end. */
const LINGER_MS = 5_000;
/** At most as long as between SIGTERM and SIGKILL, because nothing the agent does in this time is watched. */
const FINISH_MS = 2_000;

/** The agent's process, and what is known of its life: whether it asked, reported its end, can still read a message, has exited. */
export class RunningAgent {
  readonly #adapter: Agent;
  readonly #process: Supervised;
  readonly #graceMs: number;
  #reportedEnd: Ended | undefined;
  #hasExited = false;
  /** It printed a help block that is not answered yet. */
  #isAsking = false;
  #isStdinClosed = false;
  #wasMessaged = false;
  #wasActive = false;
  #lingering: NodeJS.Timeout | undefined;

  constructor(adapter: Agent, process: Supervised, graceMs: number) {
    this.#adapter = adapter;
    this.#process = process;
    this.#graceMs = graceMs;
  }

  get exited(): Supervised['exited'] {
    return this.#process.exited;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Whether an answer can still reach it. */
  get canHear(): boolean {
    return !this.#hasExited && !this.#isStdinClosed;
  }

  /** Undefined if it was active or got a message since. */
  get reportedEnd(): Ended | undefined {
    return this.#reportedEnd;
  }

  /** Whether it said or did anything. */
  get wasActive(): boolean {
    return this.#wasActive;
  }

  freeze(): ReturnType<Supervised['freeze']> {
    return this.#process.freeze();
  }

  thaw(): Promise<void> {
    return this.#process.thaw();
  }

  pauseOutput(): void {
    this.#process.pauseOutput();
  }

  resumeOutput(): void {
    this.#process.resumeOutput();
  }

  noteActivity(): void {
    this.#wasActive = true;
    this.#reportedEnd = undefined;
    this.stopLingering();
  }

  noteReportedEnd(ended: Ended): void {
    this.#reportedEnd = ended;
  }

  noteExit(): void {
    this.#hasExited = true;
  }

  noteHelpAsked(): void {
    this.#isAsking = true;
  }

  noteAnswered(): void {
    this.#isAsking = false;
  }

  /** Sends words to its stdin. False if the agent reads no messages, or no longer does. */
  send(words: readonly string[]): boolean {
    const { encodeMessage } = this.#adapter;
    if (!encodeMessage || !this.#process.write(encodeMessage(words.join('\n')))) return false;
    this.#wasMessaged = true;
    this.#reportedEnd = undefined;
    return true;
  }

  /** After its reported end: closes its stdin and gives it a moment to exit. */
  expectExit(): void {
    this.#process.closeStdin();
    this.#isStdinClosed = true;
    this.stopLingering();
    // Without a time limit if it got a message, because it may not have read that yet. It exits by itself once it has.
    if (!this.#wasMessaged) this.#lingering = setTimeout(() => this.#killUnlessFrozen(), LINGER_MS);
  }

  /** Cancels the kill that `expectExit` scheduled. */
  stopLingering(): void {
    clearTimeout(this.#lingering);
  }

  /** Kills it. With `resumable`, an agent that has asked for help gets a moment to exit by itself first. */
  async stop({ resumable }: { resumable: boolean }): Promise<void> {
    if (resumable && this.#isAsking && !this.#adapter.readsInputs) await this.#letFinish();
    await this.#process.kill({ graceMs: this.#graceMs });
  }

  async killAtOnce(): Promise<void> {
    await this.#process.kill({ graceMs: 0 });
  }

  #killUnlessFrozen(): void {
    if (!this.#process.frozen) void this.#process.kill({ graceMs: this.#graceMs });
  }

  /** An agent that asked for help has usually finished. Left alone, it saves its conversation and reports its usage. */
  async #letFinish(): Promise<void> {
    this.#process.closeStdin();
    await this.#process.thaw();
    const gone = this.exited.then(
      () => undefined,
      // `LiveTurn.run` awaits `exited` as well and handles the error.
      () => undefined,
    );
    await inTime(gone, AbortSignal.timeout(FINISH_MS), () => undefined);
  }
}
