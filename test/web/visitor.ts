/** A browser without scripts: keeps cookies, follows redirects, and fills in forms as people do. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #desk: { url: string };

  constructor(desk: { url: string }) {
    this.#desk = desk;
  }

  /** Sends one request, and keeps the cookies of its answer. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(cookie ? { cookie } : {}), ...(init.headers as Record<string, string>) };
    const response = await fetch(`${this.#desk.url}${path}`, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  async signIn(login: string, to = '/runs'): Promise<Response> {
    const started = await this.ask(`/auth/sign-in?to=${encodeURIComponent(to)}`);
    const state = new URL(started.headers.get('location') ?? '').searchParams.get('state');
    return this.ask(`/auth/callback?code=${login}&state=${state}`);
  }

  async read(path: string): Promise<string> {
    return (await this.ask(path)).text();
  }

  /** Sends the first form of a page that has all these fields. What is not named keeps its value. */
  async send(page: string, fields: Record<string, string>): Promise<Response> {
    const forms = [...page.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
    const form = forms.find(([, , inner = '']) =>
      Object.keys(fields).every((name) => inner.includes(`name="${name}"`)),
    );
    if (!form) throw new Error(`no form has ${Object.keys(fields).join(', ')}`);
    const [, action = '', inner = ''] = form;
    const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']): [string, string] => [name, value]),
      ...Object.entries(fields),
    ]);
    return this.ask(action, { method: 'POST', body });
  }
}
