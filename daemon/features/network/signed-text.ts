/** What a daemon signs for others: a change, the data, who is there, what is said, and questions and their answers. */
type Purpose = 'command' | 'snapshot' | 'presence' | 'frames' | 'request' | 'answer';

/**
 * Returns the text over which a signature is made. It names its purpose and its scope, which is the network or a
 * subject in it, so that no signature is valid for anything else.
 */
export const toSignedText = (purpose: Purpose, scope: string, text: string): string =>
  `meshd ${purpose}\n${scope}\n${text}`;
