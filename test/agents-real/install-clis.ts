import { installClis } from './installed-cli.ts';

/** Before any test: two of them must not install the same program at the same time. */
export function setup(): void {
  installClis();
}
