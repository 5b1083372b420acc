/** What runs a member or a conversation, in words. The built-in search is no model. */
export function formatRunsOn({
  client_resolved: client,
  model_resolved: model,
  effort_resolved: effort = '',
}: {
  client_resolved: string;
  model_resolved: string;
  effort_resolved?: string;
}): string {
  if (client === 'builtin') return 'builtin: search only';
  return [client, model, effort].filter(Boolean).join(', ');
}
