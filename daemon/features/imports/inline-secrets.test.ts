import { describe, expect, it } from 'vitest';
import { withoutSecretLines, withoutSecrets } from './inline-secrets.js';

const inServer = (server: object) => withoutSecrets({ mcpServers: { gh: server } });

describe('withoutSecrets', () => {
  it.each([
    [{ env: { GITHUB_TOKEN: 'abc' } }, { env: { GITHUB_TOKEN: '$' + '{GITHUB_TOKEN}' } }],
    [{ env: { SESSION: 'a1B2c3D4e5F6g7H8i9J0k1L2m3' } }, { env: { SESSION: '$' + '{SESSION}' } }],
    [{ env: { apiKey: 'x' } }, { env: { apiKey: '$' + '{APIKEY}' } }],
    [
      { headers: { Authorization: 'Bearer abcdefghijk1' } },
      { headers: { Authorization: 'Bearer $' + '{GH_AUTHORIZATION}' } },
    ],
    [{ args: ['--token', 'abcdefgh1'] }, { args: ['--token', '$' + '{GH_ARGS_TOKEN}'] }],
    [{ args: ['--api-key=abc'] }, { args: ['--api-key=$' + '{GH_ARGS_0}'] }],
    [
      { url: 'https://me:pass@host/?api_key=123&x=1' },
      { url: 'https://me:$' + '{GH_URL}@host/?api_key=$' + '{GH_URL}&x=1' },
    ],
    [{ note: 'sk-0123456789abcdefghij' }, { note: '$' + '{GH_NOTE}' }],
  ])('replaces an inline secret by a variable reference: %j', (server, without) => {
    const { data, replaced } = inServer(server);
    expect(data).toEqual({ mcpServers: { gh: without } });
    expect(replaced.length).toBeGreaterThan(0);
  });

  it.each([
    [{ env: { LOG: 'debug', MODE: 'quiet', EMPTY_TOKEN: '' } }],
    [
      {
        env: {
          A_TOKEN: '$' + '{A_TOKEN}',
          B_TOKEN: '$B',
          C_KEY: '{env:C}',
          D_KEY: '$' + '{{ secrets.D }}',
          E_KEY: '<your key>',
        },
      },
    ],
    [
      {
        bearer_token_env_var: 'REMOTE_TOKEN',
        env_key: 'OPENAI_API_KEY',
        maxTokens: '4096',
        primary_key: 'customer_id',
      },
    ],
    [{ url: 'https://host:8080/mcp', command: 'npx', args: ['-y', 'thing@latest'] }],
  ])('leaves values unchanged that are not secrets: %j', (server) => {
    const { data, replaced } = inServer(server);
    expect(replaced).toEqual([]);
    expect(data).toEqual({ mcpServers: { gh: server } });
  });
});

/** The reference to a variable. */
const ref = (name: string) => `\${${name}}`;
const inKey = (key: string, value: unknown) => withoutSecrets({ [key]: value }).data[key];

describe('a key with the name of a secret', () => {
  it.each([
    ...'key token secret password passwd pwd pass credential credentials authorization cookie pat apikey'.split(' '),
    ...['bearer', 'X-Api-Key', 'apiKey', 'db_password', 'Token', 'api2Key', 'token!', '-token-'],
  ])('%s loses its value', (key) => {
    expect(inKey(key, 'a1b2c3d4')).toMatch(/^\$\{[A-Z0-9_]+\}$/);
  });

  it.each(['keys', 'tokens', 'monkey', 'APIKEYS', 'key_name', 'Keyless', 'name of', ''])(
    '%j keeps its value',
    (key) => {
      expect(inKey(key, 'a1b2c3d4')).toBe('a1b2c3d4');
    },
  );

  it.each([
    ['a1b2c3d', 'a short one'],
    ['MY_TOKEN_1', 'the name of a variable'],
    ['customer_id', 'plain words'],
    ['customer-number-x', 'plain words'],
    ['customers', 'a plain word'],
    [ref('TOKEN'), 'a reference'],
    [`${ref('{ secrets.TOKEN ')}}`, 'a reference'],
    ['$TOKEN', 'a reference'],
    ['{env:TOKEN_12}', 'a reference'],
    ['{file:~/token-1}', 'a reference'],
    ['%TOKEN_12%', 'a reference'],
    ['<your token 1>', 'a reference'],
    [`Bearer ${ref('TOKEN')}`, 'a reference'],
    [` ${ref('TOKEN')} `, 'a reference'],
    ['          ', 'nothing'],
  ])('keeps %j: %s', (value) => {
    expect(inKey('token', value)).toBe(value);
  });

  it.each([
    ...['a1b2c3d4', '1MY_TOKEN', 'MY_TOKEN-1', 'myToken_x', 'a__bcdefg', 'customer_', '_customer', 'Customers'],
    ...[
      `x ${ref('TOKEN')} y`,
      '$TOKEN-12',
      ref('MY_TOKEN').slice(0, -1),
      `x${ref('TOKEN')}`,
      '{env:TOKEN',
      '%TOKEN_12',
      '<your token',
      '{other:TOKEN}',
    ],
    ...[`two words ${ref('TOKEN')}`, 'customer id', '{env:TOKEN_12}x', '<your> token'],
  ])('does not keep %j', (value) => {
    expect(inKey('token', value)).toBe(ref('TOKEN'));
  });

  it.each([
    ['Bearer abcdefgh12', `Bearer ${ref('TOKEN')}`],
    ['basic abcdefgh12', `basic ${ref('TOKEN')}`],
    ['token abcdefgh12', `token ${ref('TOKEN')}`],
    ['my Bearer abcdefgh12', ref('TOKEN')],
    ['Bearerabcdefgh12', ref('TOKEN')],
  ])('keeps the scheme of %j', (value, without) => {
    expect(inKey('token', value)).toBe(without);
  });
});

describe('a variable of an environment', () => {
  it.each([
    ['A_TOKEN', 'x', true],
    ['A_TOKEN', 'word', true],
    ['PLAIN', 'a1B2c3D4e5F6g7H8i9J0k1L2', true],
    ['PLAIN', 'a1B2c3D4e5F6g7H8i9J0k1_+=-', true],
    ['PLAIN', 'a1B2c3D4e5F6g7H8i9J0k1L', false],
    ['PLAIN', 'abcdefghijklmnopqrstuvwxyz', false],
    ['PLAIN', '12345678901234567890123456', false],
    ['PLAIN', 'a1B2c3D4e5F6 g7H8i9J0k1L2m3', false],
    ['PLAIN', '/a1B2c3D4e5F6g7H8i9J0k1L2', false],
    ['PLAIN', 'a1B2c3D4e5F6g7H8i9J0k1L2/', false],
  ])('%s=%s loses its value: %s', (name, value, isLost) => {
    for (const map of ['env', 'environment'])
      expect(inKey(map, { [name]: value })).toEqual({ [name]: isLost ? ref(name) : value });
  });

  it('is one only directly below the environment', () => {
    expect(inKey('env', { inner: { PLAIN: 'a1B2c3D4e5F6g7H8i9J0k1L2' } })).toEqual({
      inner: { PLAIN: 'a1B2c3D4e5F6g7H8i9J0k1L2' },
    });
    expect(inKey('other', { PLAIN: 'a1B2c3D4e5F6g7H8i9J0k1L2' })).toEqual({ PLAIN: 'a1B2c3D4e5F6g7H8i9J0k1L2' });
  });
});

describe('a text with a secret inside', () => {
  it.each([
    ['https://me:pass@host/x', `https://me:${ref('URL')}@host/x`],
    ['https://me@host:80/a@b', 'https://me@host:80/a@b'],
    ['https://me:a/b@host', 'https://me:a/b@host'],
    ['https://:pass@host', 'https://:pass@host'],
    ...['api_key', 'apikey', 'key', 'token', 'access_token', 'secret', 'password', 'TOKEN'].map((name) => [
      `http://h/?${name}=1&x=2`,
      `http://h/?${name}=${ref('URL')}&x=2`,
    ]),
    ['http://h/?x=1&key=abc d', `http://h/?x=1&key=${ref('URL')} d`],
    ['http://h/?monkey=abc', 'http://h/?monkey=abc'],
    ['http://h/?key=$KEY', 'http://h/?key=$KEY'],
    ['http://h/?key=', 'http://h/?key='],
    ['--key=abc', `--key=${ref('URL')}`],
    ['-my-token=a b', `-my-token=${ref('URL')}`],
    ['--db_secret=abc', `--db_secret=${ref('URL')}`],
    ['--password=abc', `--password=${ref('URL')}`],
    ['--key=$KEY', '--key=$KEY'],
    ['key=abc', 'key=abc'],
    ['x --key=abc', 'x --key=abc'],
    ['--my key=abc', '--my key=abc'],
    ['--keys=abc', '--keys=abc'],
  ])('%s becomes %s', (text, without) => {
    expect(inKey('url', text)).toBe(without);
  });
});

describe('an argument after a flag', () => {
  it.each([
    ...['--key', '-token', '--my-secret', '--db_password', '--passwd', '--API-KEY'].map((flag) => [flag, true]),
    ...['--keys', 'token', '--my key', '--monkey-x'].map((flag) => [flag, false]),
  ] as [string, boolean][])('%s is lost: %s', (flag, isLost) => {
    const name = flag.replace(/^-+/, '').replaceAll('-', '_').toUpperCase();
    expect(inKey('args', ['npx', flag, 'a1b2c3d4'])).toEqual(['npx', flag, isLost ? ref(name) : 'a1b2c3d4']);
  });

  it('is none when it is a flag itself, or no text', () => {
    for (const args of [
      ['--key', '--x1234567'],
      ['--key', 12_345_678],
      [3, 'a1b2c3d4'],
      ['a1b2c3d4', '--key'],
    ])
      expect(inKey('args', args)).toEqual(args);
  });
});

describe('the variable in place of a secret', () => {
  it.each<[data: object, variable: string]>([
    [{ token: 'a1b2c3d4' }, 'TOKEN'],
    [{ mcp: { gh: { token: 'a1b2c3d4' } } }, 'GH_TOKEN'],
    [{ mcp: { gh: { headers: { 'X-Api-Key': 'a1b2c3d4' } } } }, 'GH_X_API_KEY'],
    [{ mcp: { '--gh--': { 'my token': 'a1b2c3d4' } } }, 'GH_MY_TOKEN'],
    [{ mcp: { gh: { 'token!': 'sk-0123456789abcdefghij' } } }, 'GH_TOKEN'],
    [{ mcp: { '1x': { token: 'a1b2c3d4' } } }, 'SECRET_1X_TOKEN'],
    [{ mcp: { gh: { env: { 'api-key': 'x' } } } }, 'API_KEY'],
    [{ é: 'sk-0123456789abcdefghij' }, 'SECRET_'],
  ])('of %j is %s', (data, variable) => {
    expect(withoutSecrets({ ...data }).replaced.map((one) => one.variable)).toEqual([variable]);
  });
});

describe('what has no secret', () => {
  it('is the same object', () => {
    const data = { a: { b: ['x', { c: 1 }], d: null }, e: true };
    const without = withoutSecrets(data);
    expect(without).toEqual({ data, replaced: [] });
    expect(without.data).toBe(data);
  });

  it('is the same beside what has one, and the rest is not changed', () => {
    const data = { a: { b: 1 }, c: { token: 'a1b2c3d4', d: { e: 2 } } };
    const without = withoutSecrets(data);
    expect(without.data).toEqual({ a: { b: 1 }, c: { token: ref('TOKEN'), d: { e: 2 } } });
    expect(without.replaced).toEqual([{ path: ['c', 'token'], variable: 'TOKEN' }]);
    expect(without.data['a']).toBe(data.a);
    expect((without.data['c'] as typeof data.c).d).toBe(data.c.d);
    expect(data.c.token).toBe('a1b2c3d4');
  });

  it.each(['name', 'description', 'prompt', 'developer_instructions', 'initialPrompt', 'display_name'])(
    'is prose: %s',
    (key) => {
      expect(inKey(key, 'sk-0123456789abcdefghij')).toBe('sk-0123456789abcdefghij');
      expect(inKey(`${key}2`, 'sk-0123456789abcdefghij')).not.toBe('sk-0123456789abcdefghij');
    },
  );
});

it('lines with a secret are not shown', () => {
  const text = 'a\nkey: sk-0123456789abcdefghij\n\nb sk-0123456789abcdefghij c\nd';
  expect(withoutSecretLines(text)).toBe('a\n[a line with a secret]\n\n[a line with a secret]\nd');
  expect(withoutSecretLines('')).toBe('');
});
