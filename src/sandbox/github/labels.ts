import { type Call, type Gap, type Json, matchPath, type Upstream } from './gap.ts';

/** emulate's webhooks have only a label's name and colour. GitHub treats `Bug` and `bug` as one label. */
export function createLabels(repositoryUrl: string, repository: string, upstream: Upstream): Gap {
  /** Replaces names by the spelling they were created with. */
  async function respell(names: string[]): Promise<string[]> {
    const { body } = await upstream('GET', `${repository}/labels?per_page=100`);
    const made = (body as { name: string }[]).map(({ name }) => name);
    return names.map((name) => made.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name);
  }

  return {
    async answer(call) {
      const names = namesIn(call);
      if (names) writeNames(call, await respell(names));
      return undefined;
    },

    fixPayload(event, payload) {
      if (event !== 'issues' || !payload.label) return payload;
      const label = payload.label as Json;
      const { labels = [] } = payload.issue as { labels?: Json[] };
      const whole = labels.find(({ name }) => name === label.name);
      return { ...payload, label: whole ?? completeLabel(label, repositoryUrl) };
    },
  };
}

/** A list's filter is not changed, because nothing says that GitHub accepts another spelling there. */
function namesIn({ method, path, body }: Call): string[] | undefined {
  if (method === 'POST' && matchPath('/repos/:owner/:repo/issues/:number/labels', path))
    return body.labels as string[];
  const named =
    matchPath('/repos/:owner/:repo/issues/:number/labels/:name', path) ??
    matchPath('/repos/:owner/:repo/labels/:name', path);
  return named?.name === undefined ? undefined : [named.name];
}

function writeNames(call: Call, names: string[]): void {
  if (call.method === 'POST') call.body.labels = names;
  else call.path = call.path.replace(/[^/]*$/, encodeURIComponent(names[0] ?? ''));
}

/** A removed label is no longer in the issue's list. */
function completeLabel(label: Json, repositoryUrl: string): Json {
  const name = String(label.name);
  return {
    id: [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 2 ** 31, 7),
    node_id: `LA_${Buffer.from(name).toString('base64url')}`,
    url: `${repositoryUrl}/labels/${encodeURIComponent(name)}`,
    description: null,
    default: false,
    ...label,
  };
}
