import { until } from '../../e2e-github/until.ts';
import type { AppDesk } from '../app-desk.ts';

/** A commit of olivia on the default branch, told to the App. */
export async function pushToMain(
  desk: AppDesk,
  path: string,
  text: string,
  branch = 'main',
): Promise<string> {
  const at = `/repos/olivia/shop/contents/${path}`;
  const there = await desk.github.callAs('olivia', 'GET', `${at}?ref=${branch}`);
  const { sha } = (there.status === 200 ? there.body : {}) as { sha?: string };
  const pushes = () => desk.github.webhooks.deliveries.filter(({ event }) => event === 'push').length;
  const before = pushes();
  const content = Buffer.from(text).toString('base64');
  const message = `Change ${path} of ${branch}`;
  const answer = await desk.github.callAs('olivia', 'PUT', at, { message, content, branch, sha });
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  await until('the push', () => pushes() > before);
  await desk.settle();
  return (answer.body as { commit: { sha: string } }).commit.sha;
}
