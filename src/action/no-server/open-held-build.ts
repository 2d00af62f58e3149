import { parseJson } from '../../core/parse-json.ts';
import { HeldBrief } from '../../core/ports/held-brief.ts';
import { openOctokit } from '../../github/client/open-octokit.ts';
import { createRefStorage } from '../../github/ref-storage.ts';
import { deriveJobKey } from '../../store/ref/keys.ts';
import { readRefEntry } from '../../store/ref/read-ref-entry.ts';
import { createSealer, type Sealer } from '../../store/seal.ts';

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
  /** owner/name */
  repository: string;
  issue: number;
  operation: string;
  modelKey: string;
}): Promise<HeldBuild | undefined> {
  const { repository, issue } = options;
  const [owner = '', repo = ''] = repository.split('/');
  const storage = createRefStorage(openOctokit({ apiUrl: options.apiUrl, token: options.token }), {
    owner,
    repo,
  });
  const jobKey = deriveJobKey({ modelKey: options.modelKey, repository });
  const read = (name: 'brief' | 'checkpoint') => readRefEntry({ storage, repository, issue, jobKey, name });
  const brief = await read('brief');
  if (!brief) return undefined;
  const held = HeldBrief.parse(parseJson(Buffer.from(brief).toString('utf8')));
  if (held.operation !== options.operation) return undefined;
  return { held, checkpoint: await read('checkpoint'), sealer: createSealer(jobKey) };
}
