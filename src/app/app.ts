import type { Probot } from 'probot';
import { isSameLabel } from '../core/same-label.ts';
import type { HostedDependencies } from './dependencies.ts';
import { onAccessLost, onAccessRestored } from './handlers/installation.ts';
import { onLabelChanged } from './handlers/label-gone.ts';
import { onWorkflowRunCompleted } from './handlers/workflow-run-completed.ts';
import { forgetInstalled } from './reconcile/installed-repositories.ts';
import { type Name, onRepositoryEvents, type ProbotName, type Webhook } from './repository-events.ts';

/** The Probot app. It passes each event to its handler and decides nothing itself. */
export default function autobuild(deps: HostedDependencies): (app: Probot) => void {
  const { label } = deps.settings;
  return (app) => {
    const on = <N extends Name>(names: N | N[], handle: (webhook: Webhook<N>) => Promise<void>) =>
      app.on(
        // Probot's name of an event without an action has no dot.
        [names].flat().map((name) => name.replace(/\.$/, '') as ProbotName<N>),
        handle as (context: { id: string; payload: unknown }) => Promise<void>,
      );
    onRepositoryEvents(deps, on);
    on(['label.deleted', 'label.edited'], async ({ payload }) => {
      const isRenamed = payload.action === 'edited';
      const names = [payload.label.name, isRenamed ? payload.changes?.name?.from : undefined];
      // A new colour, or another spelling of the same name, is the same label.
      const isSame = isRenamed && (names[1] === undefined || names.every((name) => isSameLabel(name, label)));
      if (isSame || !names.some((name) => isSameLabel(name, label))) return;
      await onLabelChanged(deps, {
        repo_id: payload.repository.id,
        login: payload.sender.login,
        how: isRenamed ? 'renamed' : 'deleted',
      });
    });
    on('workflow_run.completed', async ({ payload }) => {
      const { workflow_run } = payload;
      await onWorkflowRunCompleted(deps, {
        actions_run: workflow_run.id,
        attempt: workflow_run.run_attempt,
        conclusion: workflow_run.conclusion,
        ended_at: workflow_run.updated_at,
      });
    });
    on(['installation.created', 'installation_repositories.added'], async ({ payload }) => {
      // The App writes nothing to a repository until somebody labels an issue there.
      const fields = { installation: payload.installation.id, by: payload.sender.login };
      deps.log.info(fields, `the App was installed (${payload.action})`);
      await forgetInstalled(deps);
    });
    on(['installation.deleted', 'installation.suspend'], async ({ id, payload }) => {
      await onAccessLost(deps, {
        installation_id: payload.installation.id,
        login: payload.sender.login,
        because: payload.action === 'deleted' ? 'the App was uninstalled' : 'the App was suspended',
        seen: `access:${id}`,
      });
      await forgetInstalled(deps);
    });
    on('installation_repositories.removed', async ({ id, payload }) => {
      await onAccessLost(deps, {
        installation_id: payload.installation.id,
        repositories: payload.repositories_removed.map((repository) => repository.id ?? 0),
        login: payload.sender.login,
        because: 'the App was removed from the repository',
        seen: `access:${id}`,
      });
      await forgetInstalled(deps);
    });
    on(['installation.new_permissions_accepted', 'installation.unsuspend'], async ({ payload }) => {
      await onAccessRestored(deps, payload.installation.id);
      await forgetInstalled(deps);
    });
  };
}
