import { cliEnvironment } from './cli-programs.ts';
import { serveGemini } from './model-servers/gemini.ts';
import { servingTurns } from './run-case.ts';
import { testRuns } from './run-stories.ts';

const cli = cliEnvironment('gemini');

testRuns({
  name: 'gemini',
  serve: servingTurns(serveGemini, {
    write: ({ absolute }) => ({
      name: 'write_file',
      input: { file_path: absolute, content: 'written\n' },
    }),
    run: (command) => ({ name: 'run_shell_command', input: { command } }),
  }),
  environment: ({ url }) => ({
    ...cli,
    GEMINI_API_KEY: 'scripted-key',
    GEMINI_MODEL: 'gemini-2.5-pro',
    GOOGLE_GEMINI_BASE_URL: url,
  }),
  badRequest: { status: 400, type: 'INVALID_ARGUMENT', message: 'the request is bad' },
  badKey: {
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: 'API key not valid. Please pass a valid API key.',
  },
  badKeyTold: 'API key not valid. Please pass a valid API key.',
  tokens: { input: 1000, output: 50 },
  tellsCost: false,
});
