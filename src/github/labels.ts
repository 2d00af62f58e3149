import type { GitHub } from '../core/ports/github-port.ts';
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

  return {
    async changeLabels(issue, { add, remove }) {
      const wanted = remove.length > 0 ? await find(add) : undefined;
      if (wanted) {
        const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
        const { data } = await request(route, { issue_number: issue });
        const removed = data.labels.flatMap((label) =>
          typeof label === 'object' && remove.some((name) => isSameLabel(name, label.name ?? ''))
            ? (label.node_id ?? [])
            : [],
        );
        await graphql(CHANGE, { issue: data.node_id, added: [wanted.node_id], removed });
        return;
      }
      // A label that the repository does not have is made by this.
      await request('POST /repos/{owner}/{repo}/issues/{issue_number}/labels', {
        issue_number: issue,
        labels: [add],
      });
      for (const label of remove) await removeLabel(issue, label);
    },

    labelExists: async (name) => (await find(name)) !== undefined,

    removeLabel,
  };
}
