import { type Finding, ok, problem } from './doctor-finding.ts';

const TIMEOUT_MS = 10_000;

/** Checks whether the server answers this machine. */
export async function examineDesk(publicUrl: string): Promise<Finding> {
  const url = `${publicUrl}/healthz`;
  const remedy = 'Look at the log of the server, and at the proxy in front of it.';
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.status === 200) return ok('desk', `The server at ${publicUrl} is well.`);
    return problem('desk', `${url} answers ${response.status}.`, remedy);
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error & { code?: string } };
    return problem('desk', `${url} does not answer: ${cause?.code ?? cause?.message ?? message}.`, remedy);
  }
}
