import { type Call, type Gap, type Json, matchPath, refuse } from './gap.ts';
import type { Role } from './permissions.ts';
import type { WebhookRelay } from './webhook-relay.ts';

interface SetUpOptions {
  app: Json;
  roles: ReadonlyMap<string, Role>;
  webhooks: WebhookRelay;
  mayOpenPullRequests(): boolean;
  isHistoryLinear(): boolean;
}

const LINEAR_HISTORY = {
  type: 'required_linear_history',
  ...{ ruleset_source_type: 'Repository', ruleset_source: 'olivia/shop', ruleset_id: 42 },
};

/**
 * emulate has neither an App's webhook nor a repository's policies, and does not authenticate calls that only the App
 * may make.
 */
export function createSetUp(options: SetUpOptions): Gap {
  const { app, roles, webhooks, mayOpenPullRequests, isHistoryLinear } = options;
  const mayAdminister = ({ caller }: Call) => caller.kind === 'person' && roles.get(caller.login) === 'admin';
  return {
    answer(call) {
      const { method, path, caller } = call;
      if (method !== 'GET') return undefined;
      const base = '/repos/:owner/:repo';
      if (matchPath(`${base}/actions/permissions`, path)) {
        return mayAdminister(call)
          ? { status: 200, body: { enabled: true, allowed_actions: 'all', sha_pinning_required: false } }
          : refuse(403, 'Must have admin rights to Repository.');
      }
      if (matchPath(`${base}/actions/permissions/workflow`, path)) {
        const can_approve_pull_request_reviews = mayOpenPullRequests();
        return mayAdminister(call)
          ? { status: 200, body: { default_workflow_permissions: 'read', can_approve_pull_request_reviews } }
          : refuse(403, 'Must have admin rights to Repository.');
      }
      if (matchPath(`${base}/actions/organization-secrets`, path))
        return { status: 200, body: { total_count: 0, secrets: [] } };
      if (matchPath(`${base}/rules/branches/*branch`, path))
        return { status: 200, body: isHistoryLinear() ? [LINEAR_HISTORY] : [] };
      if (matchPath(`${base}/rulesets`, path)) return { status: 200, body: [] };
      if (matchPath(`${base}/environments/:name`, path)) return refuse(404, 'Not Found');
      const isHook = matchPath('/app/hook/config', path);
      if (caller.kind !== 'app' && (isHook || matchPath(`${base}/installation`, path)))
        return refuse(401, 'A JSON web token could not be decoded');
      return isHook ? { status: 200, body: describeHook(webhooks) } : undefined;
    },
    fixAnswer({ method, path }, answer) {
      if (method !== 'GET' || answer.status !== 200 || path !== '/app') return answer;
      return { ...answer, body: { ...(answer.body as Json), owner: app.owner, events: app.events } };
    },
  };
}

function describeHook({ targets }: WebhookRelay): Json {
  return { content_type: 'json', insecure_ssl: '0', secret: '********', url: targets()[0] ?? '' };
}
