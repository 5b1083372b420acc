import { expect, it } from 'vitest';
import { ANTHROPIC_VARIABLES, programEnvironment } from './agent-program-environment.js';

it('passes what a program needs of the machine, and its locale', () => {
  const needed = Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'USER', 'SHELL', 'LC_ALL', 'LC_TIME'].map((name) => [
      name,
      `of ${name}`,
    ]),
  );
  const others = ['LC_', 'LC_all', 'LC_ALL2', 'XLC_ALL', 'NODE_OPTIONS', 'LD_PRELOAD', 'GITHUB_TOKEN', 'PWD'];
  const environment = { ...needed, ...Object.fromEntries(others.map((name) => [name, 'canary'])) };
  expect(programEnvironment(environment, [])).toEqual(needed);
});

it('passes the named keys that are set, and no other', () => {
  const environment = { ONE_KEY: 'one', EMPTY_KEY: '', UNSET_KEY: undefined, OTHER_KEY: 'canary' };
  expect(programEnvironment(environment, ['ONE_KEY', 'EMPTY_KEY', 'UNSET_KEY', 'MISSING_KEY'])).toEqual({
    ONE_KEY: 'one',
  });
});

it('lets what is set for the program win over the environment of the daemon', () => {
  expect(programEnvironment({ HOME: '/home/me', TZ: 'UTC' }, [], { HOME: '/run', MODE: '' })).toEqual({
    HOME: '/run',
    TZ: 'UTC',
    MODE: '',
  });
});

it('knows the keys of Claude Code and where its login is', () => {
  expect(ANTHROPIC_VARIABLES).toEqual([
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
  ]);
});
