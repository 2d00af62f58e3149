import { type Context, Hono } from 'hono';
import type { Escalation } from '../../core/contracts/escalation.ts';
import { hasRole, neededRole } from '../../core/contracts/role.ts';
import type { Rules } from '../../core/contracts/rules.ts';
import { pendingEscalation } from '../../core/contracts/run-state.ts';
import type { Dispatch } from '../../core/ports/dispatches.ts';
import type { HostedStore } from '../../core/ports/hosted-store.ts';
import type { ListedRun } from '../../core/ports/run-log.ts';
import type { RunAnswers } from '../answer-run.ts';
import type { Logger } from '../log.ts';
import type { Access } from '../sign-in/access.ts';
import type { SessionCookies } from '../sign-in/sessions.ts';
import { isEqualText, type Signer } from '../sign-in/signed.ts';
import { renderAnalyticsPage } from './analytics-page.ts';
import { renderDiffPage } from './diff-page.ts';
import { type Page, sendPage, type Viewer } from './document.ts';
import { html } from './html.ts';
import { type AskedRun, createKeptDiffs } from './kept-diffs.ts';
import { streamChanges } from './live.ts';
import { renderProblem } from './problem-page.ts';
import { renderQuestionPanel } from './question-panel.ts';
import { renderRunPage } from './run-page.ts';
import { renderRunsPage } from './runs-page.ts';
import { createSecretForm } from './secret-routes.ts';

export interface PagesDependencies {
  store: HostedStore;
  rules: Rules;
  log: Logger;
  now(): Date;
  publicUrl: string;
  webUrl: string;
  access: Access;
  sessions: SessionCookies;
  signer: Signer;
  answers: RunAnswers;
  /** A question about finished work, with the diffs of the content that an approval covers. Each file costs a request to GitHub. */
  withDiffs(asked: AskedRun, most: { files: number; chars: number }): Promise<Escalation>;
  /** Ends the streams of events when the server stops. */
  closing: AbortSignal;
}

const LISTED = 200;
const FINISHED_SHOWN = 20;
const ANALYTICS_RUNS = 2_000;
const ANALYTICS_DAYS = 30;
const EVENTS_SHOWN = 40;
const EVENTS_AT_MOST = 5_000;
const JOBS_SHOWN = 20;
const DAY_MS = 24 * 3_600_000;

/** The pages for people. Everybody signs in, and sees the runs of repositories that they can read on GitHub. */
export function createPages(deps: PagesDependencies): Hono {
  const { store, rules, now, publicUrl, webUrl, access, sessions, answers, closing } = deps;
  const base = new URL(publicUrl).pathname.replace(/\/$/, '');
  const app = new Hono<{ Variables: { viewer: Viewer } }>();
  const send = (c: Context, page: Page) => sendPage(c, base, c.get('viewer'), page);

  const diffs = createKeptDiffs(deps);

  app.get('/', (c) => c.redirect(`${base}/runs`));

  const signedIn = async (c: Context, next: () => Promise<void>) => {
    const viewer = await sessions.viewer(c);
    if (!viewer) {
      if (c.req.method !== 'GET') return sendPage(c, base, undefined, NOT_SIGNED_IN);
      const { pathname, search } = new URL(c.req.url);
      return c.redirect(`${base}/auth/sign-in?to=${encodeURIComponent(pathname + search)}`);
    }
    c.set('viewer', viewer);
    return next();
  };
  for (const path of ['/runs', '/runs/*', '/analytics', '/analytics/*']) app.use(path, signedIn);

  /** Every form has the session's own token, which other sites cannot know. */
  app.use('*', async (c, next) => {
    if (c.req.method !== 'POST' || !c.get('viewer')) return next();
    const form = await c.req.parseBody();
    if (isEqualText(String(form.csrf ?? ''), c.get('viewer').csrf)) return next();
    return send(
      c,
      renderProblem(
        403,
        'Nothing was changed',
        'This form is too old or not from this site. Open the page again.',
      ),
    );
  });

  const readable = async (runs: readonly ListedRun[], login: string): Promise<ListedRun[]> => {
    const allowed = await Promise.all(runs.map(({ target }) => access.canRead(target, login)));
    return runs.filter((_, index) => allowed[index]);
  };

  app.get('/runs', async (c) => {
    const { login } = c.get('viewer');
    const search = {
      text: (c.req.query('q') ?? '').slice(0, 100),
      repository: (c.req.query('repository') ?? '').slice(0, 200),
    };
    const before = Number(c.req.query('before')) || undefined;
    const [active, ended] = await Promise.all([
      before === undefined ? store.runs.summaries({ phases: ['waiting', 'working'], limit: LISTED }) : [],
      store.runs.summaries({ phases: ['resting', 'ended'], limit: LISTED, before }),
    ]);
    const seen = await readable([...active, ...ended], login);
    const found = seen.filter((run) => matches(run, search));
    const finished = found.filter(({ phase }) => phase === 'resting' || phase === 'ended');
    const shown = finished.slice(0, FINISHED_SHOWN);
    const isMore = finished.length > shown.length || ended.length === LISTED;
    const page = renderRunsPage({
      ...{ base, webUrl, now: now(), viewer: login, search },
      waiting: found
        .filter(({ phase }) => phase === 'waiting')
        .sort((a, b) => a.summary.updated_at.localeCompare(b.summary.updated_at)),
      working: found.filter(({ phase }) => phase === 'working'),
      finished: shown,
      older: isMore ? (shown.at(-1) ?? ended.at(-1))?.seq : undefined,
      repositories: [...new Set(seen.map(({ target }) => `${target.owner}/${target.repo}`))].sort(),
    });
    return send(c, { ...page, live: '/runs/events' });
  });

  app.get('/runs/events', (c) => streamChanges(c, store, (what) => what.startsWith('run:'), closing));

  app.get('/runs/:id', (c) => showRun(c, c.req.param('id')));

  app.get('/runs/:id/diff', async (c) => {
    const found = await findRun(c, c.req.param('id'));
    if (!found) return send(c, NO_SUCH_RUN);
    const pending = pendingEscalation(found.state);
    return send(
      c,
      renderDiffPage({ ...found, base, pending: pending && (await diffs({ ...found, pending })) }),
    );
  });

  app.get('/runs/:id/events', async (c) => {
    const run = c.req.param('id');
    if (!(await findRun(c, run))) return c.json({ error: 'There is no such run.' }, 404);
    return streamChanges(c, store, (what) => what === `run:${run}`, closing);
  });

  // The address of a page that says why an answer was refused, read again by a reload or by its live script.
  app.get('/runs/:id/answer', (c) => c.redirect(`${base}/runs/${c.req.param('id')}`));

  app.post('/runs/:id/answer', async (c) => {
    const run = c.req.param('id');
    const form = await c.req.parseBody();
    const given = { run, by: c.get('viewer').login, escalation: text(form.escalation) || undefined };
    const guide = text(form.guide).trim();
    const inputs = Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) =>
        name.startsWith('input.') && text(value) ? [[name.slice('input.'.length), text(value)]] : [],
      ),
    );
    const answered =
      form.send === 'inputs'
        ? await answers.provide(given, inputs)
        : await answers.command(given, form.command ? text(form.command) : `/guide ${guide}`);
    if (answered.status === 200) return c.redirect(`${base}/runs/${run}`, 303);
    if (answered.status === 404) return send(c, NO_SUCH_RUN);
    return showRun(c, run, { problem: `Nothing was changed. ${answered.error}`, status: answered.status });
  });

  app.get('/analytics', async (c) => {
    const viewer = c.get('viewer');
    const since = new Date(now().getTime() - ANALYTICS_DAYS * DAY_MS).toISOString();
    const all = await store.runs.summaries({
      phases: ['working', 'waiting', 'resting', 'ended'],
      limit: ANALYTICS_RUNS,
    });
    const recent = all.filter(({ summary }) => summary.requested_at >= since || !summary.finished);
    const runs = await readable(recent, viewer.login);
    const page = renderAnalyticsPage({
      base,
      now: now(),
      viewer,
      runs,
      days: ANALYTICS_DAYS,
      buried: await repairable(viewer.login),
    });
    return send(c, page);
  });

  app.post('/analytics/retry', async (c) => {
    const id = text((await c.req.parseBody()).id);
    const own = (await repairable(c.get('viewer').login)).find((effect) => effect.id === id);
    if (!own)
      return send(
        c,
        renderProblem(404, 'Nothing was changed', 'There is nothing of this name that you may retry.'),
      );
    await store.outbox.revive(id);
    return c.redirect(`${base}/analytics`, 303);
  });

  app.route('/', createSecretForm({ ...deps, base, send }));

  /** Given-up writes of repositories that the person maintains. */
  async function repairable(login: string) {
    const buried = await store.outbox.buried(50);
    const own = await Promise.all(
      buried.map(async ({ id, run, error, at }) => {
        const target = run === undefined ? undefined : await store.runs.target(run);
        if (!run || !target || !hasRole(await access.now(target, login), 'maintain')) return [];
        return [{ id, run, error, at }];
      }),
    );
    return own.flat();
  }

  /** Undefined also for a run that the viewer may not read, so that nobody learns which ones exist. */
  async function findRun(c: Context, run: string) {
    const found = await answers.find(run);
    return found && (await access.canRead(found.target, c.get('viewer').login)) ? found : undefined;
  }

  async function showRun(
    c: Context,
    run: string,
    sent: { problem?: string; status?: Page['status'] } = {},
  ): Promise<Response> {
    const found = await findRun(c, run);
    const listed = found && (await store.runs.summary(run));
    if (!found || !listed) return send(c, NO_SUCH_RUN);
    const { state, target } = found;
    const viewer: Viewer = c.get('viewer');
    const repository = `${webUrl}/${target.owner}/${target.repo}`;
    const allEvents = c.req.query('events') === 'all';
    const commits = await store.runs.newest(run, allEvents ? EVENTS_AT_MOST : EVENTS_SHOWN + 1);
    const pending = pendingEscalation(state);
    const needed = neededRole(target.roles, 'provide');
    const mayNot =
      pending && !hasRole(await access.now(target, viewer.login), needed)
        ? `You are signed in as ${viewer.login}. Answering requires the ${needed} role on ${target.owner}/${target.repo}.`
        : undefined;
    const asked = pending && (await store.comments.find(`${run}.${pending.id}`));
    const jobs = await store.dispatches.ofRun(run, JOBS_SHOWN);
    const page = renderRunPage({
      ...{ base, webUrl, now: now(), listed, state },
      limits: rules.limitsInForce(state.limits),
      panel:
        pending &&
        renderQuestionPanel({
          ...{ base, state, viewer, mayNot, problem: sent.problem },
          pending: await diffs({ state, target, pending }),
          questionUrl: asked?.comment_id
            ? `${repository}/issues/${target.issue}#issuecomment-${asked.comment_id}`
            : undefined,
        }),
      events: commits
        .slice(0, allEvents ? EVENTS_AT_MOST : EVENTS_SHOWN)
        .flatMap(({ events }) => events.toReversed()),
      hasOlderEvents: !allEvents && commits.length > EVENTS_SHOWN,
      allTurns: c.req.query('turns') === 'all',
      jobs: jobs.map(({ job, kind, actions_run, ...at }) => ({
        job,
        kind,
        url: actions_run ? `${repository}/actions/runs/${actions_run}` : undefined,
        state: stageOf(at),
      })),
    });
    const body =
      sent.problem && !pending
        ? html`<p class="card bad" role="alert">${sent.problem}</p>${page.body}`
        : page.body;
    return send(c, { ...page, body, live: `/runs/${run}/events`, status: sent.status });
  }

  return app as unknown as Hono;
}

function stageOf({ ended_at, silent_at, working_at, claimed_at }: Partial<Dispatch>): string {
  if (ended_at) return 'ended';
  if (silent_at) return 'silent';
  if (working_at) return 'working';
  return claimed_at ? 'setting up' : 'queued';
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function matches({ target, summary }: ListedRun, search: { text: string; repository: string }): boolean {
  const name = `${target.owner}/${target.repo}`;
  if (search.repository && search.repository !== name) return false;
  const wanted = search.text.trim().toLowerCase();
  return wanted === '' || `${name} #${target.issue} ${summary.title}`.toLowerCase().includes(wanted);
}

const NO_SUCH_RUN = renderProblem(
  404,
  'There is no such run',
  'It does not exist, or you cannot read its repository on GitHub.',
);
const NOT_SIGNED_IN = renderProblem(
  401,
  'Not signed in',
  'Nothing was changed. Sign in, then send it again.',
);
