import { randomBytes } from 'node:crypto';

/** A fresh request id: `req-` and 16 base64url characters. */
export const newRequestId = () => `req-${randomBytes(12).toString('base64url')}`;
/** A fresh conversation id: `conv-` and 16 base64url characters. */
export const newConversationId = () => `conv-${randomBytes(12).toString('base64url')}`;
/** A fresh member token: `mk_` and 43 base64url characters (32 random bytes). */
export const newMemberToken = () => `mk_${randomBytes(32).toString('base64url')}`;
/** A fresh turn id. */
export const newTurnId = () => `turn-${randomBytes(12).toString('base64url')}`;
/** A fresh message id: `msg-` and 16 base64url characters. */
export const newMessageId = () => `msg-${randomBytes(12).toString('base64url')}`;
/** A fresh id of a permission question. */
export const newPermissionId = () => `perm-${randomBytes(12).toString('base64url')}`;
