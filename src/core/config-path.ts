/** The settings of a repository, from its top. */
export const CONFIG_PATH = '.github/autobuild.yml';
