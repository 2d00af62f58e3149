import type { Edit } from './gap.ts';
import { type Call, type Gap, type Json, matchPath, type Upstream } from './gap.ts';

interface IssueGap extends Gap {
  lastEdit(nodeId: string): Edit | undefined;
}

interface Rename {
  from: string;
  to: string;
}

/**
 * GitHub's events of an issue name the App that caused them and include renames, but no other edits. The newest edit
 * can be read.
 */
export function createIssues(apps: ReadonlyMap<string, Json>, upstream: Upstream): IssueGap {
  const edits = new Map<string, Edit>();
  /** Changes by issue number, oldest first, because emulate only reports that something was edited. */
  const changes = new Map<string, (Rename | undefined)[]>();

  async function noteEdit(number: string, { path, body, caller }: Call): Promise<void> {
    const present = (await upstream('GET', path)).body as Json | undefined;
    if (!present || caller.kind === 'app') return;
    const title = typeof body.title === 'string' && body.title !== present.title;
    const text = typeof body.body === 'string' && body.body !== (present.body ?? '');
    if (!title && !text) return;
    const rename = title ? { from: String(present.title), to: String(body.title) } : undefined;
    changes.set(number, [...(changes.get(number) ?? []), rename]);
    if (!text) return;
    const by = { login: caller.login, bot: caller.kind !== 'person' };
    edits.set(String(present.node_id), { at: new Date().toISOString(), by });
  }

  return {
    lastEdit: (nodeId) => edits.get(nodeId),

    async answer(call) {
      const edited = call.method === 'PATCH' && matchPath('/repos/:owner/:repo/issues/:number', call.path);
      if (edited) await noteEdit(edited.number ?? '', call);
      return undefined;
    },

    fixAnswer({ path }, answer) {
      const asked = matchPath('/repos/:owner/:repo/issues/:number/events', path);
      if (!asked || answer.status !== 200) return answer;
      const renames = [...(changes.get(asked.number ?? '') ?? [])];
      const body = (answer.body as Json[]).flatMap((event) => {
        if (event.event === 'opened') return [];
        const rename = event.event === 'edited' ? renames.shift() : undefined;
        if (event.event === 'edited' && !rename) return [];
        return [describeEvent(event, rename, apps)];
      });
      return { ...answer, body };
    },
  };
}

function describeEvent(event: Json, rename: Rename | undefined, apps: ReadonlyMap<string, Json>): Json {
  const { id, node_id, url, actor, commit_id, commit_url, created_at, label } = event;
  const { login } = (actor ?? {}) as { login?: string };
  return {
    ...{ id, node_id, url, actor, commit_id, commit_url, created_at },
    event: rename ? 'renamed' : event.event,
    performed_via_github_app: apps.get(login ?? '') ?? null,
    ...(label ? { label } : {}),
    ...(rename && { rename }),
    ...(event.event === 'locked' && { lock_reason: null }),
  };
}
