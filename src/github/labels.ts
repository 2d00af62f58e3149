import { type GitHub, GitHubError } from '../core/ports/github-port.ts';
import { isSameLabel } from '../core/same-label.ts';
import { type Client, orUndefined } from './client/client.ts';

type Methods = Pick<GitHub, 'changeLabels' | 'removeLabel' | 'labelExists'>;

const CHANGE = `mutation ($issue: ID!, $added: [ID!]!, $removed: [ID!]!) {
  addLabelsToLabelable(input: { labelableId: $issue, labelIds: $added }) { clientMutationId }
  removeLabelsFromLabelable(input: { labelableId: $issue, labelIds: $removed }) { clientMutationId }
}`;

export function createLabelMethods({ request, graphql }: Client): Methods {
  const find = async (name: string) =>
    (await orUndefined(request('GET /repos/{owner}/{repo}/labels/{name}', { name })))?.data;

  async function removeLabel(issue: number, label: string): Promise<void> {
    await orUndefined(
      request('DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}', {
        issue_number: issue,
        name: label,
      }),
    );
  }

  async function changeAtOnce(
    issue_number: number,
    wanted: string,
    remove: readonly string[],
  ): Promise<Record<string, string>> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
    const { data } = await request(route, { issue_number });
    const present = idsIn(data.labels);
    const isRemoved = (label: string) => remove.some((name) => isSameLabel(name, label));
    const removed = Object.entries(present).flatMap(([label, id]) => (isRemoved(label) ? id : []));
    await graphql(CHANGE, { issue: data.node_id, added: [wanted], removed });
    return present;
  }

  return {
    async changeLabels(issue, { add, remove, ids = {}, isSparing = false }) {
      const known = remove.length > 0 ? ids[add] : undefined;
      if (known !== undefined) {
        const done = await changeAtOnce(issue, known, remove).catch((error: unknown) => {
          // The label may have been deleted and made again since. Calls while GitHub asks us to wait make it last longer.
          if (!(error instanceof GitHubError) || error.retryAfter !== undefined) throw error;
          return undefined;
        });
        if (done) return { ...done, [add]: known };
      }
      const wanted = remove.length > 0 && !isSparing ? await find(add) : undefined;
      if (wanted) return { ...(await changeAtOnce(issue, wanted.node_id, remove)), [add]: wanted.node_id };
      // A label that the repository does not have is made by this.
      const { data } = await request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        issue_number: issue,
        labels: [add],
      });
      for (const label of remove) await removeLabel(issue, label);
      return idsIn(data);
    },

    labelExists: async (name) => (await find(name)) !== undefined,

    removeLabel,
  };
}

function idsIn(labels: readonly (string | { name?: string; node_id?: string })[]): Record<string, string> {
  const entries = labels.flatMap((label) =>
    typeof label === 'object' && label.name && label.node_id ? [[label.name, label.node_id]] : [],
  );
  return Object.fromEntries(entries);
}
