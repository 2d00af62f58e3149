import {
  APP_PATHS,
  NEEDED_EVENTS,
  NEEDED_PERMISSIONS,
  OPTIONAL_EVENTS,
  OPTIONAL_PERMISSIONS,
} from '../../core/app-manifest.ts';
import type { AppDelivery, AppSetUp } from '../../github/set-up/app-set-up.ts';
import { type Finding, hint, ok, problem } from './doctor-finding.ts';

const RANKS = ['none', 'read', 'write', 'admin'];
const WEBHOOK_PATH = APP_PATHS.webhooks;

type Installation = NonNullable<Awaited<ReturnType<AppSetUp['installation']>>>;

interface AppQuestion {
  owner: string;
  repo: string;
  publicUrl?: string;
}

/** Examines the App's settings, its installation in the repository, and its recent webhook deliveries. */
export async function* examineApp(
  app: AppSetUp,
  { owner, repo, publicUrl }: AppQuestion,
): AsyncGenerator<Finding> {
  const { name, url, permissions, events } = await app.app();
  const isMissing = (event: string) => !events.includes(event);
  const deaf = NEEDED_EVENTS.filter(isMissing);
  const weak = findLacking(NEEDED_PERMISSIONS, permissions);
  yield weak.length + deaf.length === 0
    ? ok('app', `The App ${name} asks for what it needs.`)
    : problem(
        'app',
        `The App ${name} lacks ${[...weak, ...deaf.map((event) => `the event ${event}`)].join(', ')}.`,
        "Add it on the App's settings page, under Permissions & events; app.yml lists all of it.",
      );
  const unseen = [
    ...findLacking(OPTIONAL_PERMISSIONS, permissions),
    ...OPTIONAL_EVENTS.filter(isMissing).map((event) => `the event ${event}`),
  ];
  if (unseen.length > 0)
    yield hint(
      'app',
      `The App ${name} does not ask for ${unseen.join(', ')}. CI that reports commit statuses is not seen; checks are.`,
      "Add it on the App's settings page, under Permissions & events, if your CI reports statuses.",
    );
  const installation = await app.installation(owner, repo);
  const described = describeInstallation(
    installation,
    findLacking(NEEDED_PERMISSIONS, installation?.permissions),
    { name, url, repository: `${owner}/${repo}` },
  );
  yield described;
  const ungranted = findLacking(OPTIONAL_PERMISSIONS, installation?.permissions);
  if (described.status === 'ok' && unseen.length === 0 && ungranted.length > 0)
    yield hint(
      'installation',
      `The App ${name} was not granted ${ungranted.join(', ')} in ${owner}/${repo}. CI that reports commit statuses is not seen; checks are.`,
      `Accept its new permissions: ${installation?.url}`,
    );
  yield describeWebhook(await app.webhookUrl(), publicUrl);
  yield describeDeliveries(await app.deliveries());
}

function findLacking(needed: Record<string, string>, granted: Record<string, string> = {}): string[] {
  return Object.entries(needed)
    .filter(([name, level]) => RANKS.indexOf(granted[name] ?? 'none') < RANKS.indexOf(level))
    .map(([name, level]) => `${name}: ${level}`);
}

function describeInstallation(
  installation: Installation | undefined,
  lacking: string[],
  { name, url, repository }: { name: string; url: string; repository: string },
): Finding {
  const check = 'installation';
  if (!installation)
    return problem(
      check,
      `The App ${name} is not installed in ${repository}.`,
      `Install it: ${url}/installations/new`,
    );
  if (installation.suspended)
    return problem(
      check,
      `The App ${name} is suspended in ${repository}.`,
      `Unsuspend it: ${installation.url}`,
    );
  if (lacking.length > 0) {
    const message = `The App ${name} was not granted ${lacking.join(', ')} in ${repository}.`;
    return problem(check, message, `Accept its new permissions: ${installation.url}`);
  }
  return ok(check, `The App ${name} is installed in ${repository} with all it needs.`);
}

function describeWebhook(url: string | undefined, publicUrl: string | undefined): Finding {
  const check = 'webhook';
  const wanted = `${publicUrl ?? 'https://YOUR_HOST'}${WEBHOOK_PATH}`;
  const remedy = `Set the webhook URL on the App's settings page: ${wanted}`;
  if (!url) return problem(check, 'The App has no webhook URL.', remedy);
  const fits = publicUrl ? url === wanted : url.endsWith(WEBHOOK_PATH);
  return fits ? ok(check, `Webhooks go to ${url}.`) : problem(check, `Webhooks go to ${url}.`, remedy);
}

/** An event that arrived on a later attempt is not lost. */
function describeDeliveries(deliveries: AppDelivery[]): Finding {
  const check = 'deliveries';
  const [newest] = deliveries;
  if (!newest) return hint(check, 'No webhook was sent to the App yet.', 'Label an issue, then check again.');
  const isTaken = ({ status_code }: AppDelivery) => status_code >= 200 && status_code < 300;
  const arrived = new Set(deliveries.filter(isTaken).map(({ guid }) => guid));
  const events = new Set(deliveries.map(({ guid }) => guid));
  const lost = deliveries.filter(({ guid }) => !arrived.has(guid));
  const count = new Set(lost.map(({ guid }) => guid)).size;
  const of = `of the last ${events.size} webhooks`;
  if (count === 0) return ok(check, `None ${of} was lost.`);
  const [last] = lost;
  const reason = `${last?.event} at ${last?.delivered_at}: ${last?.status_code} ${last?.status}`;
  const message = `${count} ${of} did not arrive, the newest ${reason}.`;
  const remedy = "See what the server answered on the App's settings page, under Advanced.";
  return arrived.has(newest.guid) ? hint(check, message, remedy) : problem(check, message, remedy);
}
