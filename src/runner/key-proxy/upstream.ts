import { readFileSync } from 'node:fs';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { getCACertificates } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

/** Certificates that the agent itself would trust. */
const CERTIFICATE_FILES = ['SSL_CERT_FILE', 'CODEX_CA_CERTIFICATE'];
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

interface Upstream {
  request(options: Pick<RequestOptions, 'method' | 'path' | 'headers'>): ClientRequest;
  close(): void;
}

/** The one server that the key goes to, by the same web proxy and certificates that the agent would use. */
export function openUpstream({ protocol, hostname, port }: URL, env: Environment): Upstream {
  const proxyEnv = Object.fromEntries(PROXIES.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const options = { keepAlive: true, proxyEnv };
  // A name in brackets is an IPv6 address.
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'http:') {
    const agent = new HttpAgent(options);
    return {
      request: (what) => httpRequest({ ...what, host, port, agent }),
      close: () => agent.destroy(),
    };
  }
  const agent = new HttpsAgent({ ...options, ca: certificates(env) });
  return {
    request: (what) => httpsRequest({ ...what, host, port, agent, servername: host }),
    close: () => agent.destroy(),
  };
}

/** Undefined for those that Node trusts anyway. */
function certificates(env: Environment): string[] | undefined {
  const added = CERTIFICATE_FILES.flatMap((name) => readCertificates(env[name]));
  return added.length > 0 ? [...getCACertificates('default'), ...added] : undefined;
}

/** A file that cannot be read adds nothing. A server that needs it is then not trusted, and the agent is told so. */
function readCertificates(path: string | undefined): string[] {
  try {
    return path ? [readFileSync(path, 'utf8')] : [];
  } catch {
    return [];
  }
}
