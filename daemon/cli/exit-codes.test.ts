import { expect, it } from 'vitest';
import { STATUS } from '../http/error-handler.js';
import { EXIT, exitOfAskError, exitOfStatus } from './exit-codes.js';

it.each([
  ['bad_request', EXIT.usage],
  ['unknown_key', EXIT.usage],
  ['unauthorized', EXIT.refused],
  ['forbidden', EXIT.refused],
  ['wrong_host', EXIT.refused],
  ['too_many_requests', EXIT.refused],
  ['not_found', EXIT.notFound],
  ['member_exists', EXIT.conflict],
  ['member_protected', EXIT.conflict],
  ['file_changed', EXIT.conflict],
  ['internal', EXIT.failed],
  ['store_readonly', EXIT.failed],
  ['no_space', EXIT.failed],
  ['deadline', EXIT.deadline],
] as const)('a request rejected with %s exits with %i', (code, exit) => {
  expect(exitOfStatus(STATUS[code])).toBe(exit);
});

it('distinguishes a failed member, a passed deadline and a required decision', () => {
  expect(exitOfAskError('client_failed')).toBe(EXIT.memberFailed);
  expect(exitOfAskError('cancelled')).toBe(EXIT.memberFailed);
  expect(exitOfAskError('deadline')).toBe(EXIT.deadline);
  expect(exitOfAskError('needs_permission')).toBe(EXIT.needsPerson);
});
