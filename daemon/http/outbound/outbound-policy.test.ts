import { describe, expect, it } from 'vitest';
import { checkAddresses, isAddress, outboundTarget } from './outbound-policy.js';

const target = (address: string, loopback: readonly string[] = []) => outboundTarget(address, new Set(loopback));
const refused = (reason: string, message: string) =>
  expect.objectContaining({ name: 'OutboundError', reason, message });

describe('the target of an address', () => {
  it.each([
    ['https://agent.example/card?x=1', 'agent.example'],
    ['https://agent.example:443/', 'agent.example'],
    ['https://agent.example:1024/', 'agent.example'],
    ['https://93.184.215.14/', '93.184.215.14'],
    ['https://[2606:4700::1111]:8443/', '2606:4700::1111'],
  ])('is a public place: %s', (address, host) => {
    expect(target(address)).toEqual({ url: new URL(address), host, isListedLoopback: false });
  });

  it.each([
    ['http://127.0.0.1:8080/', '127.0.0.1:8080', '127.0.0.1'],
    ['http://localhost/', 'localhost:80', 'localhost'],
    ['https://localhost/', 'localhost:443', 'localhost'],
    ['https://localhost:22/', 'localhost:22', 'localhost'],
    ['http://[::1]:8080/', '[::1]:8080', '::1'],
  ])('is a place of this machine when it is listed: %s', (address, listed, host) => {
    expect(target(address, [listed])).toEqual({ url: new URL(address), host, isListedLoopback: true });
  });

  it.each([
    ['http://localhost/', 'localhost:443'],
    ['http://localhost:8080/', 'localhost:808'],
    ['http://localhost:8080/', 'localhost'],
  ])('is not listed by another port: %s', (address, listed) => {
    expect(() => target(address, [listed])).toThrow(
      refused('not_https', 'Only https: is fetched, and plain http: from no other machine.'),
    );
  });

  it.each([
    'no address',
    'ftp://agent.example/',
    'wss://agent.example/',
    'https://user@agent.example/',
    'https://:secret@agent.example/',
  ])('is none of %j', (address) => {
    expect(() => target(address)).toThrow(
      refused('not_a_url', 'Only an https: address without credentials is fetched.'),
    );
  });

  it('has at most 2048 characters', () => {
    const address = 'https://agent.example/'.padEnd(2048, 'x');
    expect(target(address).host).toBe('agent.example');
    expect(() => target(`${address}x`)).toThrow(expect.objectContaining({ reason: 'not_a_url' }));
  });

  it.each([1, 80, 442, 444, 1023])('is on no port of the system but 443: %i', (port) => {
    expect(() => target(`https://agent.example:${port}/`)).toThrow(
      refused('blocked_port', `Port ${port} is not fetched from: only 443 and those from 1024 on.`),
    );
  });

  it('that is private is refused, and one of this machine with how to list it', () => {
    const told = (address: string) =>
      `${address} is not an address of the public internet: agents there are not fetched from.`;
    const hint = (endpoint: string) =>
      ` To allow an agent of your own there, start meshd with MESHD_LOOPBACK_ENDPOINTS=${endpoint}.`;
    expect(() => target('https://10.0.0.1/')).toThrow(refused('blocked_address', told('10.0.0.1')));
    expect(() => target('http://127.0.0.1:9/')).toThrow(
      refused('blocked_address', told('127.0.0.1') + hint('127.0.0.1:9')),
    );
    expect(() => target('https://[::1]/')).toThrow(refused('blocked_address', told('::1') + hint('[::1]:443')));
  });
});

describe('the addresses of a name', () => {
  const listed = { isListedLoopback: true } as never;
  const elsewhere = { isListedLoopback: false } as never;

  it('may all be public, or of this machine when it is listed', () => {
    expect(() => checkAddresses(['93.184.215.14', '2606:4700::1111'], elsewhere)).not.toThrow();
    expect(() => checkAddresses(['127.0.0.1', '::1', '::ffff:127.0.0.1'], listed)).not.toThrow();
  });

  it('must be there', () => {
    for (const where of [listed, elsewhere])
      expect(() => checkAddresses([], where)).toThrow(refused('unresolvable', 'The name has no address.'));
  });

  it.each([
    ['a listed name is elsewhere', listed, '93.184.215.14'],
    ['a listed name is in a private network', listed, '10.0.0.1'],
    ['a listed name has a text for an address', listed, 'nowhere'],
    ['another name is here', elsewhere, '127.0.0.1'],
    ['another name has a text for an address', elsewhere, 'nowhere'],
    ['another name has no part of IPv6 that is allocated', elsewhere, '4000::1'],
    ['another name has documentation for an address', elsewhere, '2001:db8::1'],
  ])('are refused when a single one is forbidden: %s', (_what, where, forbidden) => {
    const allowed = where === listed ? '127.0.0.1' : '93.184.215.14';
    expect(() => checkAddresses([allowed, forbidden, allowed], where)).toThrow(
      refused(
        'blocked_address',
        `${forbidden} is not an address of the public internet: agents there are not fetched from.`,
      ),
    );
  });
});

it('tells an address from a name', () => {
  expect(['127.0.0.1', '::1', 'localhost', ''].map(isAddress)).toEqual([true, true, false, false]);
});
