import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './inline-secrets.js';

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
