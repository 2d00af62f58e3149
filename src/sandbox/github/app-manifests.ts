import { randomBytes } from 'node:crypto';
import type { appManifest } from '../../core/app-manifest.ts';
import { type Answer, type Gap, type Json, matchPath, refuse } from './gap.ts';

const PAGES = ['/settings/apps/new', '/organizations/:org/settings/apps/new'];

interface AppManifests extends Gap {
  /** GitHub's page for a manifest. A person would confirm the name there; here it is taken at once. Undefined for other pages. */
  openPage(path: string, query: URLSearchParams, form: URLSearchParams): Answer | undefined;
}

/** emulate registers no Apps. Every manifest becomes the App of this GitHub, whose key is known. */
export function createAppManifests(app: {
  described: Json;
  privateKey: string;
  webhookSecret: string;
}): AppManifests {
  const codes = new Map<string, Json>();
  return {
    openPage(path, query, form) {
      if (!PAGES.some((page) => matchPath(page, path))) return undefined;
      const manifest = JSON.parse(form.get('manifest') ?? 'null') as ReturnType<typeof appManifest> | null;
      if (!manifest?.redirect_url || !manifest.hook_attributes?.url)
        return refuse(422, 'The manifest is not valid');
      if (manifest.name === 'Taken') return refuse(422, 'Name is already in use');
      const code = randomBytes(20).toString('hex');
      codes.set(code, { name: manifest.name });
      const to = new URL(manifest.redirect_url);
      to.searchParams.set('code', code);
      to.searchParams.set('state', query.get('state') ?? '');
      return { status: 302, headers: { location: to.href } };
    },
    answer({ method, path }) {
      const found = method === 'POST' ? matchPath('/app-manifests/:code/conversions', path) : undefined;
      if (!found) return undefined;
      const named = codes.get(found.code ?? '');
      // A code works once.
      if (!named || !codes.delete(found.code ?? '')) return refuse(404, 'Not Found');
      return {
        status: 201,
        body: {
          ...app.described,
          ...named,
          client_id: 'Iv1.8a61f9b3a7aba766',
          client_secret: randomBytes(20).toString('hex'),
          webhook_secret: app.webhookSecret,
          pem: app.privateKey,
        },
      };
    },
  };
}
