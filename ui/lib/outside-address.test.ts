import { describe, expect, it } from 'vitest';
import { outsideAddress } from './outside-address.js';

describe('an address from outside', () => {
  it('opens when it is http or https', () => {
    expect(outsideAddress('https://agent.example/v1')?.href).toBe('https://agent.example/v1');
    expect(outsideAddress('http://127.0.0.1:8080')?.href).toBe('http://127.0.0.1:8080/');
  });

  it('does not open with any other scheme, nor when it is no address', () => {
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

  it('does not open with a name or password that reads like a host', () => {
    expect(outsideAddress('https://bank.example@evil.example/')).toBeUndefined();
    expect(outsideAddress('https://:secret@evil.example/')).toBeUndefined();
  });

  it('shows a host of look-alike letters as what it is', () => {
    expect(outsideAddress('https://аpple.example/')?.host).toMatch(/^xn--/);
  });
});
