import { join } from 'node:path';
import { Claim, Envelope, isFinal } from '../core/contracts/envelope.ts';
import { parseJson } from '../core/parse-json.ts';
import { acceptEnvelope, BlobName, MAX_REPORT_BYTES } from '../core/ports/job-api.ts';
import {
  type ArtifactPlace,
  type ArtifactSealer,
  BLOBS_DIRECTORY,
  type BlobLine,
  CHANGESET_FILE,
  CLAIMS_FILE,
  contextOf,
  digestOf,
  MAX_BLOB_BYTES,
} from './artifact-format.ts';
import { isShallow } from './is-shallow.ts';
import { readPlainFile } from './read-plain-file.ts';

/** More than any job writes. A state that grew by more than this with each job could not be saved after a few of them. */
const MAX_CLAIMS_BYTES = 16 * 1024 * 1024;
const MAX_LINES = 2_000;
const MAX_LINE_CHARS = Math.ceil(MAX_REPORT_BYTES / 3) * 4;
const MAX_LEVELS = 64;
/** For all blobs together. The newest come first. */
const MAX_ALL_BLOBS_BYTES = 4 * MAX_BLOB_BYTES;
const SHA256 = /^[0-9a-f]{64}$/;

interface ArtifactOptions extends ArtifactPlace {
  directory: string;
  sealer: Pick<ArtifactSealer, 'open'>;
  /** When the job began. It has said nothing before. */
  began: Date;
  now: Date;
}

/** A claim of the job, or a blob that it saved before its next claim. */
type ArtifactEntry =
  | { type: 'claim'; envelope: Envelope }
  | { type: 'blob'; name: BlobName; bytes: Uint8Array };

interface ReadArtifact {
  /** In the order in which the job wrote them. */
  entries: ArtifactEntry[];
  /** True if the job said that it parked or handed over. Otherwise it ended with its run, or it was lost. */
  isLastWordThere: boolean;
  /** How many lines were skipped, by the reason in our own words, which people are shown. */
  skipped: Record<string, number>;
}

/**
 * Reads what a build left. The agent may have written all of it, so a line that no job of ours writes at that point is skipped,
 * and nothing in the directory makes this throw. The rest are claims like any others: the desk decides about them.
 */
export function readArtifact(options: ArtifactOptions): ReadArtifact {
  const { directory, run, job, sealer } = options;
  const skipped: Record<string, number> = {};
  const skip = (reason: string) => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  const open = (what: 'claim' | BlobName, bytes: Uint8Array) => {
    try {
      return sealer.open(bytes, contextOf({ run, job }, what));
    } catch {
      return undefined;
    }
  };
  const latest = options.now.getTime();
  let clock = Math.min(options.began.getTime(), latest);
  let seq = 0;
  let isLastWordThere = false;
  const lines: (Envelope | BlobLine)[] = [];
  for (const text of linesOf(join(directory, CLAIMS_FILE), skip)) {
    const line = isLastWordThere ? undefined : readLine(open('claim', Buffer.from(text, 'base64')));
    if (isLastWordThere) skip('after the last word');
    else if (!line) skip('no line of this job');
    else if ('blob' in line) {
      const last = lines.at(-1);
      // Nothing was said between the two, so nothing is said about the first.
      if (last && 'blob' in last && last.blob === line.blob) lines.pop();
      lines.push(line);
    } else if (line.run !== run || line.fence !== job) skip('of another run or job');
    else if (line.seq <= seq) skip('out of order');
    else {
      seq = line.seq;
      clock = Math.min(Math.max(Date.parse(line.at) || 0, clock), latest);
      lines.push({ ...line, at: new Date(clock).toISOString() });
      isLastWordThere = isFinal(line.type);
    }
  }
  let left = MAX_ALL_BLOBS_BYTES;
  const load = ({ blob, sha256 }: BlobLine): Uint8Array | undefined => {
    const stored = readPlainFile(join(directory, BLOBS_DIRECTORY, sha256), Math.min(left, MAX_BLOB_BYTES));
    left -= stored?.bytes.length ?? 0;
    return stored?.isWhole && digestOf(stored.bytes) === sha256 ? open(blob, stored.bytes) : undefined;
  };
  const entries: ArtifactEntry[] = [];
  for (const line of lines.reverse()) {
    if (!('blob' in line)) {
      entries.push({ type: 'claim', envelope: line });
      continue;
    }
    const bytes = load(line);
    if (bytes) entries.push({ type: 'blob', name: line.blob, bytes });
    else skip('a blob that is missing, changed or too large');
  }
  return { entries: entries.reverse(), isLastWordThere, skipped };
}

/** The finished work that a build left for the job that verifies it. Undefined if there is none that can be read. */
export function readChangesetFile(directory: string): Uint8Array | undefined {
  const read = readPlainFile(join(directory, CHANGESET_FILE), MAX_BLOB_BYTES);
  return read?.isWhole ? read.bytes : undefined;
}

function linesOf(file: string, skip: (reason: string) => void): string[] {
  const read = readPlainFile(file, MAX_CLAIMS_BYTES);
  if (!read) return [];
  const lines = read.bytes.toString('latin1').split('\n');
  if (lines.pop() || !read.isWhole) skip('cut off');
  for (let index = MAX_LINES; index < lines.length; index += 1) skip('too many');
  return lines.slice(0, MAX_LINES).filter((line) => {
    if (line.length <= MAX_LINE_CHARS) return true;
    skip('too long');
    return false;
  });
}

function readLine(bytes: Uint8Array | undefined): Envelope | BlobLine | undefined {
  const text = bytes && decode(bytes);
  if (text === undefined || !isShallow(text, MAX_LEVELS)) return undefined;
  const line: unknown = parseJson(text);
  if (typeof line !== 'object' || line === null) return undefined;
  return Object.hasOwn(line, 'blob') ? readBlobLine(line) : readClaim(line);
}

function readBlobLine(line: object): BlobLine | undefined {
  const { blob, sha256 } = line as Record<string, unknown>;
  const name = BlobName.safeParse(blob);
  if (!name.success || typeof sha256 !== 'string' || !SHA256.test(sha256)) return undefined;
  return { blob: name.data, sha256 };
}

/** The build is of the same version as the reader, so it makes no claims of unknown types. */
function readClaim(line: object): Envelope | undefined {
  const { data: envelope } = Envelope.safeParse(line);
  const accepted = envelope && acceptEnvelope(envelope);
  const claim = accepted && Claim.safeParse({ type: accepted.type, data: accepted.data }).data;
  return claim && { ...accepted, ...claim };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
