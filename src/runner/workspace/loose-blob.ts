import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { blobName } from './stand-in.ts';

/** Writes one small blob as git stores it, without a process for each. */
export async function writeLooseBlob(gitDir: string, text: string): Promise<string> {
  const id = blobName(text);
  const dir = join(gitDir, 'objects', id.slice(0, 2));
  const temporary = join(gitDir, 'objects', `tmp_obj_${id}`);
  await mkdir(dir, { recursive: true });
  await writeFile(temporary, deflateSync(`blob ${Buffer.byteLength(text)}\0${text}`), {
    mode: 0o444,
    flag: 'w',
  });
  await rename(temporary, join(dir, id.slice(2)));
  return id;
}
