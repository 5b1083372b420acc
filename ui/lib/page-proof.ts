const HEADER = 'x-meshd-page';

const bytesOf = (text: string) => new TextEncoder().encode(text);

let key: CryptoKey | undefined;
let run: string | undefined;
let proof: string | undefined;
let renewing: Promise<void> | undefined;

async function prove(newRun: string | undefined): Promise<void> {
  if (!key || newRun === undefined) return;
  const signed = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(newRun)));
  proof = Array.from(signed, (byte) => byte.toString(16).padStart(2, '0')).join('');
  run = newRun;
}

/**
 * Takes the key that the page came with out of it. Resolves with false when it came without: then the daemon answers it
 * nothing.
 */
export async function takeKey(given: DOMStringMap): Promise<boolean> {
  const { key: text, run: first } = given;
  if (!text) return false;
  delete given['key'];
  key = await crypto.subtle.importKey('raw', bytesOf(text), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  await prove(first);
  return true;
}

async function askRun(): Promise<void> {
  if (!key) return;
  // The answer also clears the browser for the new run, once, of what held the port meanwhile.
  const answer = await fetch('/app/run.json', { cache: 'no-store' });
  const { run: now } = (await answer.json()) as { run: string };
  // A worker that controls the page would hear the proof.
  if (navigator.serviceWorker?.controller) throw Error('worker');
  if (now !== run) await prove(now);
}

/** Proves the page to the run of the daemon that answers now. Rejects when none does. */
export function renewProof(): Promise<void> {
  renewing ??= askRun().finally(() => {
    renewing = undefined;
  });
  return renewing;
}

/** What a socket to the operator's routes is opened with: a browser can set no header on it. */
export const pageProtocols = (): string[] => (proof === undefined ? [] : [`meshd.page.${proof}`]);

/**
 * `fetch` as the daemon's own page. A call that a daemon which was started again refuses is repeated once: it was
 * refused before
 * anything was done.
 */
export async function pageFetch(address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const send = () =>
    fetch(address, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...(proof && { [HEADER]: proof }) },
    });
  const used = run;
  const answer = await send();
  const asked = answer.headers.get('x-meshd-run');
  if (asked === null || asked === used || !key) return answer;
  if (asked !== run) await renewProof();
  return send();
}
