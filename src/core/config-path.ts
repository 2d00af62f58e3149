/** The settings of a repository, from its top. */
export const CONFIG_PATH = '.github/autobuild.yml';

/** The file name by which GitHub's API finds the workflow. */
export const WORKFLOW_FILE = 'autobuild.yml';
export const WORKFLOW_PATH = `.github/workflows/${WORKFLOW_FILE}`;
