import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { type Client, orUndefined } from './client/client.ts';
import { PER_PAGE, readAllPages } from './client/pages.ts';
import { refuseLongText } from './client/text-limit.ts';

const NAME = 'autobuild';
const MAX_SUMMARY_CHARS = 65_535;

export function createCheckRunMethods({ appId, request }: Client): Pick<GitHub, 'upsertCheckRun'> {
  async function findOwn(sha: string, externalId: string): Promise<number | undefined> {
    const runs = await readAllPages(`check runs on ${sha}`, async (page) => {
      const { data, headers } = await request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
        ref: sha,
        app_id: appId,
        check_name: NAME,
        filter: 'all',
        per_page: PER_PAGE,
        page,
      });
      return { items: data.check_runs, link: headers.link };
    });
    const own = runs.find(
      (run) => run.external_id === externalId && (appId === undefined || run.app?.id === appId),
    );
    return own && Number(own.id);
  }

  return {
    async upsertCheckRun({ head_sha, external_id, status, conclusion, title, summary, ...given }) {
      const { details_url, id, isFirst = false } = given;
      if (status === 'completed' && conclusion === undefined) {
        throw new GitHubError(`The check run ${external_id} is completed but has no conclusion.`, {
          status: 422,
        });
      }
      refuseLongText(`The summary of check run ${external_id}`, summary, MAX_SUMMARY_CHARS);
      const fields = {
        name: NAME,
        external_id,
        ...(status === 'completed' ? { status, conclusion } : { status }),
        output: { title, summary },
        ...(details_url !== undefined && { details_url }),
      };
      const update = (check_run_id: number) =>
        request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
          ...fields,
          check_run_id,
        } as never);
      if (id !== undefined && (await orUndefined(update(id)))) return id;
      const own = isFirst ? undefined : await findOwn(head_sha, external_id);
      if (own !== undefined) {
        await update(own);
        return own;
      }
      const created = await request('POST /repos/{owner}/{repo}/check-runs', {
        ...fields,
        head_sha,
      } as never);
      return Number(created.data.id);
    },
  };
}
