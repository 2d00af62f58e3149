import { userError } from '../../core/error-catalogue.ts';
import { usage } from '../options.ts';
import { packageFile } from '../package/package-file.ts';

const ACTION = /^[A-Za-z0-9][\w-]*\/[\w.-]+@[\w][\w./-]*$/;

/** The action that was named, or the one that this package was released with. */
export function chooseAction(given: string | undefined, released = releasedAction()): string {
  if (given !== undefined) {
    if (ACTION.test(given)) return given;
    throw usage(
      '--action takes OWNER/REPO@COMMIT, such as acme/autobuild@ and 40 digits, or a version as @v1.2.3.',
    );
  }
  if (released === undefined) throw userError('action_unknown');
  return released;
}

/** A release writes it into the package.json of its bundle. */
function releasedAction(): string | undefined {
  return (JSON.parse(packageFile('package.json')) as { action?: string }).action;
}
