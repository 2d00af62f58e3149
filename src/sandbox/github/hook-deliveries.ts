import { type Answer, type Gap, type Json, matchPath, refuse } from './gap.ts';
import type { Attempt, WebhookRelay } from './webhook-relay.ts';

const PER_PAGE = 30;
const MOST_PER_PAGE = 100;

/** emulate keeps no record of its deliveries and cannot redeliver. */
export function createHookDeliveries(url: string, webhooks: WebhookRelay): Gap {
  const list = (query: URLSearchParams): Answer => {
    const status = query.get('status');
    const perPage = Math.min(MOST_PER_PAGE, Number(query.get('per_page')) || PER_PAGE);
    const before = Number(query.get('cursor')?.slice(1) ?? Number.POSITIVE_INFINITY);
    const wanted = webhooks.attempts
      .filter(({ id }) => id < before)
      .filter((attempt) => status === null || (status === 'success') === wentWell(attempt))
      .toReversed();
    const page = wanted.slice(0, perPage);
    const next = new URLSearchParams(query);
    next.set('cursor', `v${page.at(-1)?.id}`);
    const link = `<${url}/app/hook/deliveries?${next}>; rel="next"`;
    return { status: 200, body: page.map(describe), headers: wanted.length > perPage ? { link } : {} };
  };
  return {
    answer({ method, path, query, caller }) {
      const listed = method === 'GET' && matchPath('/app/hook/deliveries', path);
      const again = method === 'POST' ? matchPath('/app/hook/deliveries/:id/attempts', path) : undefined;
      if (!listed && !again) return undefined;
      if (caller.kind !== 'app') return refuse(401, 'A JSON web token could not be decoded');
      if (listed) return list(query);
      const attempt = webhooks.attempts.find(({ id }) => String(id) === again?.id);
      if (!attempt) return refuse(404, 'Not Found');
      webhooks.sendAgain(attempt.delivery);
      return { status: 202, body: {} };
    },
  };
}

const wentWell = ({ status }: Attempt) => status >= 200 && status < 300;

function describe(attempt: Attempt): Json {
  const { id, delivery, at, status, redelivery } = attempt;
  const { installation, repository } = delivery.payload as Record<string, { id?: number } | undefined>;
  return {
    id,
    guid: delivery.id,
    delivered_at: at,
    redelivery,
    duration: 0,
    status: wentWell(attempt) ? 'OK' : status === 0 ? 'failed to connect' : 'Invalid HTTP Response',
    status_code: status,
    event: delivery.event,
    action: delivery.action ?? null,
    installation_id: installation?.id ?? null,
    repository_id: repository?.id ?? null,
    throttled_at: null,
  };
}
