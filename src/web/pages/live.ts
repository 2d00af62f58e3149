import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { HostedStore, Wake } from '../../core/ports/hosted-store.ts';

const PING_MS = 25_000;
/** Commits come in bursts, and a page is read once for all of them. */
const QUIET_MS = 150;

/** Server-sent events: `changed` says that the page should be read again. The events hold no data of a run. */
export function streamChanges(
  c: Context,
  store: HostedStore,
  concerns: (what: Wake) => boolean,
  closing: AbortSignal,
): Response {
  // A proxy that collects the response would hold the events back.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    let timer: NodeJS.Timeout | undefined;
    const tell = () => {
      timer = undefined;
      void stream.writeSSE({ event: 'changed', data: '' });
    };
    const forget = store.onWake((what) => {
      if (concerns(what)) timer ??= setTimeout(tell, QUIET_MS);
    });
    const ping = setInterval(() => void stream.writeSSE({ event: 'ping', data: '' }), PING_MS);
    await new Promise<void>((resolve) => {
      stream.onAbort(resolve);
      closing.addEventListener('abort', () => resolve(), { once: true });
      if (closing.aborted) resolve();
    });
    forget();
    clearInterval(ping);
    clearTimeout(timer);
  });
}
