// The SDK is loaded through this file and no other, by the first call that needs it: whatever names it as more than a type is imported from here.
import { StreamResponse } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import type { Ask } from '../asks/ask-store.js';
import { taskOf } from './task-view.js';

export { answerRest } from './a2a-rest.js';
export { answerRpc } from './a2a-rpc.js';

/** A task as the receiver of its notifications reads it: the task itself, whole, in the version that it was asked for in. */
export function notification(ask: Ask, version: string): { text: string; contentType: string } {
  const task = taskOf(ask, () => [], { historyLength: 0 });
  const event: StreamResponse = { payload: { $case: 'task', value: task } };
  if (version !== '0.3')
    return { text: JSON.stringify(StreamResponse.toJSON(event)), contentType: 'application/a2a+json' };
  const { body, contentType } = new V03PushNotificationSerializer().serialize(event, task);
  return { text: body, contentType };
}
