import { usage } from '../options.ts';

/** The address of an App. Plain characters only, because it becomes part of a workflow file. */
export function readDesk(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = /^https?:\/\/[\w.:[\]/-]+$/.test(text);
  if (url && isPlain && !url.username && !url.search && !url.hash) return url.href.replace(/\/$/, '');
  throw usage('--desk takes the address of the App, such as https://autobuild.example.com.');
}
