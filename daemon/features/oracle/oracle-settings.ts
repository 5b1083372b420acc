import { agentKey } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import { CENTS, type Rates } from './price.js';
import { PROMOTION_MAX } from './ranking.js';
import type { EmbeddingSettings } from './vectors/embedding-endpoint.js';

/** The configuration of agent search. */
interface OracleSettings {
  rates: Rates;
  promoted: ReadonlyMap<string, number>;
  embeddings: EmbeddingSettings | undefined;
}

const refuse = (message: string) => new MeshError('bad_request', message);

/**
 * Reads `MESHD_LAMPORTS_USD` (US dollars per lamport), `MESHD_RATES` (US dollars for other currencies),
 * `MESHD_PROMOTED_AGENTS` (`id` or `id=0.03`, separated by commas, at most 0.05 each) and `MESHD_EMBEDDINGS_URL` with `MESHD_EMBEDDINGS_MODEL` and, if the endpoint needs a key,
 * `MESHD_EMBEDDINGS_KEY_NAME`, the name of the variable that contains it. Throws `bad_request` with the name of an
 * invalid variable; no message contains a key.
 */
export function oracleSettings(environment: Readonly<Record<string, string | undefined>>): OracleSettings {
  const read = (name: string) => environment[name]?.trim() || undefined;
  return {
    rates: listRates(getRate(read('MESHD_LAMPORTS_USD')), read('MESHD_RATES')),
    promoted: parsePromoted(read('MESHD_PROMOTED_AGENTS')),
    embeddings: listEmbeddings(read),
  };
}

function getRate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const rate = Number(text);
  if (!(rate > 0 && rate < 1))
    throw refuse('MESHD_LAMPORTS_USD must be what one lamport is worth in US dollars, for example 0.00000015.');
  return rate;
}

const RATES_EXAMPLE = 'EUR=1.08,GBP=1.27: what the amount 1 of a price is worth in US dollars';

function listRates(lamports: number | undefined, text = ''): Rates {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, currency = '', worth] = /^([A-Za-z]{2,16})\s*=\s*(\d{1,12}(?:\.\d{1,18})?)$/.exec(entry) ?? [];
      const name = currency.toLowerCase();
      if (worth === undefined || !(Number(worth) > 0))
        throw refuse(`MESHD_RATES must be a list such as ${RATES_EXAMPLE}.`);
      if (name === 'usd' || name === 'lamports' || name === 'free')
        throw refuse(`MESHD_RATES cannot set ${currency}: lamports have MESHD_LAMPORTS_USD, USD amounts are cents.`);
      return [name, Number(worth)] as const;
    });
  return new Map([...CENTS, ...entries, ...(lamports === undefined ? [] : [['lamports', lamports] as const])]);
}

function parsePromoted(text = ''): Map<string, number> {
  const entries = text.split(',').map((entry) => entry.trim());
  return new Map(
    entries
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [, id, boost] = /^([A-Za-z0-9_-]{3,64})(?:=(\d?\.?\d+))?$/.exec(entry) ?? [];
        const added = boost === undefined ? PROMOTION_MAX : Number(boost);
        if (id === undefined || !(added > 0 && added <= PROMOTION_MAX)) {
          throw refuse(`MESHD_PROMOTED_AGENTS must be a list of ids, each alone or with =0.01 to =${PROMOTION_MAX}.`);
        }
        return [agentKey(id), added];
      }),
  );
}

function listEmbeddings(read: (name: string) => string | undefined): EmbeddingSettings | undefined {
  const address = read('MESHD_EMBEDDINGS_URL');
  if (address === undefined) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw refuse('MESHD_EMBEDDINGS_URL must be an http(s) address.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refuse(
      'MESHD_EMBEDDINGS_URL must be without user, password, query and fragment: the key has a variable of its own.',
    );
  }
  if (url.protocol === 'http:' && !/^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(url.hostname)) {
    throw refuse('MESHD_EMBEDDINGS_URL must be https: plain http is for endpoints on this machine only.');
  }
  const model = read('MESHD_EMBEDDINGS_MODEL');
  if (model === undefined || model.length > 200)
    throw refuse('MESHD_EMBEDDINGS_MODEL must name the model at MESHD_EMBEDDINGS_URL.');
  const keyName = read('MESHD_EMBEDDINGS_KEY_NAME');
  const apiKey = keyName === undefined ? undefined : read(keyName);
  if (keyName !== undefined && (apiKey === undefined || !/^[\x21-\x7e]{1,4096}$/.test(apiKey))) {
    throw refuse('MESHD_EMBEDDINGS_KEY_NAME must name a variable that holds the key, one line without spaces.');
  }
  const path = withoutTrailingSlashes(url.pathname);
  return { baseUrl: `${url.origin}${path === '' ? '/v1' : path}`, model, apiKey };
}
