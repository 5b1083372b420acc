import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { FeedbackBody, FoundAgent, SearchFilters, SearchResult } from '../../contract/network/oracle.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { newQueryId } from '../../lib/ids.js';
import type { Clock } from '../../lib/time/clock.js';
import { type AnswerList, AnswerLists, type Ranked } from './answer-lists.js';
import type { CatalogRow, CatalogSource } from './catalog-source.js';
import { type Constraints, createConstraints } from './constraints.js';
import { type Cursor, readCursor, writeCursor } from './cursor.js';
import type { Impressions } from './impressions.js';
import { LiveIndex } from './live-index.js';
import { listNotCallable } from './not-callable.js';
import type { OracleStore } from './oracle-store.js';
import type { Rates } from './price.js';
import { byScore, computeReliability, type History, listingScore, promote, scoreFound } from './ranking.js';
import type { Responses } from './responses.js';
import type { Candidate } from './search-index.js';
import type { EmbeddedCatalog } from './vectors/embedded-catalog.js';

/** A search request, from a body or from a query string. */
interface Search {
  query: string;
  filters: SearchFilters;
  explain: boolean;
}

interface OracleParts {
  source: CatalogSource;
  store: OracleStore;
  impressions: Impressions;
  clock: Clock;
  responses: Responses;
  /** What is known about the conduct of an agent. Cheap. */
  getHistory: (agentId: string) => History;
  /** Additions to the scores of partners' agents, by `agentKey`. */
  promoted: ReadonlyMap<string, number>;
  rates: Rates;
  /** Vectors of an embedding endpoint, if one is configured. */
  embedded: EmbeddedCatalog | undefined;
  /** Whether this daemon has a wallet to pay from. Never rejects. */
  hasWallet: () => Promise<boolean>;
  warn: (message: string) => void;
}

const FEEDBACK_PER_DAY = 5;
const DAY_MS = 86_400_000;

/**
 * Search over the catalog of agents: a read-only projection that stores only how often agents were shown and reached.
 * Rows are read from the catalog when they are shown, so a removed agent is in no response. Spec: What the service
 * does, 3; contract: Oracle.
 */
export class Oracle {
  readonly index: LiveIndex;
  private readonly lists = new AnswerLists();

  constructor(private readonly parts: OracleParts) {
    const { source, clock, getHistory, rates, embedded, warn } = parts;
    this.index = new LiveIndex({ source, clock, getHistory, rates, warn });
    if (embedded) this.index.onLaidOut((index) => embedded.follow(index));
    source.onChanged((agentId) => {
      if (source.find(agentId)) embedded?.changed();
    });
  }

  /** Reads the catalog in the background. A search that arrives meanwhile waits until it is read. */
  start(): void {
    this.index.start();
  }

  /** Deletes the counts of an agent, unless the catalog still has it. Durable before it resolves. */
  async agentGone(agentId: string): Promise<void> {
    if (this.parts.source.find(agentId)) return;
    this.parts.impressions.forget(agentId);
    this.parts.responses.forget(agentId);
    await this.parts.store.forget(agentId);
  }

  async stop(): Promise<void> {
    this.parts.embedded?.stop();
    await this.index.close();
    await this.parts.impressions.write();
    await this.parts.responses.write();
  }

  /**
   * Returns the agents that match the query and pass the filters, best first. Without a query: those with the best
   * standing, the most recently seen first among equals. The list of a search ends after about 500 rows, without a
   * query after 1,000. `cursor` continues in the same list while it is stored, and after that at the same position in a
   * new list. Counts an impression for every row. Throws `bad_request` for a cursor that is malformed or belongs to
   * another search. Contract: Oracle.
   */
  async search({
    query,
    filters: { limit = LIST_LIMIT_DEFAULT, cursor, ...filters },
    explain,
  }: Search): Promise<SearchResult> {
    const constraints = createConstraints(filters);
    const digest = sha256(JSON.stringify([query, constraints]))
      .toString('base64url')
      .slice(0, 11);
    const from = cursor === undefined ? undefined : readCursor(cursor, digest);
    const queryId = from?.queryId ?? newQueryId();
    const kept = from && this.lists.find(from.queryId, digest);
    const list = kept ?? (await this.list(query, constraints, digest));
    const { rows, end } = this.page(list, this.findOffset(list, from, kept !== undefined), limit, constraints);
    const last = list.rows[end - 1];
    const hasMore =
      last !== undefined && list.rows.slice(end).some(({ agentId }) => this.shown(agentId, constraints) !== undefined);
    if (hasMore) this.lists.keep(queryId, list);
    const hasWallet = await this.parts.hasWallet();
    return {
      agents: rows.map(([ranked, row]) => this.found(ranked, row, hasWallet, explain)),
      count: rows.length,
      query_id: queryId,
      unfilterable: list.unfilterable,
      next_cursor: hasMore
        ? writeCursor({ queryId, digest, offset: end, score: last.score, agentId: last.agentId })
        : null,
      ...(explain ? { filtered: list.filtered, vectors: list.vectors } : {}),
    };
  }

  /**
   * Counts a message that reached an agent. More than five messages of one pair per UTC day, and messages to oneself,
   * are accepted but not counted. Throws `not_found` for an agent that is not in the catalog. Durable when it resolves.
   * Contract: Oracle.
   */
  async feedback({ requester, agent_id }: FeedbackBody): Promise<void> {
    if (!this.parts.source.find(agent_id))
      throw new MeshError('not_found', 'There is no agent with this id to give feedback about.');
    if (agentKey(requester) === agentKey(agent_id)) return;
    const day = Math.floor(this.parts.clock.now() / DAY_MS);
    await this.parts.store.addMessageThrough(agent_id, requester, day, FEEDBACK_PER_DAY);
  }

  private async list(query: string, constraints: Constraints, digest: string): Promise<AnswerList> {
    await this.index.ready;
    const vector = query.trim() === '' ? undefined : await this.parts.embedded?.query(query);
    const index = this.index.current;
    const bearing = vector && index.embeddedBearing(vector);
    const { lacking, filtered, ...found } = index.find(query, constraints, this.parts.clock.now(), bearing);
    return {
      digest,
      rows: this.rank(found),
      unfilterable: [...lacking].map(([{ constraint, reason }, dropped]) => ({ constraint, reason, dropped })),
      filtered: Object.fromEntries(filtered),
      vectors: bearing ? 'embeddings' : 'catalog',
    };
  }

  private rank({ candidates, isListing }: { candidates: readonly Candidate[]; isListing: boolean }): Ranked[] {
    const { getHistory, promoted, clock } = this.parts;
    const nowMs = clock.now();
    return candidates
      .map(({ agentId, seenMs, text, semantic, capability, named }) => {
        const evidence = { text, semantic, capability };
        const history = getHistory(agentId);
        const own =
          isListing && !named
            ? listingScore(computeReliability(history), seenMs, nowMs)
            : scoreFound({ ...evidence, named }, history);
        const { score, added } = promote(own, promoted.get(agentKey(agentId)) ?? 0);
        return { agentId, score, evidence, history, promoted: added };
      })
      .sort(byScore);
  }

  /**
   * Returns the offset at which the page starts. A new list may differ from the old one, so in it the position of the
   * last shown row is used.
   */
  private findOffset(list: AnswerList, from: Cursor | undefined, isSameList: boolean): number {
    if (!from) return 0;
    if (isSameList) return from.offset;
    const after = list.rows.findIndex((row) => byScore(row, from) > 0);
    return after < 0 ? list.rows.length : after;
  }

  private page(
    list: AnswerList,
    start: number,
    limit: number,
    constraints: Constraints,
  ): { rows: [Ranked, CatalogRow][]; end: number } {
    const rows: [Ranked, CatalogRow][] = [];
    let end = start;
    for (; end < list.rows.length && rows.length < limit; end += 1) {
      const ranked = list.rows[end] as Ranked;
      const row = this.shown(ranked.agentId, constraints);
      if (!row) continue;
      rows.push([ranked, row]);
      this.parts.impressions.add(row.agentId);
    }
    return { rows, end };
  }

  /** Returns the agent's row, unless it was removed, or is offline in a search for online agents. */
  private shown(agentId: string, { online_only }: Constraints): CatalogRow | undefined {
    if (online_only && !this.parts.source.isOnline(agentId)) return undefined;
    return this.parts.source.find(agentId);
  }

  private found(
    { score, evidence, history, promoted }: Ranked,
    row: CatalogRow,
    hasWallet: boolean,
    explain: boolean,
  ): FoundAgent {
    const isOnline = this.parts.source.isOnline(row.agentId);
    const not_callable = listNotCallable(row, isOnline, hasWallet);
    const { agentId, endpoint, description, tags, pricing, protocols } = row;
    return {
      agent_id: agentId,
      endpoint,
      description,
      tags: [...tags],
      pricing,
      protocols: [...protocols],
      online: isOnline,
      ...(not_callable.length > 0 ? { not_callable } : {}),
      oracle_score: rounded(score),
      ...(promoted > 0 ? { promoted: true } : {}),
      ...(explain
        ? {
            why: {
              text: rounded(evidence.text),
              semantic: rounded(evidence.semantic),
              capability: rounded(evidence.capability),
              reputation: history.reputation,
              response_rate: history.asked === 0 ? null : rounded(history.answered / history.asked),
              asked: history.asked,
              message_through: history.messagesThrough,
              promoted: rounded(promoted),
            },
          }
        : {}),
    };
  }
}

const rounded = (value: number) => Number(value.toFixed(6));
