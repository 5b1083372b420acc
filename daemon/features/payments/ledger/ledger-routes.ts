import { Readable } from 'node:stream';
import { type Static, Type } from 'typebox';
import { type Caps, CapsPatch, type Ledger as LedgerPage, LedgerQuery } from '../../../contract/payments.js';
import type { App } from '../../../http/route-types.js';
import type { Ledger } from './ledger.js';
import { CSV_HEAD, csvLines } from './ledger-csv.js';

const { limit: _limit, cursor: _cursor, ...filters } = LedgerQuery.properties;
const ExportQuery = Type.Object(filters, { additionalProperties: false });
type ExportQuery = Static<typeof ExportQuery>;

function* splitLines(ledger: Ledger, query: ExportQuery): Generator<string> {
  yield CSV_HEAD;
  for (const entries of ledger.all(query)) yield csvLines(entries);
}

/** The operator's routes to the ledger and to the spending caps. */
export async function ledgerRoutes(app: App, { ledger }: { ledger: Ledger }): Promise<void> {
  app.get<{ Querystring: LedgerQuery }>(
    '/ledger',
    {
      schema: {
        summary: 'Payments earned and spent, newest first, with balances and caps',
        tags: ['payments'],
        querystring: LedgerQuery,
        response: { 200: Type.Ref('Ledger') },
      },
    },
    async (request): Promise<LedgerPage> => ledger.list(request.query),
  );

  app.get<{ Querystring: ExportQuery }>(
    '/ledger/export.csv',
    { schema: { summary: 'The ledger as CSV', tags: ['payments'], querystring: ExportQuery } },
    (request, reply) => {
      void reply.headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="ledger.csv"',
      });
      return reply.send(Readable.from(splitLines(ledger, request.query)));
    },
  );

  app.patch<{ Body: CapsPatch }>(
    '/ledger/caps',
    {
      schema: {
        summary: 'Change the spending caps',
        tags: ['payments'],
        body: CapsPatch,
        response: { 200: Type.Ref('Caps') },
      },
    },
    async (request): Promise<Caps> => ledger.setCaps(request.body),
  );
}
