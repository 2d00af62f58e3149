import { type Gap, type Json, matchPath } from './gap.ts';

/** emulate does not return a check run's App. Here every check run belongs to our App. */
export function createCheckRuns(app: Json): Gap {
  const complete = (run: Json): Json => ({
    ...run,
    app,
    output: { annotations_url: `${run.url}/annotations`, ...(run.output as Json) },
  });
  return {
    fixAnswer({ path }, answer) {
      if (answer.status >= 300) return answer;
      if (matchPath('/repos/:owner/:repo/commits/:ref/check-runs', path)) {
        const { check_runs, ...rest } = answer.body as { check_runs: Json[] };
        return { ...answer, body: { ...rest, check_runs: check_runs.map(complete) } };
      }
      const one =
        matchPath('/repos/:owner/:repo/check-runs', path) ??
        matchPath('/repos/:owner/:repo/check-runs/:id', path);
      return one ? { ...answer, body: complete(answer.body as Json) } : answer;
    },
  };
}
