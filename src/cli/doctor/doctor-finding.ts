/** One result of `autobuild doctor --repo`. A hint blocks nothing. `unknown` means that it could not be examined. */
export interface Finding {
  check: string;
  status: 'ok' | 'problem' | 'hint' | 'unknown';
  message: string;
  remedy?: string;
}

const SIGNS = { ok: '✓', problem: '✗', hint: '!', unknown: '?' } as const;

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message };
}

export function problem(check: string, message: string, remedy: string): Finding {
  return { check, status: 'problem', message, remedy };
}

export function hint(check: string, message: string, remedy: string): Finding {
  return { check, status: 'hint', message, remedy };
}

export function unknown(check: string, message: string, remedy: string): Finding {
  return { check, status: 'unknown', message, remedy };
}

export function hasProblem(findings: Finding[]): boolean {
  return findings.some(({ status }) => status === 'problem');
}

export function renderFindings(repository: string, findings: Finding[]): string[] {
  const lines = findings.flatMap(({ status, message, remedy }) => [
    `${SIGNS[status]} ${message}`,
    ...(remedy ? [`  ${remedy}`] : []),
  ]);
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const told = problems === 1 ? '1 problem' : `${problems} problems`;
  return [...lines, '', problems === 0 ? `${repository} is ready.` : `${repository} has ${told}.`];
}
