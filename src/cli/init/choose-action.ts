import { userError } from '../../core/error-catalogue.ts';
import { usage } from '../options.ts';
import { packageFile } from '../package/package-file.ts';
import { quoteWord } from '../package/quote-word.ts';

const ACTION = /^(?<owner>[A-Za-z0-9][\w-]*)\/[\w.-]+@(?<version>[\w][\w./-]*)$/;
/** Documentation has them where everybody has to write their own. */
const PLACEHOLDER_OWNERS = ['YOUR_ORGANISATION', 'OWNER'];
const PLACEHOLDER_VERSION = 'COMMIT';
/** GitHub runs an action by its whole commit, a tag or a branch. */
const SHORT_COMMIT = /^[0-9a-f]{7,39}$/i;

/** The action that was named, or the one that this package was released with. `argv`: the command line, to be repeated with one. */
export function chooseAction(
  given: string | undefined,
  released = releasedAction(),
  argv: readonly string[] = ['init'],
): string {
  if (given !== undefined) {
    const { owner, version } = ACTION.exec(given)?.groups ?? {};
    if (!owner || !version)
      throw usage(
        '--action takes OWNER/REPO@COMMIT, such as acme/autobuild@ and 40 digits, or a version as @v1.2.3.',
      );
    if (PLACEHOLDER_OWNERS.includes(owner) || version === PLACEHOLDER_VERSION)
      throw usage(
        `--action ${given} is the example. OWNER/REPO@COMMIT is your copy of Autobuild and the commit of its release, all 40 digits; in that copy, node scripts/release.mjs makes it.`,
      );
    if (SHORT_COMMIT.test(version))
      throw usage(
        `--action ${given} has ${version.length} digits of a commit, and GitHub wants all 40: OWNER/REPO@COMMIT. See them with: git rev-parse ${version}`,
      );
    return given;
  }
  if (released === undefined)
    throw userError('action_unknown', { command: `autobuild ${argv.map(quoteWord).join(' ')}` });
  return released;
}

/** A release writes it into the package.json of its bundle. */
function releasedAction(): string | undefined {
  return (JSON.parse(packageFile('package.json')) as { action?: string }).action;
}
