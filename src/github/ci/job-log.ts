/** The end of a log is kept. A log that is longer than `MOST_BYTES` is not read to its end. */
const TAIL_BYTES = 64 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

interface LogLimits {
  tail: number;
  most: number;
  timeoutMs: number;
}

/** Reads the end of a log from the address that GitHub leads to. Undefined if it is gone or too long. */
export async function readLogTail(
  url: string,
  { tail, most, timeoutMs }: LogLimits = { tail: TAIL_BYTES, most: MOST_BYTES, timeoutMs: TIMEOUT_MS },
): Promise<string | undefined> {
  // The address is signed, and no header of ours belongs there.
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    return undefined;
  }
  const kept: Uint8Array[] = [];
  let held = 0;
  let read = 0;
  // Leaving the loop ends the download.
  for await (const chunk of response.body) {
    read += chunk.length;
    if (read > most) return undefined;
    kept.push(chunk);
    held += chunk.length;
    while (held - (kept[0]?.length ?? 0) >= tail) held -= kept.shift()?.length ?? 0;
  }
  const end = Buffer.concat(kept).subarray(-tail);
  return new TextDecoder().decode(end);
}
