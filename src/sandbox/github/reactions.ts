import { describeAccount, type Gap, type Json, matchPath, refuse, type Upstream } from './gap.ts';

const CONTENTS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];

interface Reaction extends Json {
  id: number;
  content: string;
  user: Json;
}

export interface ReactionGap extends Gap {
  of(commentId: number): { content: string; login: string }[];
}

/** emulate has no reactions. */
export function createReactions(upstream: Upstream): ReactionGap {
  const reactions = new Map<number, Reaction[]>();
  let next = 1;
  return {
    of: (id) =>
      (reactions.get(id) ?? []).map(({ content, user }) => ({ content, login: String(user.login) })),
    async answer({ method, path, body, caller }) {
      const asked = matchPath('/repos/:owner/:repo/issues/comments/:id/reactions', path);
      if (!asked || caller.kind === 'app') return undefined;
      const id = Number(asked.id);
      const comment = await upstream('GET', path.replace(/\/reactions$/, ''));
      if (comment.status !== 200) return refuse(404, 'Not Found');
      const present = reactions.get(id) ?? [];
      if (method === 'GET') return { status: 200, body: present };
      if (method !== 'POST') return undefined;
      if (!CONTENTS.includes(String(body.content))) return refuse(422, 'Validation Failed');
      const again = present.find(
        ({ content, user }) => content === body.content && user.login === caller.login,
      );
      if (again) return { status: 200, body: again };
      const user = await describeAccount(upstream, caller.login);
      const reaction: Reaction = {
        id: next,
        node_id: `R_${next}`,
        user: user ?? {},
        content: String(body.content),
        created_at: new Date().toISOString(),
      };
      next += 1;
      reactions.set(id, [...present, reaction]);
      return { status: 201, body: reaction };
    },
  };
}
