import { type Client, isStatus, orUndefined } from '../client/client.ts';
import { PER_PAGE, readAllPages } from '../client/pages.ts';

export interface ActionsPolicy {
  enabled: boolean;
  /** The actions that may be used; undefined if GitHub does not say. */
  allowed?: 'all' | 'local_only' | 'selected';
  mustPinCommits: boolean;
}

/** Reads a repository's settings for `doctor`. Undefined results mean that the permission to read is missing. */
export interface RepositorySetUp {
  repository(): Promise<{
    full_name: string;
    default_branch: string;
    archived: boolean;
    has_issues: boolean;
    /** `COMMIT_MESSAGES` and the like, `off` if nothing can be squashed. Undefined for those who may not push. */
    squashMessage?: string;
  }>;
  actionsPolicy(): Promise<ActionsPolicy | undefined>;
  /** Whether the token of a workflow may open pull requests, if its permissions allow it. */
  mayActionsOpenPullRequests(): Promise<boolean | undefined>;
  hasLabel(name: string): Promise<boolean | undefined>;
  /** Names of organisation secrets that the repository may use. */
  organizationSecrets(): Promise<string[] | undefined>;
  /** Types of the rules that apply to a branch of that name, even if it does not exist. */
  branchRules(branch: string): Promise<string[] | undefined>;
  /** Rulesets of the repository and of its organisation. */
  rulesets(): Promise<{ name: string; target: string; enforcement: string }[] | undefined>;
  environment(name: string): Promise<{ hasReviewers: boolean; waitMinutes: number } | undefined>;
}

export function createRepositorySetUp({ request }: Client): RepositorySetUp {
  return {
    async repository() {
      const { data } = await request('GET /repos/{owner}/{repo}', {});
      const { full_name, default_branch, archived, has_issues, allow_squash_merge } = data;
      const squashMessage = allow_squash_merge === false ? 'off' : data.squash_merge_commit_message;
      return { full_name, default_branch, archived, has_issues, squashMessage };
    },

    async actionsPolicy() {
      const answer = await ifAllowed(request('GET /repos/{owner}/{repo}/actions/permissions', {}));
      if (!answer) return undefined;
      const { enabled, allowed_actions, sha_pinning_required } = answer.data;
      return { enabled, allowed: allowed_actions, mustPinCommits: sha_pinning_required ?? false };
    },

    async mayActionsOpenPullRequests() {
      const answer = await ifAllowed(request('GET /repos/{owner}/{repo}/actions/permissions/workflow', {}));
      return answer?.data.can_approve_pull_request_reviews;
    },

    async hasLabel(name) {
      const answer = ifAllowed(
        orUndefined(request('GET /repos/{owner}/{repo}/labels/{name}', { name })).then((found) => ({
          found: found !== undefined,
        })),
      );
      return (await answer)?.found;
    },

    organizationSecrets: () =>
      ifAllowed(
        readAllPages('secrets of the organisation', async (page) => {
          const { data, headers } = await request('GET /repos/{owner}/{repo}/actions/organization-secrets', {
            per_page: PER_PAGE,
            page,
          });
          return { items: data.secrets.map(({ name }) => name), link: headers.link };
        }),
      ),

    async branchRules(branch) {
      const answer = await ifAllowed(
        request('GET /repos/{owner}/{repo}/rules/branches/{branch}', { branch, per_page: PER_PAGE }),
      );
      return answer && [...new Set(answer.data.map(({ type }) => type))];
    },

    rulesets: () =>
      ifAllowed(
        readAllPages('rulesets', async (page) => {
          const { data, headers } = await request('GET /repos/{owner}/{repo}/rulesets', {
            per_page: PER_PAGE,
            page,
          });
          const items = data.map(({ name, target = 'branch', enforcement }) => ({
            name,
            target,
            enforcement,
          }));
          return { items, link: headers.link };
        }),
      ),

    async environment(name) {
      const answer = await ifAllowed(
        request('GET /repos/{owner}/{repo}/environments/{environment_name}', { environment_name: name }),
      );
      if (!answer) return undefined;
      const rules = answer.data.protection_rules ?? [];
      return {
        hasReviewers: rules.some(({ type }) => type === 'required_reviewers'),
        waitMinutes: Math.max(0, ...rules.map((rule) => ('wait_timer' in rule ? (rule.wait_timer ?? 0) : 0))),
      };
    },
  };
}

/** GitHub also responds with 404 if only an admin may read the setting. A rate limit is also a 403, but a temporary one. */
async function ifAllowed<Value>(call: Promise<Value>): Promise<Value | undefined> {
  return call.catch((error: unknown) => {
    if (isStatus(error, 403, 404) && error.retryAfter === undefined) return undefined;
    throw error;
  });
}
