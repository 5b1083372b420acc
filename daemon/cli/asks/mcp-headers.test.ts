import { expect, it } from 'vitest';
import { createHeaders } from './mcp-headers.js';

const REVISION = '2026-07-28';
const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': REVISION } };
const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

it.each<[method: string, params: object, name: string | undefined]>([
  ['tools/call', { name: 'ask_consultant', uri: 'x:y' }, 'ask_consultant'],
  ['prompts/get', { name: 'brief' }, 'brief'],
  ['resources/read', { uri: 'file:///README.md', name: 'README' }, 'file:///README.md'],
  ['tools/list', { name: 'no subject', uri: 'x:y' }, undefined],
  ['tools/call', { name: 7 }, undefined],
  ['tools/call', { name: 'grün' }, base64('grün')],
  ['tools/call', { name: ' ask' }, base64(' ask')],
  ['tools/call', { name: 'a\r\nx-evil: 1' }, base64('a\r\nx-evil: 1')],
  ['tools/call', { name: '=?base64?YQ==?=' }, base64('=?base64?YQ==?=')],
])('the headers of %s with %j repeat its revision, method and subject', (method, params, name) => {
  expect(createHeaders({ method, params: { ...params, ...meta } })).toEqual({
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  });
});

it.each([
  ['of the previous revision', { method: 'tools/call', params: { name: 'ask_consultant' } }],
  ['that is a response', { id: 1, result: {}, params: meta }],
])('a message %s has no such headers', (_which, message) => {
  expect(createHeaders(message)).toEqual({});
});
