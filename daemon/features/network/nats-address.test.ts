import { expect, it } from 'vitest';
import { parseNatsAddress } from './nats-address.js';

it.each([
  ['nats://127.0.0.1', '127.0.0.1:4222'],
  ['nats://127.255.10.1:4333/', '127.255.10.1:4333'],
  ['nats://localhost', 'localhost:4222'],
  ['nats://[::1]', '[::1]:4222'],
  [' nats://127.0.0.1 , nats://localhost:1 ', '127.0.0.1:4222 localhost:1'],
])('takes %s as this machine, without TLS', (typed, servers) => {
  expect(parseNatsAddress(typed)).toEqual({ servers: servers.split(' '), isLoopback: true });
});

it.each([
  ['tls://nats.example.com', 'nats.example.com:4222'],
  ['tls://10.0.0.5:4333', '10.0.0.5:4333'],
  ['tls://127.0.0.1', '127.0.0.1:4222'],
  ['tls://localhost,tls://nats.example.com', 'localhost:4222 nats.example.com:4222'],
])('takes %s with TLS', (typed, servers) => {
  expect(parseNatsAddress(typed)).toEqual({ servers: servers.split(' '), isLoopback: false });
});

const NO_ADDRESS = 'is not the address of a NATS server: give one such as tls://nats.example.com:4222.';
const HOLDS_USER = 'holds a user or password: give credentials in a file with --creds.';
const TOO_LONG = 'must end after the port: it has no path and no query.';
const needsTls = (host: string) => `is another machine, which needs TLS: write tls://${host}.`;

it.each([
  ['', `"" ${NO_ADDRESS}`],
  ['127.0.0.1:4222', `"127.0.0.1:4222" ${NO_ADDRESS}`],
  ['http://127.0.0.1', `"http://127.0.0.1" ${NO_ADDRESS}`],
  ['xnats://127.0.0.1', `"xnats://127.0.0.1" ${NO_ADDRESS}`],
  ['nats://127.0.0.1:x', `"nats://127.0.0.1:x" ${NO_ADDRESS}`],
  ['tls://', `"tls://" ${NO_ADDRESS}`],
  ['nats://127.0.0.1,', `"" ${NO_ADDRESS}`],
  ['tls://me:secret@nats.example.com', `"tls://…@nats.example.com" ${HOLDS_USER}`],
  ['tls://me@nats.example.com', `"tls://…@nats.example.com" ${HOLDS_USER}`],
  ['tls://:secret@nats.example.com', `"tls://…@nats.example.com" ${HOLDS_USER}`],
  ['http://me:secret@nats.example.com', `"http://…@nats.example.com" ${NO_ADDRESS}`],
  ['tls://nats.example.com/a', `"tls://nats.example.com/a" ${TOO_LONG}`],
  ['tls://nats.example.com//', `"tls://nats.example.com//" ${TOO_LONG}`],
  ['tls://nats.example.com?a=1', `"tls://nats.example.com?a=1" ${TOO_LONG}`],
  ['tls://nats.example.com#a', `"tls://nats.example.com#a" ${TOO_LONG}`],
  ['nats://nats.example.com:4333', `"nats://nats.example.com:4333" ${needsTls('nats.example.com:4333')}`],
  ['nats://127.0.0.1.example.com', `"nats://127.0.0.1.example.com" ${needsTls('127.0.0.1.example.com')}`],
  ['nats://mylocalhost', `"nats://mylocalhost" ${needsTls('mylocalhost')}`],
  ['nats://128.0.0.1', `"nats://128.0.0.1" ${needsTls('128.0.0.1')}`],
  ['nats://127.0.0.1,nats://10.0.0.5', `"nats://10.0.0.5" ${needsTls('10.0.0.5')}`],
  [
    'nats://127.0.0.1,tls://nats.example.com',
    'Servers on this machine and on others cannot be mixed: write tls:// before each.',
  ],
])('refuses %s, and says what is right', (typed, message) => {
  expect(() => parseNatsAddress(typed)).toThrow(
    expect.objectContaining({ code: 'bad_request', message, details: { path: 'url' } }),
  );
});
