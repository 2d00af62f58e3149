import { cliEnvironment } from './cli-programs.ts';
import { serveOpenAiChat } from './model-servers/openai-chat.ts';
import { servingTurns } from './run-case.ts';
import { testRuns } from './run-stories.ts';

const cli = cliEnvironment('copilot');

testRuns({
  name: 'copilot',
  serve: servingTurns(serveOpenAiChat, {
    write: ({ relative }) => ({
      name: 'apply_patch',
      input: { input: `*** Begin Patch\n*** Add File: ${relative}\n+written\n*** End Patch\n` },
    }),
    run: (command) => ({ name: 'bash', input: { command, description: 'a command' } }),
  }),
  environment: ({ url }) => ({
    ...cli,
    // Long: whatever it is, it is blotted out of everything the CLI prints.
    COPILOT_PROVIDER_API_KEY: 'scripted-key-0123456789',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: 'gpt-5.5',
  }),
  badRequest: { status: 400, type: 'scripted', message: 'the request is bad' },
  badKey: { status: 401, type: 'scripted', message: 'Incorrect API key provided' },
  badKeyTold: 'Incorrect API key provided',
  tokens: { input: 1000, output: 50 },
  tellsCost: false,
});
