import { refusalOf } from '../../client/api-error.js';
import { pageFetch } from './page-proof.js';

/** Saves `text` as a file of that name, where the browser puts downloads. */
export function download(name: string, text: string): void {
  save(name, new Blob([text], { type: 'text/plain' }));
}

/**
 * Saves what the daemon answers at `path`, under the name that it gives. Throws `ApiError` for a refusal, and TypeError
 * when no answer came.
 */
export async function downloadFrom(path: string): Promise<void> {
  const answer = await pageFetch(path, { cache: 'no-store', redirect: 'error' });
  if (!answer.ok)
    throw refusalOf(answer.status, await answer.json().catch(() => null), answer.headers.get('retry-after'));
  const name = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  save(name ?? 'meshd', await answer.blob());
}

function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
