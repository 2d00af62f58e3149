import pg from 'pg';

const CONNECT_MS = 5000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** A probe finds a connection that was lost without an error. */
const PROBE_EVERY_MS = 15_000;
const PROBE_MS = 5000;

/** Opens a connection for LISTEN and reconnects whenever it is lost. The first attempt must succeed. */
export async function listen(options: {
  url: string;
  channel: string;
  onMessage(message: string): void;
  /** Called after a reconnect, because messages may have been lost meanwhile. */
  onMissed(): void;
}): Promise<{ close(): Promise<void> }> {
  const { url, channel, onMessage, onMissed } = options;
  let closed = false;
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | undefined;
  let client: pg.Client | undefined;

  const connect = async () => {
    const fresh = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: PROBE_MS,
      keepAlive: true,
      application_name: 'autobuild-listener',
    });
    // An error without a listener would end the process. `end` follows every error.
    fresh.on('error', () => undefined);
    fresh.on('notification', ({ payload }) => onMessage(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      discard(fresh);
      throw error;
    }
    if (closed) return discard(fresh);
    client = fresh;
    pause = FIRST_PAUSE_MS;
    fresh.once('end', () => lose(fresh));
    probeLater(fresh);
  };

  const discard = (old: pg.Client) => {
    old.end().catch(() => undefined);
  };

  const lose = (old: pg.Client) => {
    if (client !== old) return;
    client = undefined;
    clearTimeout(timer);
    discard(old);
    reconnectLater();
  };

  const probeLater = (current: pg.Client) => {
    timer = setTimeout(() => {
      current.query('select 1').then(
        () => client === current && probeLater(current),
        () => lose(current),
      );
    }, PROBE_EVERY_MS).unref();
  };

  const reconnectLater = () => {
    if (closed) return;
    timer = setTimeout(() => connect().then(onMissed, reconnectLater), pause).unref();
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };

  await connect();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end();
    },
  };
}
