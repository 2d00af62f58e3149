import { UserError, userError } from '../core/error-catalogue.ts';
import { SchemaError } from './hosted/migrate.ts';
import { SealError } from './seal.ts';

const MAX_CAUSES = 5;
const POSTGRES_PORT = '5432';

/** Explains to the operator why the store could not be opened, with its name and without a stack. Bugs are not explained. */
export function explainUnopened(
  error: unknown,
  { databaseUrl, file }: { databaseUrl?: string; file?: string },
): unknown {
  if (error instanceof UserError) return error;
  if (error instanceof SchemaError || error instanceof SealError)
    return userError('store_unusable', { problem: error.message });
  const source = sourceOf(error);
  if (!source) return error;
  if (databaseUrl) {
    const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined;
    const address = url?.host
      ? `${url.hostname}:${url.port || POSTGRES_PORT}`
      : 'the address in DATABASE_URL';
    const problem = hidePassword(source, url?.password ?? '');
    return userError('postgres_unreachable', { address, problem });
  }
  return userError('database_file_unusable', { file: file ?? '', problem: source });
}

/** The message of the system or the database. Errors without a code are bugs of ours. */
function sourceOf(error: unknown): string | undefined {
  let found: string | undefined;
  let at: unknown = error;
  for (let depth = 0; at instanceof Error && depth < MAX_CAUSES; depth += 1) {
    // Node tries every address of a host name and reports all failures.
    const inner = at instanceof AggregateError ? at.errors[0] : at;
    if (inner instanceof Error && ('code' in inner || found !== undefined || 'status' in inner))
      found = inner.message.replace(/\.$/, '');
    at = at.cause;
  }
  return found;
}

function hidePassword(text: string, password: string): string {
  const forms = [password, decode(password)].filter((form) => form !== '');
  return forms.reduce((hidden, form) => hidden.replaceAll(form, '***'), text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
