import { describe, expect, it } from 'vitest';
import { checkPushConfig, checkSend } from './message-shape.js';

const PARTS = [{ text: 'Why?' }];
const sent = (message: object, more: object = {}) => ({ message: { parts: PARTS, ...message }, ...more });
const texts = (count: number) => Array(count).fill('x');

describe('a sent message', () => {
  it.each([
    ['a text', sent({})],
    ['its parts under the name of 0.3', { message: { content: PARTS } }],
    ['names', sent({ messageId: 'm', contextId: 'c', taskId: 't', role: 'user' })],
    ['names that are null', sent({ messageId: null, contextId: null, taskId: null, role: null })],
    ['64 parts', sent({ parts: Array(64).fill({}) })],
    ['texts in a part', sent({ parts: [{ raw: '', url: '', filename: '', mediaType: '', kind: '' }] })],
    ['a file with texts', sent({ parts: [{ file: { name: 'a', bytes: '' } }] })],
    ['lists of 64 texts', sent({ extensions: texts(64), referenceTaskIds: texts(64) })],
    ['lists that are null', sent({ extensions: null, referenceTaskIds: undefined })],
    ['an empty configuration', sent({}, { configuration: {} })],
    ['a configuration that is null', sent({}, { configuration: null, metadata: null })],
    ['modes', sent({}, { configuration: { acceptedOutputModes: ['text'] } })],
    ['no push configuration', sent({}, { configuration: { taskPushNotificationConfig: null } })],
    ['metadata', sent({}, { metadata: {} })],
  ])('may have %s', (_what, params) => {
    expect(() => checkSend(params)).not.toThrow();
  });

  it.each([
    [7, 'params', 'must be an object'],
    [{}, 'message', 'is required and must be an object'],
    [{ message: [] }, 'message', 'is required and must be an object'],
    [sent({ messageId: 7 }), 'message.messageId', 'must be a string'],
    [sent({ contextId: 7 }), 'message.contextId', 'must be a string'],
    [sent({ taskId: 7 }), 'message.taskId', 'must be a string'],
    [sent({ role: 7 }), 'message.role', 'must be a string'],
    [{ message: {} }, 'message.parts', 'must be a list of at least one part'],
    [sent({ parts: [] }), 'message.parts', 'must be a list of at least one part'],
    [sent({ parts: 'x' }), 'message.parts', 'must be a list of at least one part'],
    [sent({ content: [] }), 'message.content', 'must be a list of at least one part'],
    [sent({ parts: Array(65).fill({}) }), 'message.parts', 'holds 65 parts: 64 are the most'],
    [sent({ parts: [{}, 7] }), 'message.parts.1', 'must be an object'],
    [sent({ content: [7] }), 'message.content.0', 'must be an object'],
    [sent({ parts: [{ text: 7 }] }), 'message.parts.0.text', 'must be a string'],
    [sent({ parts: [{ raw: 7 }] }), 'message.parts.0.raw', 'must be a string'],
    [sent({ parts: [{ url: 7 }] }), 'message.parts.0.url', 'must be a string'],
    [sent({ parts: [{ filename: 7 }] }), 'message.parts.0.filename', 'must be a string'],
    [sent({ parts: [{ mediaType: 7 }] }), 'message.parts.0.mediaType', 'must be a string'],
    [sent({ parts: [{ kind: 7 }] }), 'message.parts.0.kind', 'must be a string'],
    [sent({ parts: [{ file: 7 }] }), 'message.parts.0.file', 'must be an object'],
    [sent({ parts: [{ file: { name: 'a', bytes: 7 } }] }), 'message.parts.0.file.bytes', 'must be a string'],
    [sent({ extensions: texts(65) }), 'message.extensions', 'must be a list of at most 64 strings'],
    [sent({ extensions: 'x' }), 'message.extensions', 'must be a list of at most 64 strings'],
    [sent({ referenceTaskIds: ['x', 7] }), 'message.referenceTaskIds', 'must be a list of at most 64 strings'],
    [sent({}, { configuration: 7 }), 'configuration', 'must be an object'],
    [sent({}, { metadata: 7 }), 'metadata', 'must be an object'],
    [
      sent({}, { configuration: { acceptedOutputModes: [7] } }),
      'configuration.acceptedOutputModes',
      'must be a list of at most 64 strings',
    ],
    ...['taskPushNotificationConfig', 'pushNotificationConfig', 'pushNotification'].map(
      (name) => [sent({}, { configuration: { [name]: 7 } }), `configuration.${name}`, 'must be an object'] as const,
    ),
  ] as const)('is refused with the place of its mistake: %#', (params, path, message) => {
    expect(() => checkSend(params)).toThrow(
      expect.objectContaining({ code: 'bad_request', message: `"${path}" ${message}.`, details: { path } }),
    );
  });
});

describe('a push configuration', () => {
  it.each([
    [{}],
    [{ id: 'a', url: 'u', token: 't' }],
    [{ id: null, url: undefined, token: null, authentication: null }],
    [{ authentication: {} }],
    [{ authentication: { schemes: ['Bearer'], scheme: 'Bearer', credentials: 'x' } }],
    [{ authentication: { schemes: null, scheme: null, credentials: null } }],
  ])('may be %j', (config) => {
    expect(() => checkPushConfig(config, 'at')).not.toThrow();
  });

  it.each([
    [7, 'at', 'must be an object'],
    [{ id: 7 }, 'at.id', 'must be a string'],
    [{ url: 7 }, 'at.url', 'must be a string'],
    [{ token: 7 }, 'at.token', 'must be a string'],
    [{ authentication: 7 }, 'at.authentication', 'must be an object'],
    [{ authentication: { schemes: 'x' } }, 'at.authentication.schemes', 'must be a list of at most 64 strings'],
    [{ authentication: { scheme: 7 } }, 'at.authentication.scheme', 'must be a string'],
    [{ authentication: { credentials: 7 } }, 'at.authentication.credentials', 'must be a string'],
  ])('is refused with the place of its mistake: %#', (config, path, message) => {
    expect(() => checkPushConfig(config, 'at')).toThrow(
      expect.objectContaining({ code: 'bad_request', message: `"${path}" ${message}.`, details: { path } }),
    );
  });
});
