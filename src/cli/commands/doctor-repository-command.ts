import { GitHubError } from '../../core/ports/github-port.ts';
import { createClient } from '../../github/client/client.ts';
import { openOctokit } from '../../github/client/open-octokit.ts';
import { createGitHub } from '../../github/github.ts';
import { type AppSetUp, createAppSetUp } from '../../github/set-up/app-set-up.ts';
import { createRepositorySetUp } from '../../github/set-up/repository-set-up.ts';
import { createAppToken } from '../doctor/app-token.ts';
import { type DoctorAccess, readDoctorAccess } from '../doctor/doctor-access.ts';
import { examineApp } from '../doctor/doctor-app.ts';
import { examineDesk } from '../doctor/doctor-desk.ts';
import { describeFailure, TOKEN_RIGHTS } from '../doctor/doctor-failure.ts';
import { type Finding, hasProblem, problem, renderFindings, unknown } from '../doctor/doctor-finding.ts';
import { examineRepository } from '../doctor/doctor-repository.ts';
import { usage } from '../options.ts';
import { packageVersion } from '../package-version.ts';
import { cleanMessage } from '../terminal/clean-message.ts';

const NAME = /^(?<owner>[A-Za-z0-9][\w-]{0,38})\/(?<repo>(?!\.{1,2}$)[\w.-]{1,100})$/;
const TIMEOUT_MS = 15_000;

interface Asked {
  owner: string;
  repo: string;
  access: DoctorAccess;
}

/**
 * `autobuild doctor --repo OWNER/NAME` reports what the repository and the App lack, through GitHub's API. It only
 * reads.
 */
export async function doctorRepositoryCommand(
  { repo: name = '', json }: { repo?: string; json: boolean },
  env: Record<string, string | undefined>,
  now: Date,
): Promise<{ lines: string[]; ok: boolean }> {
  const { owner, repo } = NAME.exec(name)?.groups ?? {};
  if (!owner || !repo) throw usage('--repo takes OWNER/NAME, such as octocat/hello-world.');
  const read = readDoctorAccess(env);
  const { access } = read;
  const seen = access.apiUrl ? await examine({ owner, repo, access }, now) : [];
  // Findings quote names and values from the repository, which are untrusted.
  const findings = [...read.findings, ...seen].map(cleanFinding);
  const ok = !hasProblem(findings);
  const lines = json
    ? [JSON.stringify({ repository: name, ok, checks: findings })]
    : renderFindings(name, findings);
  return { lines, ok };
}

function cleanFinding(finding: Finding): Finding {
  const { message, remedy } = finding;
  return { ...finding, message: cleanMessage(message), ...(remedy && { remedy: cleanMessage(remedy) }) };
}

async function examine({ owner, repo, access }: Asked, now: Date): Promise<Finding[]> {
  const { apiUrl, app, publicUrl } = access;
  const repository = `${owner}/${repo}`;
  const asApp =
    app && createAppSetUp(openOctokit({ apiUrl, token: createAppToken(app, now), timeoutMs: TIMEOUT_MS }));
  const credentials = access.token?.variable ?? "the App's token";
  const aboutRepository = await collect(examineWithToken({ owner, repo, access }, asApp), (error) =>
    describeFailure(error, { check: 'repository', repository, apiUrl, credentials }),
  );
  // Nobody whose workflow is not an App's has an installation to look for.
  if (!asApp && !aboutRepository.some(({ check }) => check === 'desk')) return aboutRepository;
  if (!asApp) {
    const remedy = 'Set APP_ID and PRIVATE_KEY (or PRIVATE_KEY_PATH), as the server has them, to look.';
    return [
      ...aboutRepository,
      unknown('app', "Whether the App is installed is only seen with the App's key.", remedy),
    ];
  }
  const aboutApp = await collect(examineApp(asApp, { owner, repo, publicUrl }), (error) =>
    describeFailure(error, { check: 'app', repository, apiUrl, credentials: 'APP_ID and PRIVATE_KEY' }),
  );
  const desk = publicUrl ? [await examineDesk(publicUrl)] : [];
  return [...aboutRepository, ...aboutApp, ...desk];
}

/** Uses a person's token. Without one, it sees the repository as the App does. */
async function* examineWithToken(
  { owner, repo, access }: Asked,
  asApp: AppSetUp | undefined,
): AsyncGenerator<Finding> {
  const { apiUrl, label } = access;
  const installed = access.token || !asApp ? undefined : await asApp.installation(owner, repo);
  const token = access.token?.value ?? (installed && (await asApp?.createToken(installed.id, repo)));
  if (!token) {
    const message = 'No token to look with: neither GITHUB_TOKEN nor GH_TOKEN is set.';
    const line = `GH_TOKEN=$(gh auth token) autobuild doctor --repo ${owner}/${repo}`;
    yield problem('token', message, `With gh: ${line}\n  ${TOKEN_RIGHTS}`);
    return;
  }
  const octokit = openOctokit({ apiUrl, token, timeoutMs: TIMEOUT_MS });
  // The App's id is used only for writing and for finding check runs, and neither happens here.
  const target = { owner, repo, appId: 0 };
  const eyes = { ...createGitHub(octokit, target), ...createRepositorySetUp(createClient(octokit, target)) };
  yield* examineRepository(eyes, { name: `${owner}/${repo}`, label, version: packageVersion() });
}

/** Returns the findings made before a call failed, and the failure as the last finding. */
async function collect(
  findings: AsyncGenerator<Finding>,
  describe: (error: GitHubError) => Finding,
): Promise<Finding[]> {
  const found: Finding[] = [];
  try {
    for await (const finding of findings) found.push(finding);
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    found.push(describe(error));
  }
  return found;
}
