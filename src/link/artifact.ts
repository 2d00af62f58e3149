import { mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { PROTOCOL } from '../core/contracts/envelope.ts';
import type { Rules } from '../core/contracts/rules.ts';
import { isUnderWay, pendingEscalation, type RunState } from '../core/contracts/run-state.ts';
import { createDesk } from '../core/decide/desk.ts';
import { evolve } from '../core/decide/evolve.ts';
import { ordersFor } from '../core/decide/orders/orders-for.ts';
import type { HeldBrief } from '../core/ports/held-brief.ts';
import type { BlobName } from '../core/ports/job-api.ts';
import type { JobLink } from '../core/ports/job-link.ts';
import type { RunStore } from '../core/ports/ports.ts';
import { findSecretsInFiles } from '../core/secrets/secrets-in-changeset.ts';
import { openSecrets } from '../core/secrets/secrets-of-run.ts';
import { Changeset } from '../core/work/changeset.ts';
import { isAboutFinishedWork } from '../core/work/work-approvals.ts';
import {
  type ArtifactLine,
  type ArtifactSealer,
  BLOBS_DIRECTORY,
  CHANGESET_FILE,
  CLAIMS_FILE,
  contextOf,
  digestOf,
  MAX_BLOB_BYTES,
} from './artifact-format.ts';
import { createInProcessLink } from './in-process.ts';

interface ArtifactLinkOptions {
  /** The directory that becomes the artifact. Nothing may be there yet. */
  directory: string;
  held: HeldBrief;
  /** As the job before left it. */
  checkpoint?: Uint8Array;
  sealer: ArtifactSealer;
  rules: Rules;
  /** Secrets of the job's environment. */
  secrets: readonly string[];
}

interface ArtifactLink extends JobLink {
  /**
   * True after `close` if agent and checks say that the work is complete and nothing in it is secret. Then it can be verified
   * before the desk is asked.
   */
  canBeVerified(): boolean;
}

/**
 * The link of a build whose desk runs only before and after it. The job decides by the same rules as the desk, from the state in
 * its brief, and writes its claims and work into an artifact. The desk reads them later and decides again: nothing that was
 * decided here counts.
 */
export function createArtifactLink(options: ArtifactLinkOptions): ArtifactLink {
  const { directory, held, sealer, rules } = options;
  const { brief, place, state, version } = held;
  const { run } = brief;
  const seal = (what: 'claim' | BlobName, bytes: Uint8Array) => sealer.seal(bytes, contextOf(brief, what));
  mkdirSync(join(directory, BLOBS_DIRECTORY), { recursive: true, mode: 0o700 });
  const claims = openSync(join(directory, CLAIMS_FILE), 'ax', 0o600);
  const append = (line: ArtifactLine) => {
    const sealed = seal('claim', Buffer.from(JSON.stringify(line)));
    writeSync(claims, `${Buffer.from(sealed).toString('base64')}\n`);
  };

  const desk = createDesk({
    store: openMemoryStore(run, state, version),
    rules,
    onEvents: () => undefined,
    perform: async () => undefined,
  });
  const vault = {
    put: () => Promise.reject(new Error('A job gives no values.')),
    open: async (_run: string, refs: string[]) =>
      Object.fromEntries(
        refs.flatMap((ref) => {
          const given = Object.hasOwn(held.inputs, ref) ? held.inputs[ref] : undefined;
          return given ? [[given.key, given.value]] : [];
        }),
      ),
    forget: async () => undefined,
  };
  const link = createInProcessLink(desk, run, vault);
  const saved = new Map<BlobName, Uint8Array>();
  if (options.checkpoint) saved.set('checkpoint', options.checkpoint);
  if (held.changeset !== undefined) saved.set('changeset', Buffer.from(held.changeset, 'base64'));

  let canBeVerified = false;
  /** The job that verifies has no key. With a secret in the work it gets nothing, and the desk asks a person. */
  const showChangeset = async () => {
    const present = await desk.state(run);
    if (present.verifying === undefined) return;
    const bytes = saved.get('changeset');
    const given = await openSecrets(vault, present);
    const own = options.secrets.map((value, index) => ({ key: String(index), value }));
    const files = bytes ? Changeset.parse(JSON.parse(Buffer.from(bytes).toString('utf8'))).files : [];
    if (findSecretsInFiles(files, [...given, ...own]).length > 0) return;
    if (bytes) writeFileSync(join(directory, CHANGESET_FILE), bytes, { mode: 0o600, flag: 'wx' });
    canBeVerified = true;
  };

  return {
    ...link,
    claimed: {
      kind: 'build',
      brief,
      place,
      orders: ordersFor(state),
      version,
      protocol: PROTOCOL,
    },
    isLive: false,
    canBeVerified: () => canBeVerified,
    async report(envelope) {
      append(envelope);
      return link.report(envelope);
    },
    async putBlob(name, bytes) {
      if (isClosed(await desk.state(run), name)) return false;
      const sealed = seal(name, bytes);
      if (sealed.length > MAX_BLOB_BYTES) return false;
      const sha256 = digestOf(sealed);
      writeFileSync(join(directory, BLOBS_DIRECTORY, sha256), sealed, { mode: 0o600 });
      append({ blob: name, sha256 });
      saved.set(name, bytes);
      return true;
    },
    getBlob: async (name) => saved.get(name),
    close: showChangeset,
  };
}

/** The desk will keep the work that it is asked to verify or to approve, so what is written after that is not saved. */
function isClosed(state: RunState, name: BlobName): boolean {
  if (name === 'checkpoint') return false;
  const asked = pendingEscalation(state);
  return (
    !isUnderWay(state) ||
    state.verifying !== undefined ||
    (asked !== undefined && isAboutFinishedWork(asked.triggers))
  );
}

/** The run of this job, for as long as the job lasts. */
function openMemoryStore(run: string, state: RunState, version: number): RunStore {
  let present = { version, state };
  return {
    load: async (id) => (id === run ? present : { version: 0, state: undefined }),
    async commit(_run, expectedVersion, { events }) {
      if (expectedVersion !== present.version) return { ok: false };
      const after = events.reduce<RunState | undefined>(evolve, present.state) ?? present.state;
      present = { version: present.version + 1, state: after };
      return { ok: true, version: present.version };
    },
  };
}
