import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import type { CatalogRow } from '../catalog-source.js';
import { SearchIndex } from '../search-index.js';
import { RelatedWords } from '../text/related-words.js';
import { Synonyms } from '../text/synonyms.js';
import { EmbeddedCatalog } from './embedded-catalog.js';
import { PROBE } from './embedding-batches.js';
import { TextsLate, TextsRefused } from './embedding-endpoint.js';

type Embed = (texts: readonly string[]) => Promise<(Float32Array | undefined)[]>;

const aRow = (agentId: string, description = `About ${agentId}.`): CatalogRow => ({
  ...EMPTY_ROW,
  agentId,
  description,
});
const manyRows = (count: number) => Array.from({ length: count }, (_, at) => aRow(`agent${at}`));
const vectorsOf: Embed = async (texts) => texts.map((text) => Float32Array.from([text.length, 1, 2]));

interface Setting {
  rows?: readonly CatalogRow[];
  model?: string;
  cached?: Map<string, Float32Array>;
}

/**
 * A catalog whose endpoint answers as `embed` says, and the texts that it was asked for, request by request, without
 * the probes of the model, which `probe` answers.
 */
function staged({ rows = [aRow('one')], model = 'small', cached = new Map() }: Setting = {}) {
  const clock = new FakeClock();
  const requests: { texts: readonly string[]; withinMs: number; signal: AbortSignal }[] = [];
  const warnings: string[] = [];
  const kept = new Map(rows.map((row) => [row.agentId, row]));
  const stage: { embed: Embed; probe: Embed } = { embed: vectorsOf, probe: vectorsOf };
  const embedded = new EmbeddedCatalog({
    endpoint: {
      settings: { baseUrl: 'http://127.0.0.1/v1', model, apiKey: undefined },
      embed: (texts, withinMs, signal) => {
        if (texts[0] === PROBE) return stage.probe(texts);
        requests.push({ texts, withinMs, signal });
        return Promise.resolve().then(() => stage.embed(texts));
      },
    },
    cache: {
      find: (key) => cached.get(key),
      put: (vectors) => {
        for (const [key, vector] of vectors) cached.set(key, vector);
      },
    },
    source: { find: (agentId) => kept.get(agentId) },
    clock,
    warn: (message) => void warnings.push(message),
  });
  onTestFinished(() => embedded.stop());
  const anIndex = () => {
    const index = new SearchIndex({ synonyms: new Synonyms(''), relatedWords: new RelatedWords(() => '') }, new Map());
    for (const row of kept.values()) index.put(row.agentId, row, null);
    return index;
  };
  const index = anIndex();
  const follow = async (of = index) => {
    embedded.follow(of);
    await embedded.settled();
  };
  const texts = () => requests.flatMap((request) => request.texts);
  return { clock, embedded, index, anIndex, kept, requests, texts, warnings, cached, stage, follow };
}

const failing: Embed = async () => {
  throw new Error('It failed.');
};

describe('the vectors of rows', () => {
  it('are asked for by the texts of the rows, in time, and kept by model and text', async () => {
    const { follow, requests, index, cached } = staged({ rows: [{ ...aRow('one'), tags: ['law'] }] });
    await follow();
    expect(requests.map(({ texts, withinMs }) => [texts, withinMs])).toEqual([[['About one.\nlaw\n\n'], 60_000]]);
    expect(index.embeddedSpace?.size).toBe(1);
    const other = staged({ rows: [{ ...aRow('two', 'About one.'), tags: ['law'] }], cached });
    await other.follow();
    expect([other.requests, other.index.embeddedSpace?.size]).toEqual([[], 1]);
    const largeModel = staged({ rows: [{ ...aRow('one'), tags: ['law'] }], model: 'large', cached });
    await largeModel.follow();
    expect(largeModel.texts()).toHaveLength(1);
  });

  it('are those of the first four thousand characters', async () => {
    const { follow, texts } = staged({ rows: [aRow('one', 'k'.repeat(5_000))] });
    await follow();
    expect(texts()).toEqual(['k'.repeat(4_000)]);
  });

  it('are asked for 64 at a time, and not at all for none', async () => {
    const exact = staged({ rows: manyRows(128) });
    await exact.follow();
    expect(exact.requests.map(({ texts }) => texts.length)).toEqual([64, 64]);
    const none = staged({ rows: [] });
    await none.follow();
    expect([none.requests, none.index.embeddedSpace]).toEqual([[], undefined]);
  });

  it('are not asked for rows that are gone', async () => {
    const { follow, texts, kept, index } = staged({ rows: manyRows(3) });
    kept.delete('agent1');
    index.remove('agent2');
    await follow();
    expect(texts()).toEqual(['About agent0.\n\n\n']);
  });

  it('of a row that is removed while they are fetched are not placed', async () => {
    const { follow, stage, index } = staged({ rows: manyRows(3) });
    stage.embed = (texts) => {
      index.remove('agent1');
      return vectorsOf(texts);
    };
    await follow();
    expect([index.embeddedSpace?.size, index.embeddedSpace?.has(0), index.embeddedSpace?.has(1)]).toEqual([
      2,
      true,
      false,
    ]);
  });

  it('are placed once two thousand are known, and then with every request', async () => {
    const { follow, stage, index } = staged({ rows: manyRows(2_200) });
    const sizes: (number | undefined)[] = [];
    stage.embed = (texts) => {
      sizes.push(index.embeddedSpace?.size);
      return vectorsOf(texts);
    };
    await follow();
    expect(sizes.slice(30)).toEqual([undefined, undefined, 2_048, 2_112, 2_176]);
    expect(index.embeddedSpace?.size).toBe(2_200);
  });

  it('that the cache knows are placed with those that are fetched', async () => {
    const first = staged({ rows: manyRows(70) });
    await first.follow();
    const second = staged({ rows: [...manyRows(70), aRow('late')], cached: first.cached });
    await second.follow();
    expect([second.texts(), second.index.embeddedSpace?.size]).toEqual([['About late.\n\n\n'], 71]);
  });

  it('of another length than those of the index are of another model: all rows are asked for again', async () => {
    const { follow, stage, index, kept, embedded, clock, warnings } = staged({ rows: manyRows(3) });
    await follow();
    await embedded.query('karn');
    stage.embed = stage.probe = async (texts) => texts.map(() => Float32Array.from([1, 2, 3, 4]));
    kept.set('late', aRow('late'));
    index.put('late', aRow('late'), null);
    embedded.changed();
    await embedded.settled();
    expect(warnings).toEqual([expect.stringContaining('another model: 4 numbers a vector instead of 3.')]);
    clock.advance(60_000);
    await embedded.settled();
    expect([index.embeddedSpace?.dimensions, index.embeddedSpace?.size]).toEqual([4, 4]);
    expect(await embedded.query('karn')).toHaveLength(4);
  });

  it('of another model of the same name are not those in the cache', async () => {
    const first = staged({ rows: manyRows(3) });
    await first.follow();
    const same = staged({ rows: manyRows(3), cached: first.cached });
    same.stage.probe = async ([text = '']) => [Float32Array.from([text.length, 1.01, 2])];
    await same.follow();
    expect(same.requests).toEqual([]);
    const other = staged({ rows: manyRows(3), cached: first.cached });
    other.stage.embed = other.stage.probe = async (texts) => texts.map(() => Float32Array.from([9, 9, 1]));
    await other.follow();
    expect([other.texts().length, other.index.embeddedSpace?.size]).toEqual([3, 3]);
  });

  it('of two lengths are placed where they are as long as the first', async () => {
    const { follow, index, cached, kept } = staged({ rows: manyRows(3) });
    await follow();
    // The first is the probe.
    const [, key] = cached.keys();
    cached.set(key as string, Float32Array.from([1, 2]));
    const other = staged({ rows: [...kept.values()], cached });
    await other.follow();
    expect([other.index.embeddedSpace?.dimensions, other.index.embeddedSpace?.size]).toEqual([2, 1]);
    expect(index.embeddedSpace?.size).toBe(3);
  });
});

describe('filling an index', () => {
  it('goes on with the index that replaces it', async () => {
    const { embedded, stage, index, anIndex, requests } = staged({ rows: manyRows(130) });
    const next = anIndex();
    stage.embed = (texts) => {
      if (requests.length === 1) embedded.follow(next);
      return vectorsOf(texts);
    };
    embedded.follow(index);
    await embedded.settled();
    // The first batch of the old index is known by then.
    expect(requests.map(({ texts }) => texts.length)).toEqual([64, 64, 2]);
    expect([index.embeddedSpace, next.embeddedSpace?.size]).toEqual([undefined, 130]);
  });

  it('is done once more for a row that comes meanwhile', async () => {
    const { embedded, stage, index, kept, requests, follow } = staged();
    stage.embed = (texts) => {
      if (requests.length === 1) {
        kept.set('late', aRow('late'));
        index.put('late', aRow('late'), null);
        embedded.changed();
      }
      return vectorsOf(texts);
    };
    await follow();
    expect(index.embeddedSpace?.size).toBe(2);
  });

  it('ends when the daemon stops, without another request or a warning', async () => {
    const { embedded, stage, requests, warnings, clock, follow } = staged({ rows: manyRows(130) });
    stage.embed = async (texts) => {
      embedded.stop();
      return vectorsOf(texts);
    };
    await follow();
    embedded.changed();
    await embedded.settled();
    expect([requests.length, requests[0]?.signal.aborted, warnings, clock.pending]).toEqual([1, true, [], 0]);
  });

  it('that is called off by the end of the daemon is no fault of the endpoint', async () => {
    const { embedded, stage, warnings, clock, follow } = staged();
    stage.embed = async () => {
      embedded.stop();
      throw new Error('It was called off.');
    };
    await follow();
    expect([warnings, clock.pending]).toEqual([[], 0]);
  });

  it('waits until there is an index', async () => {
    const { embedded, requests, follow, index } = staged();
    embedded.changed();
    await embedded.settled();
    expect(requests).toEqual([]);
    await follow();
    expect(index.embeddedSpace?.size).toBe(1);
  });

  it('lets others work after every 64 rows', async () => {
    const first = staged({ rows: manyRows(130) });
    await first.follow();
    const { embedded, index } = staged({ rows: manyRows(130), cached: first.cached });
    let rounds = 0;
    const count = () => {
      rounds += 1;
      if (!index.embeddedSpace) setImmediate(count);
    };
    setImmediate(count);
    embedded.follow(index);
    await embedded.settled();
    expect(rounds).toBeGreaterThanOrEqual(2);
  });
});

describe('an endpoint that failed', () => {
  it('is left alone for a minute, with one warning, and is then asked again', async () => {
    const { follow, stage, embedded, requests, warnings, clock, index } = staged();
    stage.embed = failing;
    await follow();
    embedded.changed();
    expect(await embedded.query('karn')).toBeUndefined();
    await embedded.settled();
    clock.advance(59_999);
    await embedded.settled();
    expect(requests.length).toBe(1);
    expect(warnings).toEqual(["It failed. Searches go by the catalog's own vectors; it is tried again in a minute."]);
    stage.embed = vectorsOf;
    clock.advance(1);
    await embedded.settled();
    expect([requests.length, index.embeddedSpace?.size, clock.pending]).toEqual([2, 1, 0]);
  });

  it('is warned of again when it still fails after a minute', async () => {
    const { follow, stage, embedded, warnings, clock } = staged();
    stage.embed = failing;
    await follow();
    clock.advance(60_000);
    await embedded.settled();
    expect([warnings.length, clock.pending]).toEqual([2, 1]);
  });

  it('for two queries at once is warned of once, and waits for one minute', async () => {
    const { stage, embedded, warnings, clock } = staged();
    stage.embed = failing;
    expect(await Promise.all([embedded.query('karn'), embedded.query('bolt')])).toEqual([undefined, undefined]);
    expect([warnings.length, clock.pending]).toEqual([1, 1]);
  });

  it('is not tried again after the daemon has stopped', async () => {
    const { follow, stage, embedded, clock } = staged();
    stage.embed = failing;
    await follow();
    embedded.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('the vector of a query', () => {
  it('is asked for once, with a minute to come', async () => {
    const { embedded, requests } = staged();
    const vector = await embedded.query('karn');
    expect([...(vector ?? [])]).toEqual([4, 1, 2]);
    expect(await embedded.query('karn')).toBe(vector);
    expect(requests.map(({ texts, withinMs }) => [texts, withinMs])).toEqual([[['karn'], 60_000]]);
  });

  it('that is known is told while the endpoint rests', async () => {
    const { embedded, stage } = staged();
    const vector = await embedded.query('karn');
    stage.embed = failing;
    await embedded.query('bolt');
    expect(await embedded.query('karn')).toBe(vector);
  });

  it('is waited for a second and a half, and kept when it comes later', async () => {
    const { embedded, stage, requests, clock, warnings } = staged();
    let load: () => void = () => undefined;
    const loaded = new Promise<void>((resolve) => {
      load = resolve;
    });
    stage.embed = (texts) => loaded.then(() => vectorsOf(texts));
    const first = embedded.query('karn');
    clock.advance(1_500);
    expect(await first).toBeUndefined();
    expect(await embedded.query('bolt')).toBeUndefined();
    expect([requests.length, requests[0]?.signal.aborted, warnings]).toEqual([1, false, []]);
    load();
    await vi.waitUntil(() => embedded.query('karn'));
    expect(requests.length).toBe(1);
    expect(await embedded.query('bolt')).toEqual(Float32Array.from([4, 1, 2]));
  });

  it('is kept for the last five hundred queries', async () => {
    const { embedded, requests } = staged();
    for (let number = 0; number < 500; number += 1) await embedded.query(`q${number}`);
    await embedded.query('q0');
    expect(requests.length).toBe(500);
    await embedded.query('new');
    await embedded.query('q1');
    expect(requests.length).toBe(501);
    await embedded.query('q0');
    expect(requests.length).toBe(502);
  });
});

describe('an endpoint that is slow', () => {
  it('is asked for half as many texts after each pause', async () => {
    const { follow, stage, index, requests, embedded, clock } = staged({ rows: manyRows(64) });
    stage.embed = async (texts) => {
      if (texts.length > 8) throw new TextsLate('It took too long.');
      return vectorsOf(texts);
    };
    await follow();
    for (let pause = 0; pause < 3; pause += 1) {
      clock.advance(60_000);
      await embedded.settled();
    }
    expect(requests.map(({ texts }) => texts.length)).toEqual([64, 32, 16, ...Array(8).fill(8)]);
    expect(index.embeddedSpace?.size).toBe(64);
  });

  it('is asked for sixteen thousand characters at once, and at least for one text', async () => {
    const rows = manyRows(6).map((row, at) => ({ ...row, description: `${at}`.repeat(4_000) }));
    const { follow, requests } = staged({ rows });
    await follow();
    expect(requests.map(({ texts }) => texts.length)).toEqual([4, 2]);
  });
});

describe('a text without a vector', () => {
  const failsFor =
    (start: string): Embed =>
    async (texts) =>
      (await vectorsOf(texts)).map((vector, at) => (texts[at]?.startsWith(start) ? undefined : vector));

  it('costs no other text its vector, and is not asked for again', async () => {
    const { follow, stage, index, requests, warnings, embedded, clock } = staged({ rows: manyRows(20) });
    stage.embed = failsFor('About agent3.');
    await follow();
    embedded.changed();
    await embedded.settled();
    expect([index.embeddedSpace?.size, warnings, requests.length, clock.pending]).toEqual([19, [], 1, 0]);
  });

  it('of an endpoint that computes none at all has failed', async () => {
    const { follow, stage, warnings } = staged({ rows: manyRows(2) });
    await follow();
    stage.embed = stage.probe = failsFor('');
    const late = staged({ rows: manyRows(2) });
    late.stage.embed = late.stage.probe = failsFor('');
    await late.follow();
    expect([warnings, late.warnings]).toEqual([[], [expect.stringContaining('without numbers')]]);
  });

  it('does not keep searches from the vectors of the others, up to half of the rows', async () => {
    const isUsed = async (blank: number) => {
      const rows = manyRows(10).map((row, at) => (at < blank ? { ...row, description: null } : row));
      const { follow, index, texts } = staged({ rows });
      await follow();
      expect(texts()).toHaveLength(10 - blank);
      return index.embeddedBearing(Float32Array.from([1, 1, 2])) !== undefined;
    };
    expect([await isUsed(4), await isUsed(6)]).toEqual([true, false]);
  });
});

describe('an endpoint that refuses', () => {
  const refusing =
    (isRefused: (texts: readonly string[]) => boolean): Embed =>
    async (texts) => {
      if (isRefused(texts)) throw new TextsRefused('It answered 400.');
      return vectorsOf(texts);
    };

  it('a long text gets the start of it, and the vectors of all others are there', async () => {
    const rows = manyRows(70);
    rows[2] = aRow('agent2', 'k'.repeat(2_500));
    const { follow, stage, index, texts, warnings, embedded } = staged({ rows });
    stage.embed = refusing((asked) => asked.some((text) => text.length > 600));
    await follow();
    expect([index.embeddedSpace?.size, texts().at(-1), warnings]).toEqual([70, 'About agent69.\n\n\n', []]);
    expect(texts()).toContain('k'.repeat(250));
    expect(await embedded.query('karn')).toHaveLength(3);
  });

  it('a text at any length goes without it, until the text is another', async () => {
    const { follow, stage, index, kept, requests, embedded, warnings } = staged({ rows: manyRows(20) });
    stage.embed = refusing((asked) => asked.some((text) => text.startsWith('About agent3.')));
    await follow();
    expect([index.embeddedSpace?.size, warnings]).toEqual([19, []]);
    const before = requests.length;
    embedded.changed();
    await embedded.settled();
    expect([requests.length - before, await embedded.query('About agent3.')]).toEqual([0, undefined]);
    expect(await embedded.query('karn')).toHaveLength(3);
    kept.set('agent3', aRow('agent3', 'Another.'));
    embedded.changed();
    await embedded.settled();
    expect(index.embeddedSpace?.size).toBe(20);
  });

  it('many texts at once is asked for fewer from then on', async () => {
    const { follow, stage, index, requests } = staged({ rows: manyRows(128) });
    stage.embed = refusing((asked) => asked.length > 10);
    await follow();
    expect(requests.map(({ texts }) => texts.length)).toEqual([64, 32, 16, ...Array(16).fill(8)]);
    expect(index.embeddedSpace?.size).toBe(128);
  });

  it('everything has failed', async () => {
    const { follow, stage, warnings, clock, index, embedded } = staged({ rows: manyRows(2) });
    stage.embed = refusing(() => true);
    await follow();
    expect(warnings).toEqual([]);
    stage.probe = stage.embed;
    expect(await embedded.query('karn')).toBeUndefined();
    expect([warnings.length, clock.pending, index.embeddedSpace]).toEqual([1, 1, undefined]);
  });
});
