import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

const read = (env: NodeJS.ProcessEnv) => readConfig([], env, '/project', undefined);

describe('MESHD_LOOPBACK_ENDPOINTS', () => {
  it('lists agents on this machine whose cards may be fetched, and is empty by default', () => {
    expect(read({}).loopbackEndpoints).toEqual([]);
    expect(read({ MESHD_LOOPBACK_ENDPOINTS: ' 127.0.0.1:9001, localhost:65535,[::1]:1 ,' }).loopbackEndpoints).toEqual([
      '127.0.0.1:9001',
      'localhost:65535',
      '[::1]:1',
    ]);
  });

  it.each([
    '127.0.0.1',
    'localhost:',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '10.0.0.1:80',
    'agent.example:443',
    'http://127.0.0.1:80',
    '*:80',
    '0.0.0.0:80',
  ])('refuses %j', (entry) => {
    expect(() => read({ MESHD_LOOPBACK_ENDPOINTS: entry })).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

describe('MESHD_SOLANA_DEVNET_URL and MESHD_SOLANA_MAINNET_URL', () => {
  it('are the JSON-RPC addresses of the public networks, of which there are none by default', () => {
    expect(read({}).networkAddresses).toEqual([]);
    const env = {
      MESHD_SOLANA_DEVNET_URL: ' https://rpc.example/v2/key?x=1 ',
      MESHD_SOLANA_MAINNET_URL: 'http://127.0.0.1:8899',
    };
    expect(read(env).networkAddresses).toEqual([
      ['solana:devnet', 'https://rpc.example/v2/key?x=1'],
      ['solana:mainnet', 'http://127.0.0.1:8899/'],
    ]);
  });

  it.each([
    'rpc.example',
    'http://rpc.example',
    'ftp://127.0.0.1',
    'http://127.0.0.1.evil.example',
    'https://me:topsecret@rpc.example',
  ])('refuses %j without the value in the error', (address) => {
    const reading = () => read({ MESHD_SOLANA_DEVNET_URL: address });
    expect(reading).toThrow(/MESHD_SOLANA_DEVNET_URL must be/);
    expect(reading).not.toThrow(/example|topsecret|127/);
  });
});

describe('MESHD_PARTNER_KEYS', () => {
  it('is a list of name:key', () => {
    expect(read({}).partnerKeys).toEqual([]);
    expect(read({ MESHD_PARTNER_KEYS: 'acme:0123456789abcdef, other:fedcba:9876543210,' }).partnerKeys).toEqual([
      '0123456789abcdef',
      'fedcba:9876543210',
    ]);
  });

  it.each([
    'acme',
    'acme:short',
    ':0123456789abcdef',
    'a b:0123456789abcdef',
    'acme:0123456789abcdef,other:01234 6789abcdef',
  ])('refuses %s without a key in the error', (text) => {
    expect(() => read({ MESHD_PARTNER_KEYS: text })).toThrow(/MESHD_PARTNER_KEYS must be/);
    expect(() => read({ MESHD_PARTNER_KEYS: text })).not.toThrow(/0123456789abcdef/);
  });
});

it('has no option for another clock', () => {
  expect(() => readConfig(['--test-clock', '301'], {}, '/project', undefined)).toThrow(
    expect.objectContaining({ code: 'bad_request', message: expect.stringContaining("Unknown option '--test-clock'") }),
  );
});
