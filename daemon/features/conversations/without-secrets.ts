import type { Message, ToolCall } from '../../contract/conversations.js';
import { scrubSecrets } from '../../lib/secrets.js';

/** A tool call without what looks like a secret. */
export const callWithoutSecrets = (call: ToolCall): ToolCall => ({
  ...call,
  target: scrubSecrets(call.target),
  ...(call.output === undefined ? {} : { output: scrubSecrets(call.output) }),
});

/** A message without what looks like a secret, in its text, calls and citations. */
export const messageWithoutSecrets = (message: Message): Message => ({
  ...message,
  text: scrubSecrets(message.text),
  calls: message.calls.map(callWithoutSecrets),
  citations: message.citations.map((citation) => ({ ...citation, quote: scrubSecrets(citation.quote) })),
});
