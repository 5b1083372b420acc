import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import { CatalogEntry, type CatalogImportBody, type CatalogImported } from '../../contract/network/registry.js';
import { checkAgentId } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { ImportedEntries } from './registry-commands.js';

/** Compiled at the first import. */
let validator: ValidateFunction | undefined;

/** Validates `value` as a catalog entry and returns it. Throws `bad_request` with the reason. Contract: Unified API. */
function checkedEntry(value: unknown): CatalogEntry {
  validator ??= new Ajv({ strict: false, allErrors: false }).compile(CatalogEntry);
  if (!validator(value)) {
    const [{ keyword, params, instancePath, message }] = validator.errors as [ErrorObject];
    const steps = instancePath.split('/').slice(1);
    if (keyword === 'additionalProperties')
      throw bad(`"${String(params['additionalProperty'])}" is no key of a catalog entry.`);
    if (keyword === 'required') throw bad(`"${String(params['missingProperty'])}" is required.`);
    throw bad(`${steps.length === 0 ? 'The line' : `"${steps.join('.')}"`} ${message}.`);
  }
  const entry = value as CatalogEntry;
  // The operator imports entries that others have listed, so reserved id prefixes are allowed here. Registration
  // rejects them.
  checkAgentId(entry.agent_id, { isPartner: true });
  // URL parsers drop or rewrite blanks and invisible characters, but other users are shown the original text. Such URLs
  // are rejected.
  const url = !/[\p{C}\p{Z}]/u.test(entry.url) && URL.canParse(entry.url) ? new URL(entry.url) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw bad('"url" must be an http: or https: URL.');
  if (url.username !== '' || url.password !== '') throw bad('"url" must not carry credentials.');
  return entry;
}

const bad = (message: string) => new MeshError('bad_request', message);

/** The directory entries imported from elsewhere, on top of which agents may register. Spec: Catalog row. */
export class Catalog {
  constructor(private readonly log: SharedLog) {}

  /**
   * Adds entries, or replaces those with the same id. What an agent has registered on top of an entry is unchanged.
   * Entries are independent: an invalid one is reported by its index and the others are imported. All imported entries
   * are durable when the promise resolves. Idempotent.
   */
  async import({ entries }: CatalogImportBody): Promise<CatalogImported> {
    const refused: CatalogImported['refused'] = [];
    const good: { index: number; entry: CatalogEntry }[] = [];
    const refuse = (index: number, value: unknown, error: MeshError) => {
      const id = (value as { agent_id?: unknown } | null)?.agent_id;
      refused.push({ index, agent_id: typeof id === 'string' ? id.slice(0, 64) : null, reason: error.message });
    };
    entries.forEach((value, index) => {
      try {
        good.push({ index, entry: checkedEntry(value) });
      } catch (error) {
        if (!(error instanceof MeshError)) throw error;
        refuse(index, value, error);
      }
    });
    const imported = this.log.submit<ImportedEntries>('catalog.import', 'catalog', { entries: good });
    const { added, updated, full } = await imported;
    for (const { index, entry } of good.filter((one) => full.includes(one.index))) {
      const reason = `The registry holds ${REGISTRATIONS_MAX} rows, which is all it can.`;
      refuse(index, entry, new MeshError('overloaded', reason));
    }
    return { added, updated, refused: refused.sort((a, b) => a.index - b.index) };
  }
}
