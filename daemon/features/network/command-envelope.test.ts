import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COMMAND_BYTES_MAX, COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import type { Command } from '../../shared-log/shared-log.js';
import { idOf, newKey } from '../../testing/network-samples.js';
import {
  commandSubject,
  RefusedCommandError,
  readCommand,
  signCommand,
  toBase64,
  toBase64Url,
} from './command-envelope.js';
import { toSignedText } from './signed-text.js';

const NOW = 1_800_000_000_000;
const NETWORK = 'docks';
const key = newKey();
const command: Command = {
  ...{ schema: 1, id: randomUUID(), kind: 'berth.claim', entity: 'b1', at: NOW, daemon: idOf(key), body: { a: [1] } },
};
const over = (data: Uint8Array, { subject = commandSubject(NETWORK, command), timeMs = NOW } = {}) => ({
  ...{ sequence: 1, subject, data, timeMs },
});
const read = (data: Uint8Array, more = {}) => readCommand(NETWORK, over(data, more));
const signed = (text: string, more = {}) =>
  Buffer.from(JSON.stringify({ command: text, sig: key.sign(toSignedText('command', NETWORK, text)), ...more }));

function getRefusal(run: () => unknown): [string, string, string] | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof RefusedCommandError) return [error.reason, error.code, error.message];
    throw error;
  }
}

describe('The subject of a command', () => {
  it('has one token for the entity, whatever bytes it has', () => {
    expect(commandSubject('docks', { kind: 'a.b', entity: 'Az09-_' })).toBe('m.docks.cmd.a.b.Az09-_');
    expect(commandSubject('docks', { kind: 'a.b', entity: 'a.b *>=\n' })).toBe('m.docks.cmd.a.b.a=2eb=20=2a=3e=3d=0a');
    expect(commandSubject('docks', { kind: 'a.b', entity: 'ü' })).toBe('m.docks.cmd.a.b.=c3=bc');
  });
});

it('writes keys in both alphabets of base64', () => {
  const bytes = Buffer.alloc(32, 0xfb);
  expect(toBase64(bytes.toString('base64url'))).toBe(bytes.toString('base64'));
  expect(toBase64Url(bytes.toString('base64'))).toBe(bytes.toString('base64url'));
});

describe('A signed command', () => {
  it('is read as it was signed, in its own network and on its own subject', () => {
    const data = Buffer.from(signCommand(key, NETWORK, command));
    expect(read(data)).toEqual(command);
    const elsewhere = getRefusal(() => readCommand('quays', over(data, { subject: commandSubject('quays', command) })));
    expect(elsewhere).toEqual(['signature', 'bad_signature', expect.stringContaining('not signed by the daemon that')]);
    const subject = commandSubject(NETWORK, { ...command, entity: 'b2' });
    expect(getRefusal(() => read(data, { subject }))).toEqual([
      ...['subject', 'bad_request', `The command came on the subject ${subject} of another one.`],
    ]);
  });

  it('is at most so many bytes, not characters', () => {
    const text = (body: string) => JSON.stringify({ ...command, body: { text: body } });
    const left = COMMAND_BYTES_MAX - Buffer.byteLength(text(''));
    const sign = (body: string) => signCommand(key, NETWORK, { ...command, body: { text: body } });
    expect(read(Buffer.from(sign('x'.repeat(left)))).body).toEqual({ text: 'x'.repeat(left) });
    expect(() => sign('x'.repeat(left + 1))).toThrow(expect.objectContaining({ code: 'too_large' }));
    expect(() => sign('ü'.repeat(left / 2 + 1))).toThrow(`The change is larger than ${COMMAND_BYTES_MAX} bytes`);
  });

  it.each<[string, () => Uint8Array, string, string]>([
    ['too large', () => Buffer.alloc(2 * COMMAND_BYTES_MAX + 1, ' '), 'form', 'too large'],
    ['no JSON', () => Buffer.alloc(2 * COMMAND_BYTES_MAX, ' '), 'form', 'is not JSON in UTF-8 of at most 32 levels'],
    ['without a signature', () => Buffer.from('{"command":"{}"}'), 'form', 'no signed command'],
    ['with a further field', () => signed(JSON.stringify(command), { more: 1 }), 'form', 'no signed command'],
    ['of a command that is no JSON', () => signed('{'), 'form', 'is not JSON'],
    ['of a command that is null', () => signed('null'), 'signature', 'not signed'],
    ['of a command without a daemon', () => signed('{}'), 'signature', 'not signed'],
    ['by a daemon that is no text', () => signed('{"daemon":7}'), 'signature', 'not signed'],
    ['without an id', () => signed(JSON.stringify({ ...command, id: undefined })), 'schema', 'lacks what it must have'],
    ['with a schema that is no number', () => signed(JSON.stringify({ ...command, schema: '9' })), 'schema', 'lacks'],
  ])('is refused when it is %s', (_what, make, reason, message) => {
    expect(getRefusal(() => read(make()))).toEqual([reason, expect.any(String), expect.stringContaining(message)]);
  });

  it('of a newer schema names the schema and the daemon, if it is signed', () => {
    const newer = JSON.stringify({ ...command, schema: 2, more: true });
    expect(() => read(signed(newer))).toThrow(
      expect.objectContaining({ name: 'UnknownSchemaError', schema: 2, daemon: idOf(key) }),
    );
    expect(() => read(signed(newer))).toThrow('It has schema 2, and this meshd knows 1.');
    const forged = signed(newer, { sig: newKey().sign(toSignedText('command', NETWORK, newer)) });
    expect(getRefusal(() => read(forged))?.[0]).toBe('signature');
  });
});

describe('The time of a command', () => {
  const data = Buffer.from(signCommand(key, NETWORK, command));

  it.each([COMMAND_CLOCK_MS, -COMMAND_CLOCK_MS])('may differ from the server by %i ms', (offMs) => {
    expect(read(data, { timeMs: NOW + offMs })).toEqual(command);
  });

  it.each([
    [-COMMAND_CLOCK_MS - 1, '120 seconds ahead of'],
    [COMMAND_CLOCK_MS + 1, '120 seconds behind'],
    [7_200_000, '7200 seconds behind'],
  ])('is refused when the server is %i ms off, with how far the sender’s clock is', (offMs, text) => {
    expect(getRefusal(() => read(data, { timeMs: NOW + offMs }))).toEqual([
      ...['clock', 'bad_signature', `The sender’s clock is ${text} the server’s: set it right.`],
    ]);
  });
});

it.each([
  ['form', 'bad_request'],
  ['signature', 'bad_signature'],
  ['schema', 'bad_request'],
  ['subject', 'bad_request'],
  ['clock', 'bad_signature'],
  ['replay', 'bad_signature'],
  ['key', 'forbidden'],
  ['owner', 'forbidden'],
  ['kind', 'bad_request'],
] as const)('refuses a command by its %s with %s', (reason, code) => {
  expect(new RefusedCommandError(reason, 'No.')).toMatchObject({ reason, code, message: 'No.' });
});

it('of this schema or an earlier one is no newer one', () => {
  const read = (schema: unknown) => () => readCommand(NETWORK, over(signed(JSON.stringify({ ...command, schema }))));
  expect(read(1)()).toEqual(command);
  expect(getRefusal(read(0))?.[0]).toBe('schema');
});

it('signs as many bytes as it says where it refuses more', () => {
  const long = { ...command, body: { text: 'x'.repeat(COMMAND_BYTES_MAX) } };
  expect(() => signCommand(key, NETWORK, long)).toThrow(
    `The change is larger than ${COMMAND_BYTES_MAX} bytes, which the network takes.`,
  );
});
