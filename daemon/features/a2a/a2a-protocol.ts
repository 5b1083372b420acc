// The only module through which the SDK is loaded, on the first call that needs it. Code that imports more than types
// from the SDK must be imported through this file.
import { StreamResponse } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import type { Ask } from '../asks/ask-store.js';
import { toTask } from './task-view.js';

export { answerRest } from './a2a-rest.js';
export { answerRpc } from './a2a-rpc.js';

/** A task as sent to the receiver of push notifications: the whole task, in the requested protocol version. */
export function notification(ask: Ask, version: string): { text: string; contentType: string } {
  const task = toTask(ask, () => [], { historyLength: 0 });
  const event: StreamResponse = { payload: { $case: 'task', value: task } };
  if (version !== '0.3')
    return { text: JSON.stringify(StreamResponse.toJSON(event)), contentType: 'application/a2a+json' };
  const { body, contentType } = new V03PushNotificationSerializer().serialize(event, task);
  return { text: body, contentType };
}
