import { describe, expect, it } from 'vitest';
import { outsideAddress } from './outside-address.js';

describe('outsideAddress', () => {
  it('accepts http and https', () => {
    expect(outsideAddress('https://agent.example/v1')?.href).toBe('https://agent.example/v1');
    expect(outsideAddress('http://127.0.0.1:8080')?.href).toBe('http://127.0.0.1:8080/');
  });

  it('rejects any other scheme and text that is not a URL', () => {
    for (const text of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'agent.example',
      '',
      null,
      undefined,
    ]) {
      expect(outsideAddress(text)).toBeUndefined();
    }
  });

  it('rejects a URL with a user name or password that reads like a host', () => {
    expect(outsideAddress('https://bank.example@evil.example/')).toBeUndefined();
    expect(outsideAddress('https://:secret@evil.example/')).toBeUndefined();
  });

  it('returns a host of look-alike letters in Punycode', () => {
    expect(outsideAddress('https://аpple.example/')?.host).toMatch(/^xn--/);
  });
});
