import { Ajv, type ValidateFunction } from 'ajv';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import { CatalogEntry, type CatalogImportBody, type CatalogImported } from '../../contract/network/registry.js';
import { checkAgentId } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import type { RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

/** Compiled at the first import. */
let validator: ValidateFunction | undefined;

/** Validates `value` as a catalog entry and returns it. Throws `bad_request` with the reason. Contract: Unified API. */
function checkedEntry(value: unknown): CatalogEntry {
  validator ??= new Ajv({ strict: false, allErrors: false }).compile(CatalogEntry);
  if (!validator(value)) {
    const [error] = validator.errors ?? [];
    const params = (error?.params ?? {}) as Record<string, unknown>;
    const steps = (error?.instancePath ?? '').split('/').slice(1);
    if (error?.keyword === 'additionalProperties')
      throw bad(`"${String(params['additionalProperty'])}" is no key of a catalog entry.`);
    if (error?.keyword === 'required') throw bad(`"${String(params['missingProperty'])}" is required.`);
    throw bad(`${steps.length === 0 ? 'The line' : `"${steps.join('.')}"`} ${error?.message ?? 'is not valid'}.`);
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
  constructor(
    private readonly store: RegistryStore,
    private readonly onChanged: (agentId: string) => void,
  ) {}

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
    const touched: string[] = [];
    const counts = await this.store.write(() => {
      let added = 0;
      let updated = 0;
      let rows = this.store.count();
      for (const { index, entry } of good) {
        const row = this.store.find(entry.agent_id);
        if (!row && rows >= REGISTRATIONS_MAX) {
          refuse(
            index,
            entry,
            new MeshError('overloaded', `The registry holds ${REGISTRATIONS_MAX} rows, which is all it can.`),
          );
          continue;
        }
        this.store.put(row && row.rid !== null ? { ...row, catalog: entry } : createStub(entry));
        if (row) updated += 1;
        else added += 1;
        rows += row ? 0 : 1;
        touched.push(row && row.rid !== null ? row.agent_id : entry.agent_id);
      }
      return { added, updated };
    });
    for (const agentId of touched) this.onChanged(agentId);
    return { ...counts, refused: refused.sort((a, b) => a.index - b.index) };
  }
}
