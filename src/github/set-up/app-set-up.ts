import { GitHubError } from '../../core/ports/github-port.ts';
import { type OctokitLike, orUndefined, refuseHalfAnswer } from '../client/client.ts';
import { toGitHubError } from '../client/errors.ts';
import { PER_PAGE } from '../client/pages.ts';

type Granted = Record<string, string>;

export interface AppDelivery {
  /** The id of the webhook, which is the same for every attempt. */
  guid: string;
  delivered_at: string;
  status_code: number;
  status: string;
  event: string;
}

/** Reads the App's own settings, authenticated with its JWT. */
export interface AppSetUp {
  app(): Promise<{ name: string; url: string; permissions: Granted; events: string[] }>;
  /** Undefined if the App is not installed there. */
  installation(
    owner: string,
    repo: string,
  ): Promise<{ id: number; url: string; permissions: Granted; suspended: boolean } | undefined>;
  webhookUrl(): Promise<string | undefined>;
  /** The newest hundred deliveries of all repositories, newest first. */
  deliveries(): Promise<AppDelivery[]>;
  /** Creates an installation token that is limited to the repository. */
  createToken(installation: number, repo: string): Promise<string>;
}

export function createAppSetUp(octokit: OctokitLike): AppSetUp {
  /** Every failure is a `GitHubError`. */
  async function ask<Answer extends { status: number; data: unknown }>(
    route: string,
    call: Promise<Answer>,
  ): Promise<Answer['data']> {
    const answer = await call.catch((error: unknown) => Promise.reject(toGitHubError(error, route)));
    refuseHalfAnswer(answer, route);
    return answer.data;
  }

  return {
    async app() {
      const data = await ask('GET /app', octokit.request('GET /app'));
      if (!data) throw new GitHubError('GitHub says nothing of the App.', { status: 502 });
      return { name: data.name, url: data.html_url, permissions: granted(data), events: data.events };
    },

    async installation(owner, repo) {
      const route = 'GET /repos/{owner}/{repo}/installation';
      const data = await orUndefined(ask(route, octokit.request(route, { owner, repo })));
      if (!data) return undefined;
      const { id, html_url, suspended_at } = data;
      return { id, url: html_url, permissions: granted(data), suspended: Boolean(suspended_at) };
    },

    async webhookUrl() {
      const route = 'GET /app/hook/config';
      return (await ask(route, octokit.request(route))).url || undefined;
    },

    async deliveries() {
      const route = 'GET /app/hook/deliveries';
      const data = await ask(route, octokit.request(route, { per_page: PER_PAGE }));
      return data.map(({ guid, delivered_at, status_code, status, event }) => ({
        guid,
        delivered_at,
        status_code,
        status,
        event,
      }));
    },

    async createToken(installation, repo) {
      const route = 'POST /app/installations/{installation_id}/access_tokens';
      const wanted = { installation_id: installation, repositories: [repo] };
      return (await ask(route, octokit.request(route, wanted))).token;
    },
  };
}

function granted({ permissions }: { permissions: object }): Granted {
  return { ...permissions } as Granted;
}
