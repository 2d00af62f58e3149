import type { Publication } from '../../core/ports/publications.ts';

/** Whether no value that people gave was found in the work with this digest. */
export function isFreeOfSecrets({ free_of_secrets = '' }: Publication, digest: string): boolean {
  return free_of_secrets.split(' ').includes(digest);
}

/**
 * The same files are stored on another commit next. Both digests count, because the desk may fail before they are stored, and
 * the values may be deleted by the time of the next try.
 */
export function alsoFreeOfSecrets(stored: string, next: string): Pick<Publication, 'free_of_secrets'> {
  return { free_of_secrets: [...new Set([stored, next])].join(' ') };
}
