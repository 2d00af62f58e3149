import type { ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

export function readArguments<Known extends Options = Record<never, never>>(
  usage: string,
  options?: Known,
  most?: number,
): ReturnType<typeof parseArgs<{ options: Known; allowPositionals: true }>>;
