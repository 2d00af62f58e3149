import type { Gap, Json } from './gap.ts';

/** In the webhooks of emulate a label is only its name and colour. */
export function createLabels(repositoryUrl: string): Gap {
  return {
    mendPayload(event, payload) {
      if (event !== 'issues' || !payload.label) return payload;
      const label = payload.label as Json;
      const { labels = [] } = payload.issue as { labels?: Json[] };
      const whole = labels.find(({ name }) => name === label.name);
      return { ...payload, label: whole ?? completeLabel(label, repositoryUrl) };
    },
  };
}

/** One that was taken off is no longer among the issue's. */
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
