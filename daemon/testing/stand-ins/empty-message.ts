/** A message of Anthropic's Messages API as a stream begins: without content. */
export const emptyMessage = (id: string, model: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});
