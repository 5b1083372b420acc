import type { Message, ToolCall } from '../../contract/conversations.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';

/** Returns a tool call with secrets scrubbed. */
export const callWithoutSecrets = (call: ToolCall): ToolCall => ({
  ...call,
  target: scrubSecrets(call.target),
  ...(call.output === undefined ? {} : { output: scrubSecrets(call.output) }),
});

/** Returns a message with secrets scrubbed in its text, calls and citations. */
export const messageWithoutSecrets = (message: Message): Message => ({
  ...message,
  text: scrubSecrets(message.text),
  calls: message.calls.map(callWithoutSecrets),
  citations: message.citations.map((citation) => ({ ...citation, quote: scrubSecrets(citation.quote) })),
});
