import { describe, expect, it } from 'vitest';
import type { NetworkMember } from '../../../daemon/contract/shared/network.js';
import { ApiError } from '../../lib/api.js';
import {
  findFaults,
  findFieldError,
  formatLag,
  formatProblem,
  getProgress,
  sortMembers,
  toBody,
} from './network-format.js';

const EMPTY = { url: '', network: '', credentials: '', name: '' };
const refused = (status: number, code: string, message: string, path?: string) =>
  new ApiError(status, code, message, path === undefined ? {} : { path });

describe('the field that an error is about', () => {
  it.each([
    [refused(400, 'bad_request', '"x" is not an address.', 'url'), 'url', '"x" is not an address.'],
    [
      refused(
        400,
        'bad_request',
        '"tls://…@a" holds a user or password: give credentials in a file with --creds.',
        'url',
      ),
      'url',
      '"tls://…@a" holds a user or password: give credentials below instead.',
    ],
    [
      refused(400, 'bad_request', 'The servers have several networks: give --network docks or reef.', 'network'),
      'network',
      'The servers have several networks: give the name of one, docks or reef.',
    ],
    [
      refused(404, 'not_found', 'The servers have no network: create one with meshd network create.'),
      'network',
      'The servers have no network: create one.',
    ],
    [
      refused(409, 'slug_taken', 'The servers have a network "docks".'),
      'network',
      'The servers have a network "docks".',
    ],
    [
      refused(403, 'forbidden', '127.0.0.1:4222 refused the credentials: give a valid file with --creds.'),
      'credentials',
      '127.0.0.1:4222 refused the credentials: give others below.',
    ],
    [refused(503, 'network_unavailable', 'No connection to a:1.'), 'url', 'No connection to a:1.'],
  ])('%s', (error, field, message) => {
    expect(findFieldError(error)).toEqual({ field, message });
  });

  it.each([
    [refused(400, 'bad_request', 'This daemon is in the network "docks".')],
    [refused(400, 'bad_request', 'Wrong.', 'another')],
    [new Error('broken')],
  ])('is none for %s', (error) => {
    expect(findFieldError(error)).toBeUndefined();
  });
});

it('finds what is wrong before it is sent', () => {
  expect(findFaults(EMPTY, false)).toEqual({ url: expect.stringContaining('Give the address') });
  expect(findFaults({ ...EMPTY, url: 'nats://127.0.0.1' }, false)).toEqual({});
  expect(findFaults({ ...EMPTY, url: 'nats://127.0.0.1' }, true)).toEqual({
    network: expect.stringContaining('a name'),
  });
  expect(findFaults({ ...EMPTY, url: 'nats://127.0.0.1', network: 'The Docks' }, false)).toEqual({
    network: expect.stringContaining('“The Docks” is no name'),
  });
});

it('sends what was typed and nothing that was left empty', () => {
  expect(toBody({ url: ' nats://127.0.0.1 ', network: ' ', credentials: ' \n', name: ' ' })).toEqual({
    url: 'nats://127.0.0.1',
  });
  expect(toBody({ url: 'a', network: ' docks ', credentials: 'text\n', name: ' Quay ' })).toEqual({
    ...{ url: 'a', network: 'docks', credentials: 'text\n', name: 'Quay' },
  });
});

it('tells how far catching up is', () => {
  expect(getProgress({ state: 'catching_up', sequence: 4_200, lag: 800 })).toEqual({
    share: 0.84,
    words: '4,200 of 5,000 changes are applied here, 800 to come.',
  });
  expect(getProgress({ state: 'following', sequence: 4_200, lag: 0 })).toBeUndefined();
  expect(getProgress({ state: 'catching_up', sequence: 0, lag: null })).toBeUndefined();
  expect([null, 0, 1, 1_200].map((lag) => formatLag({ lag }))).toEqual([
    ...['not known without a connection', 'none', '1 change', '1,200 changes'],
  ]);
});

it('names the problem while it lasts', () => {
  const problem = 'the network "docks" was created anew.';
  expect(formatProblem({ state: 'stopped', problem })).toBe('The network "docks" was created anew.');
  expect(formatProblem({ state: 'connecting', problem: 'no server' })).toBe('Last problem: no server');
  expect(formatProblem({ state: 'following', problem: 'no server' })).toBeUndefined();
  expect(formatProblem({ state: 'connecting', problem: null })).toBeUndefined();
});

it('lists this daemon first, then those present, absent and gone', () => {
  const member = (name: string, changes: Partial<NetworkMember> = {}): NetworkMember => ({
    ...{ id: name, name, self: false, present: false, last_seen_at: null, left_at: null },
    joined_at: '2026-11-27T05:00:00.000Z',
    ...changes,
  });
  const list = [
    member('Gone', { left_at: '2026-11-27T06:00:00.000Z' }),
    member('Reef'),
    member('Quay', { present: true }),
    member('Dock', { present: true }),
    member('Zone', { self: true, present: true }),
  ];
  expect(sortMembers(list).map(({ name }) => name)).toEqual(['Zone', 'Dock', 'Quay', 'Reef', 'Gone']);
});
