/** A repository, by its id and as `owner/name`. */
export interface NamedRepository {
  id: number;
  name: string;
}

/**
 * The texts that bind keys and codes to a repository. The first one is in use: the id stays when the repository is renamed or
 * transferred, and a new repository of the same name has another one. The second one is of older versions.
 */
export function bindingsOf({ id, name }: NamedRepository): readonly [string, string] {
  return [String(id), name.toLowerCase()];
}
