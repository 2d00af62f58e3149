import type { GitHub } from '../core/github-port.ts';
import { type Client, orUndefined } from './client.ts';

type Methods = Pick<GitHub, 'minimizeComment' | 'lastEditor' | 'reactToReview'>;

const MINIMIZE = `mutation ($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;

const LAST_EDITOR = `query ($id: ID!) {
  node(id: $id) {
    ... on IssueComment { editor { __typename login } }
    ... on PullRequest { editor { __typename login } }
  }
}`;

const REACT = `mutation ($id: ID!, $content: ReactionContent!) {
  addReaction(input: { subjectId: $id, content: $content }) { reaction { content } }
}`;

interface LastEditor {
  node: { editor?: { __typename: string; login: string } | null } | null;
}

/** What REST does not offer: hiding a comment, who edited one, and reactions to a review. */
export function createCommentHistoryMethods({ graphql }: Client): Methods {
  return {
    async minimizeComment(nodeId) {
      await orUndefined(graphql(MINIMIZE, { id: nodeId }));
    },

    async reactToReview(nodeId, reaction) {
      await orUndefined(graphql(REACT, { id: nodeId, content: reaction.toUpperCase() }));
    },

    async lastEditor(nodeId) {
      const answer = await orUndefined(graphql<LastEditor>(LAST_EDITOR, { id: nodeId }));
      const editor = answer?.node?.editor;
      if (!editor) return undefined;
      // GraphQL leaves out the suffix that REST and webhooks give to Apps.
      return editor.__typename === 'Bot' ? `${editor.login}[bot]` : editor.login;
    },
  };
}
