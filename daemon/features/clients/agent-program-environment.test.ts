import { describe, expect, it } from 'vitest';
import {
  ANTHROPIC_VARIABLES,
  agentEnvironment,
  listSecrets,
  programEnvironment,
  usesProxy,
} from './agent-program-environment.js';

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
    'CLAUDE_CODE_CLIENT_CERT',
    'CLAUDE_CODE_CLIENT_KEY',
    'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
  ]);
});

describe('the environment of a program that runs members', () => {
  const PROXY = 'http://proxy.corp:3128';
  const SPARED = '127.0.0.1,localhost';

  it('has how the machine reaches servers, which other programs are not given', () => {
    const network = {
      ...{ HTTP_PROXY: PROXY, HTTPS_PROXY: PROXY, ALL_PROXY: PROXY, NO_PROXY: SPARED },
      ...{ http_proxy: PROXY, https_proxy: PROXY, all_proxy: PROXY, no_proxy: SPARED },
      ...{ NODE_EXTRA_CA_CERTS: '/ca.pem', NODE_USE_SYSTEM_CA: '1', SSL_CERT_FILE: '/all.pem', SSL_CERT_DIR: '/certs' },
    };
    const others = { NODE_OPTIONS: 'canary', NODE_TLS_REJECT_UNAUTHORIZED: '0', FTP_PROXY: 'canary', KEY: 'canary' };
    const environment = { PATH: '/bin', ...network, ...others, CLAUDE_CODE_CLIENT_KEY: 'canary' };
    expect(agentEnvironment(environment, [])).toEqual({ PATH: '/bin', ...network });
    expect(programEnvironment(environment, [])).toEqual({ PATH: '/bin' });
  });

  it.each(['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'])(
    'keeps calls to this machine from the proxy of %s',
    (name) => {
      const spared = { NO_PROXY: SPARED, no_proxy: SPARED };
      expect(agentEnvironment({ [name]: PROXY }, [])).toEqual({ [name]: PROXY, ...spared });
      expect(agentEnvironment({}, [], { [name]: PROXY })).toEqual({ [name]: PROXY, ...spared });
      expect([usesProxy({ [name]: PROXY }), usesProxy({ [name]: '' })]).toEqual([true, false]);
    },
  );

  it.each([
    [{ NO_PROXY: '.corp' }, `.corp,${SPARED}`, `.corp,${SPARED}`],
    [{ no_proxy: 'a.corp b.corp,' }, `a.corp,b.corp,${SPARED}`, `a.corp,b.corp,${SPARED}`],
    [{ NO_PROXY: 'upper', no_proxy: 'lower' }, `upper,${SPARED}`, `lower,${SPARED}`],
    [{ NO_PROXY: 'localhost, 127.0.0.1:80' }, 'localhost,127.0.0.1:80,127.0.0.1', 'localhost,127.0.0.1:80,127.0.0.1'],
    [{ NO_PROXY: ' * ' }, '*', '*'],
  ])('adds this machine to %j', (given, upper, lower) => {
    expect(agentEnvironment({ HTTPS_PROXY: PROXY, ...given }, [])).toMatchObject({ NO_PROXY: upper, no_proxy: lower });
  });

  it('leaves what no proxy is for as it is', () => {
    expect(agentEnvironment({ NO_PROXY: '.corp', HTTPS_PROXY: '' }, [])).toEqual({ NO_PROXY: '.corp' });
    expect(agentEnvironment({}, [])).toEqual({});
  });
});

describe('what no output may show', () => {
  it('are the keys and tokens that the program is given, not addresses and files', () => {
    const environment = Object.fromEntries([...ANTHROPIC_VARIABLES, 'OTHER_KEY'].map((name) => [name, `of ${name}`]));
    expect(listSecrets(environment, ANTHROPIC_VARIABLES)).toEqual([
      'of ANTHROPIC_API_KEY',
      'of ANTHROPIC_AUTH_TOKEN',
      'of CLAUDE_CODE_OAUTH_TOKEN',
      'of CLAUDE_CODE_CLIENT_KEY_PASSPHRASE',
    ]);
  });

  it.each([
    ['http://me:p%40ss@proxy:3128', ['me:p%40ss', 'me:p@ss', 'p%40ss', 'p@ss', 'bWU6cEBzcw==']],
    ['me:p@ss@proxy:3128', ['me:p@ss', 'p@ss', 'bWU6cEBzcw==']],
    ['http://token@proxy', ['token', 'dG9rZW4=']],
    ['http://me:100%@proxy', ['me:100%', '100%', 'bWU6MTAwJQ==']],
    ['http://proxy:3128', []],
  ])('are the logins of the proxy %s, as it is written and as it is sent', (HTTPS_PROXY, secrets) => {
    expect(listSecrets({ HTTPS_PROXY }, [])).toEqual(secrets);
  });
});
