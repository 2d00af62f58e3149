import { describe, expect, it } from 'vitest';
import { parseComment } from '../../../src/commands/parse-comment.ts';

const base = { name: 'continue', new_approach: false };

describe('/continue', () => {
  it.each([
    ['/continue', {}],
    ['/continue +5', { turns: 5 }],
    ['/continue +5.', { turns: 5 }],
    ['/continue +5 turns', { turns: 5 }],
    ['/continue +10min', { minutes: 10 }],
    ['/continue +10m', { minutes: 10 }],
    ['/continue +10 min', { minutes: 10 }],
    ['/continue +10minutes', { minutes: 10 }],
    ['/continue +5 +10 MIN', { turns: 5, minutes: 10 }],
    ['/continue new-approach', { new_approach: true }],
    ['/continue new approach +5', { new_approach: true, turns: 5 }],
    ['/continue New–Approach', { new_approach: true }],
    ['/continue +5\u00a0new-approach', { new_approach: true, turns: 5 }],
    [
      '/continue agent=codex new-approach +10min +5',
      { agent: 'codex', new_approach: true, minutes: 10, turns: 5 },
    ],
    ['/continue agent=“codex”', { agent: 'codex' }],
    ['/continue +100 +600min', { turns: 100, minutes: 600 }],
    ['/continue\nThank you', {}],
  ])('C-4: %s', (text, expected) => {
    expect(parseComment(text)).toEqual({ kind: 'command', command: { ...base, ...expected } });
  });

  it.each([
    ['/continue +0', '`+0`', '1 to 100'],
    ['/continue +101', '`+101`', '1 to 100'],
    ['/continue +1000000', '`+1000000`', '1 to 100'],
    ['/continue +0min', '`+0min`', '1 to 600'],
    ['/continue +601 min', '`+601min`', '1 to 600'],
    ['/continue +-3', '`+-3`', '`+1` to `+100`'],
    ['/continue +1.5', '`+1.5`', '`+1` to `+100`'],
    ['/continue +5 +6', 'turns', 'twice'],
    ['/continue faster', '`faster`', '`new-approach`'],
    ['/continue agent=', '`agent=`', 'name of an agent'],
    ['/continue agent=../x', '`agent=`', 'name of an agent'],
    ['/continue agent=My.Agent', '`agent=`', 'small letters, digits and dashes'],
    ['/continue agent=a agent=b', '`agent=`', 'twice'],
  ])('replies to %s with the value and what is allowed', (text, value, allowed) => {
    const parsed = parseComment(text);
    expect(parsed.kind).toBe('reply');
    expect(parsed).toHaveProperty('problem', expect.stringContaining(value));
    expect(parsed).toHaveProperty('problem', expect.stringContaining(allowed));
    expect(parsed).toHaveProperty('suggestion', expect.stringMatching(/^\/continue /));
  });

  it('suggests the plus that is missing', () => {
    expect(parseComment('/continue 5')).toMatchObject({ kind: 'reply', suggestion: '/continue +5' });
  });

  it('does not repeat what may be a secret', () => {
    expect(JSON.stringify(parseComment('/continue key=hunter2'))).not.toContain('hunter2');
    expect(JSON.stringify(parseComment('/continue sk_live_0123456789abcdef'))).not.toContain('sk_live');
  });
});
