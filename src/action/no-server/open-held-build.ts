import type { NamedRepository } from '../../core/bindings-of.ts';
import { UserError } from '../../core/error-catalogue.ts';
import { parseJson } from '../../core/parse-json.ts';
import { HeldBrief } from '../../core/ports/held-brief.ts';
import { openOctokit } from '../../github/client/open-octokit.ts';
import { createRefStorage } from '../../github/ref-storage.ts';
import { deriveBriefKey } from '../../store/ref/keys.ts';
import { readRefEntries } from '../../store/ref/read-ref-entries.ts';
import { createSealer, type Sealer } from '../../store/seal.ts';
import { ActionError } from '../action-error.ts';

interface HeldBuild {
  held: HeldBrief;
  checkpoint?: Uint8Array;
  /** Seals what this job leaves for the desk. */
  sealer: Sealer;
}

/** Reads the brief that the desk left on the ref of the issue. Undefined if there is none for this operation any more. */
export async function openHeldBuild(options: {
  apiUrl: string;
  token: string;
  repository: NamedRepository;
  issue: number;
  operation: string;
  modelKey: string;
  /** Told why the checkpoint cannot be opened. It then counts as none. */
  onUnreadable(why: string): void;
}): Promise<HeldBuild | undefined> {
  const { repository, issue } = options;
  const [owner = '', repo = ''] = repository.name.split('/');
  const storage = createRefStorage(openOctokit({ apiUrl: options.apiUrl, token: options.token }), {
    owner,
    repo,
  });
  const entries = await readRefEntries({ storage, repository, issue });
  const brief = await entries
    .open('brief', deriveBriefKey({ modelKey: options.modelKey, repository }))
    .catch(explainBrief);
  if (!brief) return undefined;
  const held = HeldBrief.parse(parseJson(Buffer.from(brief).toString('utf8')));
  if (held.operation !== options.operation) return undefined;
  const checkpoint = await entries.open('checkpoint', held.keys.checkpoint).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    options.onUnreadable(error.message);
    return undefined;
  });
  return { held, checkpoint, sealer: createSealer(held.keys.work) };
}

function explainBrief(error: unknown): never {
  if (!(error instanceof UserError)) throw error;
  throw new ActionError(
    `The brief of this job cannot be opened. Most likely the model's key was changed since the desk wrote it. ${error.message}`,
    'Nothing has to be done: the desk writes another one for the next job.',
    { cause: error },
  );
}
