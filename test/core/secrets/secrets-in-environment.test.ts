import { expect, test } from 'vitest';
import { secretsInEnvironment } from '../../../src/core/secrets/secrets-in-environment.ts';

test('S-13: variables whose name is a credential’s hold secrets, those that say where it is do not', () => {
  const secrets = {
    ANTHROPIC_API_KEY: 'value-1',
    GH_TOKEN: 'value-2',
    DB_PASSWORD: 'value-3',
    CLIENT_SECRET: 'value-4',
    npm_config__auth: 'value-5',
    AWS_SECRET_ACCESS_KEY: '/value-6/with/slashes',
    PGPASSWORD: 'value-7',
    SMTP_PASS: 'value-8',
    MYSQL_PWD: 'value-9',
    CLIENTSECRET: 'value-10',
    SIGNING_PASSPHRASE: 'value-11',
  };
  const others = {
    PATH: '/usr/bin',
    EDITOR: 'vim',
    KEYBOARD: 'no',
    PWD: '/home/me/project',
    OLDPWD: '/home/me/other',
    GIT_ASKPASS: '/usr/bin/ask',
    COMPASS: 'north-by-west',
    SSH_AUTH_SOCK: '/tmp/ssh/agent',
    TOKEN_FILE: '/run/token',
    GOOGLE_APPLICATION_CREDENTIALS: '/home/me/key.json',
    EMPTY_KEY: '',
  };
  expect(secretsInEnvironment({ ...others, ...secrets })).toEqual(Object.values(secrets));
});
