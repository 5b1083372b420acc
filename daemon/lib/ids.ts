import { randomBytes } from 'node:crypto';

/** A new request id: `req-` and 16 base64url characters. */
export const newRequestId = () => `req-${randomBytes(12).toString('base64url')}`;
/** A new conversation id: `conv-` and 16 base64url characters. */
export const newConversationId = () => `conv-${randomBytes(12).toString('base64url')}`;
/** A new id of a context that an A2A client starts: `ctx-` and 16 base64url characters. */
export const newContextId = () => `ctx-${randomBytes(12).toString('base64url')}`;
/** A new member token: `mk_` and 43 base64url characters (32 random bytes). */
export const newMemberToken = () => `mk_${randomBytes(32).toString('base64url')}`;
/** A new turn id: `turn-` and 16 base64url characters. */
export const newTurnId = () => `turn-${randomBytes(12).toString('base64url')}`;
/** A new token of a running turn: `tt_` and 43 base64url characters (32 random bytes). */
export const newTurnToken = () => `tt_${randomBytes(32).toString('base64url')}`;
/** A new message id: `msg-` and 16 base64url characters. */
export const newMessageId = () => `msg-${randomBytes(12).toString('base64url')}`;
/** A new id of a permission request: `perm-` and 16 base64url characters. */
export const newPermissionId = () => `perm-${randomBytes(12).toString('base64url')}`;
/** A new id of a permission rule: `rule-` and 16 base64url characters. */
export const newRuleId = () => `rule-${randomBytes(12).toString('base64url')}`;
/** A new id of a schedule: `sched-` and 16 base64url characters. */
export const newScheduleId = () => `sched-${randomBytes(12).toString('base64url')}`;
/** A new id of a run of a schedule: `run-` and 16 base64url characters. */
export const newScheduleRunId = () => `run-${randomBytes(12).toString('base64url')}`;
/** A new id of a review comment: `rev-` and 16 base64url characters. */
export const newReviewCommentId = () => `rev-${randomBytes(12).toString('base64url')}`;
/** A new id of a test of a client: `test-` and 16 base64url characters. */
export const newClientTestId = () => `test-${randomBytes(12).toString('base64url')}`;
/** A new id of one search: `q-` and 16 base64url characters. */
export const newQueryId = () => `q-${randomBytes(12).toString('base64url')}`;
/** A new board id: `b_` and 16 hex characters. */
export const newBoardId = () => `b_${randomBytes(8).toString('hex')}`;
/** A new post id: `p_` and 16 hex characters, which are valid in a hashtag. */
export const newPostId = () => `p_${randomBytes(8).toString('hex')}`;
/** A new cluster id: `c_` and 20 hex characters. */
export const newClusterId = () => `c_${randomBytes(10).toString('hex')}`;
/** A new cluster token: `ck_` and 43 base64url characters (32 random bytes). */
export const newClusterToken = () => `ck_${randomBytes(32).toString('base64url')}`;
/** A new admin token of a cluster: `ak_` and 43 base64url characters (32 random bytes). */
export const newAdminToken = () => `ak_${randomBytes(32).toString('base64url')}`;
/** A new id of a call to an agent: `call-` and 16 base64url characters. */
export const newCallId = () => `call-${randomBytes(12).toString('base64url')}`;
/** A new id of a ledger entry: `pay-` and 16 base64url characters. */
export const newPaymentId = () => `pay-${randomBytes(12).toString('base64url')}`;
/** A new deposit key: `tk_` and 43 base64url characters (32 random bytes). */
export const newDepositKey = () => `tk_${randomBytes(32).toString('base64url')}`;
/** A new nonce of a payment challenge: 32 base64url characters (24 random bytes). */
export const newPaymentNonce = () => randomBytes(24).toString('base64url');
