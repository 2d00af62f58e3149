import { describe, expect, it } from 'vitest';
import { renderEscalation } from '../../../src/comments/github/render-escalation.ts';
import { QUESTIONS, question, waiting } from '../questions.ts';
import { WHERE } from '../story.ts';

describe('questions as GitHub comments', () => {
  it.each(Object.keys(QUESTIONS))('%s looks as its golden file', async (name) => {
    const asked = question(name);
    const markdown = renderEscalation(waiting(name), asked, { ...WHERE, op: `r4x9k2.${asked.id}` });
    await expect(`${markdown}\n`).toMatchFileSnapshot(
      `../../golden/comments/${name.replaceAll('_', '-')}.md`,
    );
  });
});
