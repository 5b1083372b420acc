/**
 * Formats a model as requested and as resolved by the client. The client `builtin` has no model and only searches; it
 * resolves every model to its own name.
 */
export function formatModel(requested: string | null, resolved: string): string {
  if (resolved === 'builtin') return 'No model connected: search only';
  if (requested === null || requested === resolved || resolved === '') return resolved || (requested ?? '');
  if (requested === 'strongest')
    return resolved === 'default' ? 'the client’s default model' : `${resolved} (strongest)`;
  return `${requested} → ${resolved}`;
}
