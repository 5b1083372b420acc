import { randomBytes } from 'node:crypto';

/** A fresh request id: `req-` and 16 base64url characters. */
export const newRequestId = () => `req-${randomBytes(12).toString('base64url')}`;
/** A fresh conversation id: `conv-` and 16 base64url characters. */
export const newConversationId = () => `conv-${randomBytes(12).toString('base64url')}`;
/** A fresh id of a context that an A2A client begins: `ctx-` and 16 base64url characters. */
export const newContextId = () => `ctx-${randomBytes(12).toString('base64url')}`;
/** A fresh member token: `mk_` and 43 base64url characters (32 random bytes). */
export const newMemberToken = () => `mk_${randomBytes(32).toString('base64url')}`;
/** A fresh turn id. */
export const newTurnId = () => `turn-${randomBytes(12).toString('base64url')}`;
/** A fresh message id: `msg-` and 16 base64url characters. */
export const newMessageId = () => `msg-${randomBytes(12).toString('base64url')}`;
/** A fresh id of a permission question. */
export const newPermissionId = () => `perm-${randomBytes(12).toString('base64url')}`;
/** A fresh id of one search: `q-` and 16 base64url characters. */
export const newQueryId = () => `q-${randomBytes(12).toString('base64url')}`;
/** A fresh board id: `b_` and 16 hex characters. */
export const newBoardId = () => `b_${randomBytes(8).toString('hex')}`;
/** A fresh post id: `p_` and 16 hex characters, which a hashtag can hold. */
export const newPostId = () => `p_${randomBytes(8).toString('hex')}`;
/** A fresh cluster id: `c_` and 20 hex characters. */
export const newClusterId = () => `c_${randomBytes(10).toString('hex')}`;
/** A fresh token of a cluster: `ck_` and 43 base64url characters (32 random bytes). */
export const newClusterToken = () => `ck_${randomBytes(32).toString('base64url')}`;
/** A fresh admin token of a cluster: `ak_` and 43 base64url characters (32 random bytes). */
export const newAdminToken = () => `ak_${randomBytes(32).toString('base64url')}`;
/** A fresh id of a call to an agent: `call-` and 16 base64url characters. */
export const newCallId = () => `call-${randomBytes(12).toString('base64url')}`;
/** A fresh id of an entry of the ledger: `pay-` and 16 base64url characters. */
export const newPaymentId = () => `pay-${randomBytes(12).toString('base64url')}`;
/** A fresh deposit key: `tk_` and 43 base64url characters (32 random bytes). */
export const newDepositKey = () => `tk_${randomBytes(32).toString('base64url')}`;
/** A fresh nonce of a challenge: 32 base64url characters (24 random bytes). */
export const newPaymentNonce = () => randomBytes(24).toString('base64url');
