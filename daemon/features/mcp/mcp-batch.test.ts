import { expect, it } from 'vitest';
import { batchFault } from './mcp-batch.js';

const call = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

it.each([
  [call(1)],
  [[call(1), call(2), call('1')]],
  [[{ method: 'notifications/initialized' }, { method: 'notifications/initialized' }]],
  // A response to a request of the daemon has an id and no method.
  [[call(1), { jsonrpc: '2.0', id: 1, result: {} }]],
  [Array.from({ length: 100 }, (_, id) => call(id))],
])('batchFault accepts %j', (body) => {
  expect(batchFault(body)).toBeUndefined();
});

it.each([
  [[], '1 to 100'],
  [Array.from({ length: 101 }, (_, id) => call(id)), '1 to 100'],
  [[call(1), call(2), call(1)], 'an id of its own'],
  [[null, call('a'), call('a')], 'an id of its own'],
])('batchFault rejects %j', (body, fault) => {
  expect(batchFault(body)).toContain(fault);
});
