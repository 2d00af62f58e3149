/** The commit that a ref points to, with a one-line message and a flat tree. */
export interface RefTip {
  oid: string;
  message: string;
  /** Name of each entry → the id of its blob. */
  entries: Record<string, string>;
}

/** One change of a ref. */
interface RefChange {
  message: string;
  /** The whole of the new tree: new bytes, or a blob that is there already. */
  entries: Record<string, Uint8Array | { oid: string }>;
  /** The history may be dropped, where the storage can do that with compare-and-swap. Otherwise it stays. */
  withoutHistory?: boolean;
}

/** Small trees on refs of a repository, changed by compare-and-swap. A ref is named in full: `refs/…`. */
export interface RefStorage {
  /** Undefined if there is no such ref. */
  read(ref: string): Promise<RefTip | undefined>;
  blob(oid: string): Promise<Uint8Array>;
  /**
   * Moves the ref from `before` (undefined: there is no ref yet) to a new commit. Undefined if the ref moved meanwhile; nothing
   * is changed then.
   */
  swap(
    ref: string,
    before: string | undefined,
    change: RefChange,
  ): Promise<Pick<RefTip, 'oid' | 'entries'> | undefined>;
  /** All refs whose names begin like this. */
  list(prefix: string): Promise<string[]>;
  /** False if the ref is not at `before`; nothing is removed then. A ref that is not there counts as removed. */
  remove(ref: string, before: string): Promise<boolean>;
}
