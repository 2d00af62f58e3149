import type { GitHub } from '../core/ports/github-port.ts';
import { type Client, orUndefined } from './client/client.ts';

type Methods = Pick<GitHub, 'minimizeComment' | 'lastEdit' | 'reactToReview'>;

const MINIMIZE = `mutation ($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;

const LAST_EDIT = `query ($id: ID!) {
  node(id: $id) {
    ... on Comment { lastEditedAt editor { __typename login } }
  }
}`;

const REACT = `mutation ($id: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $id, content: $content }) { reaction { content } }
}`;

interface LastEdit {
  node: { lastEditedAt?: string | null; editor?: { __typename: string; login: string } | null } | null;
}

/** Calls that REST does not have: minimising a comment, finding who edited a text, reacting to a review. */
export function createCommentHistoryMethods({ graphql }: Client): Methods {
  return {
    async minimizeComment(nodeId) {
      await orUndefined(graphql(MINIMIZE, { id: nodeId }));
    },

    async reactToReview(nodeId, reaction) {
      await orUndefined(graphql(REACT, { id: nodeId, content: reaction.toUpperCase() }));
    },

    async lastEdit(nodeId) {
      const answer = await orUndefined(graphql<LastEdit>(LAST_EDIT, { id: nodeId }));
      // Null means never edited. A missing field means that GitHub does not say.
      if (answer?.node?.lastEditedAt === undefined) return undefined;
      const { lastEditedAt, editor } = answer.node;
      // GraphQL omits the `[bot]` suffix that REST and webhooks add to Apps.
      const by = editor?.__typename === 'Bot' ? `${editor.login}[bot]` : editor?.login;
      return { ...(lastEditedAt && { at: lastEditedAt }), ...(by && { by }) };
    },
  };
}
