import { describe, expect, it } from 'vitest';
import type { SignedReport } from '../../contract/network/reputation.js';
import type { SigningKey } from '../../lib/crypto/ed25519.js';
import { parseMeshSig, signMeshSig } from '../../lib/crypto/mesh-sig.js';
import { makeReceipt } from '../../lib/crypto/receipt.js';
import { newKey } from '../../testing/network-samples.js';
import { RECEIPT_FACTS } from '../../testing/receipt-facts.js';
import { isAbout, parseReport, recompute } from './report-log.js';

const T = 1_795_262_400;
const daemon = newKey();
const reporter = newKey();
const RECEIPT = makeReceipt(RECEIPT_FACTS, daemon);

/** An entry of the log as the bureau writes it, with what differs. */
function row(report: object | string, more: Partial<SignedReport> = {}, by: SigningKey = reporter): SignedReport {
  const { path = '/v1/agents/printer/feedback', seq = 1, proof = 'unbound', dims = { quality: 1 } } = more;
  const body = typeof report === 'string' ? report : JSON.stringify(report);
  const { pubkey, ...signature } = parseMeshSig(signMeshSig(by, { method: 'POST', path, body }, T * 1_000));
  const weight = { receipt: 1, payment: 1, bound: 0.25, unbound: 0.05 }[proof];
  return {
    ...{ seq, agent_id: 'printer', reporter: pubkey, reporter_agent_id: null, ...signature, method: 'POST' },
    ...{ path, body, dims, weight, proof, filed_at: T, ...more },
  };
}

const GOOD = { dims: { quality: 1 } };
const problems = (...rows: SignedReport[]) =>
  recompute('printer', rows, { known_daemons: [daemon.pubkey] }, T).problems.map(({ seq, said }) => `${seq}: ${said}`);

describe('isAbout', () => {
  it.each([
    ['POST', '/v1/agents/printer/feedback', true],
    ['POST', '/v1/agents/PRINTER/feedback', true],
    ['POST', '/v1/agents/pr%69nter/feedback', true],
    ['GET', '/v1/agents/printer/feedback', false],
    ['POST', '/v1/agents/plotter/feedback', false],
    ['POST', '/v1/agents/printer/feedback/', false],
    ['POST', '/v1/agents/printer/feedback?x=1', false],
    ['POST', '/x/v1/agents/printer/feedback', false],
    ['POST', '/v1/agents/printer/printer/feedback', false],
    ['POST', '/v1/agents//feedback', false],
    ['POST', '/v1/agents/%/feedback', false],
  ])('%s %s is a report about Printer: %s', (method, path, expected) => {
    expect(isAbout('Printer', { method, path })).toBe(expected);
  });
});

describe('parseReport', () => {
  it('reads a report, and nothing else', () => {
    expect(parseReport('{"success":true,"quality":5}')).toEqual({ success: true, quality: 5 });
    for (const body of ['', '{', '[]', 'null', '{"success":1}', '{"beauty":1}', '{"quality":6}'])
      expect([body, parseReport(body)]).toEqual([body, undefined]);
  });
});

describe('The check of a log', () => {
  it('finds nothing in an honest one, and gives its score', () => {
    const rows = [
      row(GOOD),
      row(GOOD, { seq: 2 }, newKey()),
      row({ ...GOOD, receipt: RECEIPT }, { seq: 5, proof: 'receipt' }),
      row({ ...GOOD, payment: { network: 'n', signature: 's' } }, { seq: 6, proof: 'payment' }),
    ];
    const { standing, problems: found } = recompute('Printer', rows, { known_daemons: [daemon.pubkey] }, T);
    expect([standing, found]).toEqual([{ score: 1, dims: { quality: 1 }, isSteady: true }, []]);
  });

  it('finds entries in another order, also one that is there twice', () => {
    expect(problems(row(GOOD, { seq: 2 }), row(GOOD, { seq: 1 }))).toEqual(['1: it is out of order']);
    expect(problems(row(GOOD, { seq: 2 }), row(GOOD, { seq: 2 }))).toEqual(['2: it is out of order']);
    expect(problems(row(GOOD, { seq: 0 }))).toEqual(['0: it is out of order']);
  });

  it('finds what was signed about another agent, or by nobody', () => {
    expect(problems(row(GOOD, { path: '/v1/agents/plotter/feedback' }))).toEqual([
      '1: what was signed is no report about this agent',
    ]);
    expect(problems({ ...row(GOOD), ts: T + 1 })).toEqual([expect.stringMatching(/^1: The signature does not fit/)]);
  });

  it.each([
    [-121, 0],
    [121, 0],
    [-122, 1],
    [122, 1],
  ])('takes an entry that was filed %s s after it was signed with %s problems', (seconds, count) => {
    const said = Array(count).fill('1: it was not filed when it was signed');
    expect(problems(row(GOOD, { filed_at: T + seconds }))).toEqual(said);
  });

  it('finds a nonce that its reporter used before', () => {
    const first = row(GOOD);
    expect(problems(first, { ...first, seq: 2 })).toEqual(['2: its nonce was used before']);
    const other = { ...row(GOOD, { seq: 2 }, newKey()), nonce: first.nonce };
    expect(problems(first, other)).toEqual([expect.stringMatching(/^2: The signature/)]);
  });

  it('finds a weight that does not follow from the proof', () => {
    expect(problems(row(GOOD, { weight: 1 }))).toEqual(['1: it weighs 1 where its proof gives 0.05']);
  });

  it('finds what is no report, and dimensions that were not signed', () => {
    expect(problems(row('{"beauty":1}'))).toEqual(['1: what was signed is no report']);
    expect(problems(row({}))).toEqual(['1: A report has either "dims" or outcomes, of which "success" is required.']);
    const wrong = '1: its dimensions are not those that were signed';
    for (const dims of [{ quality: 0.5 }, { quality: 1, speed: 1 }, {}, { speed: 1 }])
      expect(problems(row(GOOD, { dims }))).toEqual([wrong]);
  });

  it('finds a payment that the report does not name', () => {
    expect(problems(row(GOOD, { proof: 'payment' }))).toEqual(['1: it names no payment']);
  });

  it('finds a receipt that is missing, changed, of a stranger, or used before', () => {
    const shown = (receipt: object | undefined, seq = 1) =>
      row({ ...GOOD, ...(receipt && { receipt }) }, { proof: 'receipt', seq });
    expect(problems(shown(undefined))).toEqual(['1: its receipt is not valid']);
    expect(problems(shown({ ...RECEIPT, model: 'other' }))).toEqual(['1: its receipt is not valid']);
    expect(problems(shown(makeReceipt(RECEIPT_FACTS, newKey())))).toEqual(['1: its receipt is by no known daemon']);
    expect(problems(shown(RECEIPT), shown(RECEIPT, 2))).toEqual(['2: its receipt was used before']);
    const other = makeReceipt({ ...RECEIPT_FACTS, request_id: 'req-fedcba9876543210' }, daemon);
    expect(problems(shown(RECEIPT), shown(other, 2))).toEqual([]);
  });

  it('does not look at a receipt that is not the proof', () => {
    expect(problems(row({ ...GOOD, receipt: {} }))).toEqual([]);
  });
});
