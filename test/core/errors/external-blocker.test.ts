import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ExternalBlocker } from '../../../src/core/contracts/verification.ts';
import { isModelProvider } from '../../../src/core/errors/external-blocker/api-unavailable.ts';
import { findExternalBlocker } from '../../../src/core/errors/external-blocker.ts';
import { expectLinear } from '../../expect-linear.ts';

const sample = (name: string) =>
  readFileSync(new URL(`../../fixtures/test-output/${name}`, import.meta.url), 'utf8');

describe('missing_dependency', () => {
  test.each([
    ['missing dependency "lodash@4.17.21"', { name: 'lodash', version: '4.17.21' }],
    [
      'Missing dependency: @scope/pkg@1.0.0 required by src/a.ts',
      { name: '@scope/pkg', version: '1.0.0', required_by: 'src/a.ts' },
    ],
    [
      "Error: Cannot find module 'lodash'\nRequire stack:\n- /home/dev/demo/src/a.js",
      { name: 'lodash', required_by: '/home/dev/demo/src/a.js' },
    ],
    ["Error: Cannot find module 'lodash/fp'", { name: 'lodash' }],
    [
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /home/dev/demo/src/a.js",
      { name: '@a/b', required_by: '/home/dev/demo/src/a.js' },
    ],
    [
      "src/a.ts(1,20): error TS2307: Cannot find module 'left-pad' or its corresponding type declarations.",
      { name: 'left-pad', required_by: 'src/a.ts' },
    ],
    [
      'Failed to resolve import "dayjs" from "src/date.ts". Does the file exist?',
      { name: 'dayjs', required_by: 'src/date.ts' },
    ],
    ["Module not found: Error: Can't resolve 'react' in '/home/dev/demo/src'", { name: 'react' }],
    [
      '✘ [ERROR] Could not resolve "preact"\n\n    src/app.tsx:1:20:',
      { name: 'preact', required_by: 'src/app.tsx' },
    ],
    [
      'npm error code ETARGET\nnpm error notarget No matching version found for lodash@4.17.99.',
      { name: 'lodash', version: '4.17.99' },
    ],
    ["npm error 404  'nosuch@1.0.0' is not in this registry.", { name: 'nosuch', version: '1.0.0' }],
    [
      'npm ERR! 404 Not Found - GET https://registry.npmjs.org/@a%2fnosuch - Not found',
      { name: '@a/nosuch' },
    ],
    [
      'ERR_PNPM_NO_MATCHING_VERSION  No matching version found for is-odd@99.0.0',
      { name: 'is-odd', version: '99.0.0' },
    ],
    ['error Couldn\'t find package "nosuch" on the "npm" registry.', { name: 'nosuch' }],
    [
      'error: No version matching "99" found for specifier "is-odd" (but package exists)',
      { name: 'is-odd', version: '99' },
    ],
    ['ERROR: No matching distribution found for requests==99.1', { name: 'requests', version: '99.1' }],
    [
      'main.go:4:2: no required module provides package github.com/x/y; to add it:',
      { name: 'github.com/x/y', required_by: 'main.go' },
    ],
    ['in require: cannot load such file -- nokogiri (LoadError)', { name: 'nokogiri' }],
    ['Could not find rails-7.0.1 in any of the sources', { name: 'rails', version: '7.0.1' }],
    ['> Could not find com.acme:widgets:1.2.3.', { name: 'com.acme:widgets', version: '1.2.3' }],
    [
      '[ERROR] Could not find artifact com.acme:widgets:jar:1.2.3 in central',
      { name: 'com.acme:widgets', version: '1.2.3' },
    ],
    [
      'src/tls.c:1:10: fatal error: openssl/ssl.h: No such file or directory\n    1 | #include <openssl/ssl.h>',
      { name: 'openssl/ssl.h', required_by: 'src/tls.c' },
    ],
    ['/usr/bin/ld: cannot find -lssl: No such file or directory', { name: 'libssl' }],
    ['bash: line 1: terraform: command not found', { name: 'terraform' }],
    ['sh: 1: terraform: not found', { name: 'terraform' }],
    ['/bin/sh: terraform: not found', { name: 'terraform' }],
    ['zsh: command not found: terraform', { name: 'terraform' }],
    ['env: ‘ruby’: No such file or directory', { name: 'ruby' }],
    ['Error: spawn docker ENOENT', { name: 'docker' }],
  ])('E-7: %j', (output, expected) => {
    const found = findExternalBlocker(output);
    expect(found).toEqual({ kind: 'missing_dependency', ...expected });
    expect(ExternalBlocker.parse(found)).toEqual(found);
  });

  test.each([
    ['vitest-suite-not-loaded.txt', { name: 'lodash', required_by: '/home/dev/demo/src/auth.test.ts' }],
    ['pytest-not-collected.txt', { name: 'requestz', required_by: 'test_dep.py' }],
    ['python-traceback.txt', { name: 'nothere', required_by: '/home/dev/demo/run.py' }],
    ['cargo-missing-crate.txt', { name: 'serde', required_by: 'b' }],
  ])('E-7: %s as the tool printed it', (name, expected) => {
    expect(findExternalBlocker(sample(name))).toEqual({ kind: 'missing_dependency', ...expected });
  });

  test.each([
    "Error: Cannot find module './auth'",
    "Error: Cannot find module '../src/auth.js'",
    "Error: Cannot find module '/home/dev/demo/src/auth.js'",
    "Error: Cannot find module 'C:\\demo\\auth.js'",
    "src/a.ts(1,1): error TS2307: Cannot find module '@/components/x' or its corresponding type declarations.",
    "Error: Cannot find module 'src/auth'",
    "Error: Cannot find module '#internal'",
    "Error: Cannot find module '~/store'",
    "Module not found: Error: Can't resolve './x' in '/home/dev/demo/src'",
    "ModuleNotFoundError: No module named 'myapp.auth'",
    "ModuleNotFoundError: No module named 'src'",
    '  File "/home/dev/demo/tests/test_auth.py", line 1, in <module>\n    import auth\nModuleNotFoundError: No module named \'auth\'',
    'src/a.c:1:10: fatal error: own.h: No such file or directory\n    1 | #include "own.h"',
    'sh: 1: ./run.sh: not found',
    'bash: scripts/build.sh: No such file or directory',
    'cat: missing.txt: No such file or directory',
    'Error: page not found',
    ' ✓ prints "foo: command not found"',
    "AssertionError: expected 'Cannot find module \\'lodash\\'' to be ''",
    '   12 |   throw new Error("Cannot find module \'lodash\'");',
  ])('E-7: none in %j', (output) => {
    expect(findExternalBlocker(output)).toBeUndefined();
  });
});

describe('permission_denied', () => {
  test.each([
    ['cat: /etc/secrets/api-key: Permission denied', { resource: '/etc/secrets/api-key', operation: 'read' }],
    [
      "Error: EACCES: permission denied, open '/etc/secrets/api-key'",
      { resource: '/etc/secrets/api-key', operation: 'read' },
    ],
    [
      "Error: EACCES: permission denied, open '/etc/app.conf'\n    at Object.writeFileSync (node:fs:2368:20)",
      { resource: '/etc/app.conf', operation: 'write' },
    ],
    [
      "npm error Error: EACCES: permission denied, mkdir '/usr/lib/node_modules/x'",
      { resource: '/usr/lib/node_modules/x', operation: 'write' },
    ],
    ["Error: EPERM: operation not permitted, unlink '/opt/x'", { resource: '/opt/x', operation: 'write' }],
    ["Error: EACCES: permission denied, scandir '/root'", { resource: '/root', operation: 'read' }],
    ['Error: spawn /opt/tool EACCES', { resource: '/opt/tool', operation: 'execute' }],
    [
      "PermissionError: [Errno 13] Permission denied: '/etc/shadow'",
      { resource: '/etc/shadow', operation: 'unknown' },
    ],
    [
      "    with open('/etc/hosts', 'w') as f:\nPermissionError: [Errno 13] Permission denied: '/etc/hosts'",
      { resource: '/etc/hosts', operation: 'write' },
    ],
    ['open /etc/secrets/key: permission denied', { resource: '/etc/secrets/key', operation: 'read' }],
    [
      'mkdir: cannot create directory ‘/opt/x’: Permission denied',
      { resource: '/opt/x', operation: 'write' },
    ],
    ["touch: cannot touch '/opt/x': Permission denied", { resource: '/opt/x', operation: 'write' }],
    ['bash: line 1: /usr/sbin/tool: Permission denied', { resource: '/usr/sbin/tool', operation: 'execute' }],
    ['sh: 1: cannot create /etc/x: Permission denied', { resource: '/etc/x', operation: 'write' }],
    ['Errno::EACCES: Permission denied @ rb_sysopen - /etc/x', { resource: '/etc/x', operation: 'unknown' }],
    ['java.nio.file.AccessDeniedException: /etc/x', { resource: '/etc/x', operation: 'unknown' }],
    ['git@github.com: Permission denied (publickey).', { resource: 'git@github.com', operation: 'unknown' }],
    [
      'remote: Permission to acme/app.git denied to someone.',
      { resource: 'acme/app.git', operation: 'write' },
    ],
    [
      'permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: Get',
      { resource: 'unix:///var/run/docker.sock', operation: 'unknown' },
    ],
  ])('E-7: %j', (output, expected) => {
    const found = findExternalBlocker(output, { worktree: '/home/dev/demo' });
    expect(found).toEqual({ kind: 'permission_denied', ...expected });
    expect(ExternalBlocker.parse(found)).toEqual(found);
  });

  test('E-7: the command line tells a redirection from a program', () => {
    const output = 'bash: line 1: /etc/motd: Permission denied';
    expect(findExternalBlocker(output, { command: 'echo hi > /etc/motd' })).toMatchObject({
      operation: 'write',
    });
  });

  test.each([
    ' ✓ shows "Permission denied" to strangers',
    ' × cat: /etc/x: Permission denied',
    'not ok 3 - cat: /etc/x: Permission denied',
    '--- FAIL: Test_open_/etc/x:_permission_denied (0.00s)',
    "AssertionError: expected 'Permission denied' to be 'OK'",
    "Error: expected 'EACCES: permission denied, open \\'/x\\'' to equal undefined",
    '    Expected: "EACCES: permission denied, open \'/x\'"',
    "- EACCES: permission denied, open '/x'",
    "E   assert \"PermissionError: [Errno 13] Permission denied: '/x'\" == ''",
    'HTTP 403 Forbidden: permission denied https://api.acme.dev/v1',
    'the user saw: Permission denied, and left',
    'bash: ./run.sh: Permission denied',
    'sh: 1: /home/dev/demo/run.sh: Permission denied',
    'Error: spawn ./run.sh EACCES',
    'Error: spawn /home/dev/demo/node_modules/.bin/tool EACCES',
    'find: ‘/root’: Permission denied',
    'grep: /proc/1/environ: Permission denied',
    'Error: listen EACCES: permission denied 0.0.0.0:80',
  ])('E-7: none in %j', (output) => {
    expect(findExternalBlocker(output, { worktree: '/home/dev/demo' })).toBeUndefined();
  });
});

describe('api_unavailable', () => {
  test.each([
    [
      'HTTP 503 from https://api.acme.dev/v1/pay',
      { endpoint: 'https://api.acme.dev/v1/pay', status: 503, transient: false },
    ],
    [
      '< HTTP/1.1 502 Bad Gateway\nhttps://api.acme.dev/',
      { endpoint: 'https://api.acme.dev', status: 502, transient: false },
    ],
    [
      'GET https://api.acme.dev/x: 504 Gateway Timeout',
      { endpoint: 'https://api.acme.dev/x', status: 504, transient: false },
    ],
    [
      "AxiosError: Request failed with status code 503\n    at settle (x.js:1:1)\n  config: {\n    url: 'https://api.acme.dev/v1?key=s3cret',",
      { endpoint: 'https://api.acme.dev/v1', status: 503, transient: false },
    ],
    [
      'npm error 503 Service Unavailable - GET https://registry.npmjs.org/lodash',
      { endpoint: 'https://registry.npmjs.org/lodash', status: 503, transient: false },
    ],
    [
      'requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: https://user:pw@api.acme.dev/v1',
      { endpoint: 'https://api.acme.dev/v1', status: 503, transient: false },
    ],
    [
      'got 429 Too Many Requests from https://api.acme.dev/v1',
      { endpoint: 'https://api.acme.dev/v1', status: 429, transient: true },
    ],
    ['Error: getaddrinfo ENOTFOUND db.acme.dev', { endpoint: 'db.acme.dev', transient: false }],
    ['Error: getaddrinfo EAI_AGAIN db.acme.dev', { endpoint: 'db.acme.dev', transient: true }],
    ['Error: connect ECONNREFUSED 10.0.0.5:5432', { endpoint: '10.0.0.5:5432', transient: false }],
    ['Error: connect ETIMEDOUT 10.0.0.5:5432', { endpoint: '10.0.0.5:5432', transient: true }],
    [
      'Error: read ECONNRESET\n  url: "https://api.acme.dev/v1"',
      { endpoint: 'https://api.acme.dev/v1', transient: true },
    ],
    ['curl: (6) Could not resolve host: api.acme.dev', { endpoint: 'api.acme.dev', transient: false }],
    [
      'curl: (7) Failed to connect to api.acme.dev port 443 after 3 ms: Connection refused',
      { endpoint: 'api.acme.dev', transient: false },
    ],
    [
      "fatal: unable to access 'https://git.acme.dev/x.git/': Could not resolve host: git.acme.dev",
      { endpoint: 'git.acme.dev', transient: false },
    ],
    [
      'dial tcp: lookup db.acme.dev on 10.0.0.1:53: no such host',
      { endpoint: 'db.acme.dev', transient: false },
    ],
    ['dial tcp 10.0.0.5:6379: i/o timeout', { endpoint: '10.0.0.5:6379', transient: true }],
    [
      "HTTPSConnectionPool(host='api.acme.dev', port=443): Max retries exceeded with url: /x (Caused by NewConnectionError('Connection refused'))",
      { endpoint: 'api.acme.dev', transient: false },
    ],
    [
      'ssh: connect to host git.acme.dev port 22: Connection timed out',
      { endpoint: 'git.acme.dev', transient: true },
    ],
  ])('E-7: %j', (output, expected) => {
    const found = findExternalBlocker(output);
    expect(found).toEqual({ kind: 'api_unavailable', ...expected });
    expect(ExternalBlocker.parse(found)).toEqual(found);
  });

  test('E-7: the address may stand in the command alone', () => {
    expect(
      findExternalBlocker('curl: (22) The requested URL returned error: 503', {
        command: 'curl -fsS https://api.acme.dev/health',
      }),
    ).toEqual({
      kind: 'api_unavailable',
      endpoint: 'https://api.acme.dev/health',
      status: 503,
      transient: false,
    });
  });

  test.each([
    'Error: connect ECONNREFUSED 127.0.0.1:3000',
    'Error: connect ECONNREFUSED ::1:3000',
    'Error: getaddrinfo ENOTFOUND app.localhost',
    'Error: getaddrinfo ENOTFOUND nowhere.invalid',
    'HTTP 503 from http://localhost:3000/health',
    'HTTP 503 from https://api.anthropic.com/v1/messages',
    'Error: connect ETIMEDOUT api.openai.com:443',
    'Request failed with status code 503',
    'HTTP 500 from https://api.acme.dev/v1',
    'HTTP 404 from https://api.acme.dev/v1',
    'AssertionError: expected 503 to be 200 // https://api.acme.dev',
    ' ✓ answers 503 Service Unavailable for https://api.acme.dev',
    'took 503 ms to read https://api.acme.dev',
    'Test timed out in 5000ms.',
  ])('E-7: none in %j', (output) => {
    expect(findExternalBlocker(output)).toBeUndefined();
  });

  test.each([
    ['api.anthropic.com', true],
    ['api.openai.com:443', true],
    ['acme.openai.azure.com', true],
    ['generativelanguage.googleapis.com', true],
    ['us-central1-aiplatform.googleapis.com', true],
    ['bedrock-runtime.us-east-1.amazonaws.com', true],
    ['storage.googleapis.com', false],
    ['api.anthropic.com.evil.dev', false],
    ['notapi.openai.com.dev', false],
  ])('E-7: %s is a model provider: %s', (host, expected) => {
    expect(isModelProvider(host)).toBe(expected);
  });
});

describe('findExternalBlocker', () => {
  test('E-7: the first cause printed wins: without network pip finds no distribution either', () => {
    const output = [
      "WARNING: Retrying after connection broken by 'HTTPSConnectionPool(host='pypi.org', port=443): Read timed out.'",
      'ERROR: No matching distribution found for requests==2.0',
    ].join('\n');
    expect(findExternalBlocker(output)).toMatchObject({
      kind: 'api_unavailable',
      endpoint: 'pypi.org',
      transient: true,
    });
  });

  test('E-7: what passing tests log before the list of failures does not count', () => {
    const logged =
      "Error: EACCES: permission denied, open '/etc/x'\nError: connect ECONNREFUSED 10.0.0.5:1\n";
    expect(findExternalBlocker(logged + sample('vitest-failing.txt'))).toBeUndefined();
  });

  test.each([
    'vitest-failing.txt',
    'jest-failing.txt',
    'mocha-failing.txt',
    'pytest-failing.txt',
    'go-failing.txt',
    'cargo-failing.txt',
    'cargo-not-compiled.txt',
    'node-test-spec.txt',
    'tsc.txt',
    'biome.txt',
  ])('E-7: an ordinary failure is no blocker: %s', (name) => {
    expect(findExternalBlocker(sample(name))).toBeUndefined();
  });

  test.each([
    ' ',
    `${' '.repeat(1_990)}x\n`,
    'not found ',
    "Cannot find module 'a",
    'permission denied ',
    'expected 1 ',
    'a::b',
    'HTTP 503 ',
    'https://a.',
    'HTTP 503\n',
    "ConnectionPool(host='a'",
    '404 "@a/b@',
    'x: permission denied\n',
  ])('reads any amount of %j in linear time', (part) => {
    const read = (size: number) => void findExternalBlocker(part.repeat(Math.ceil(size / part.length)));
    expectLinear(read, 65_536);
  });
});
