import { Type } from 'typebox';
import {
  FundBody,
  TransferBody,
  type TransferDone,
  WALLET_NAME_PATTERN,
  type Wallet,
  WalletBody,
  type WalletList,
  WalletsQuery,
} from '../../contract/payments.js';
import { parseIdempotencyKey } from '../../http/callers/idempotency-key.js';
import type { App } from '../../http/route-types.js';
import type { Wallets } from './wallets.js';

const NamedParams = Type.Object({ name: Type.String({ pattern: WALLET_NAME_PATTERN }) });

/** The operator's routes to the wallets. */
export async function walletsRoutes(app: App, { wallets }: { wallets: Wallets }): Promise<void> {
  addCollectionRoutes(app, wallets);
  addWalletRoutes(app, wallets);
}

function addCollectionRoutes(app: App, wallets: Wallets): void {
  app.get<{ Querystring: WalletsQuery }>(
    '/wallets',
    {
      schema: {
        summary: 'Every wallet on every network',
        tags: ['payments'],
        querystring: WalletsQuery,
        response: { 200: Type.Ref('WalletList') },
      },
    },
    async (request): Promise<WalletList> => {
      const found = await wallets.list(request.query.neighbours);
      return { wallets: found, count: found.length };
    },
  );

  app.post<{ Body: WalletBody }>(
    '/wallets',
    {
      schema: {
        summary: 'Make a wallet; one of that name that is there is left as it is',
        tags: ['payments'],
        body: WalletBody,
        response: { 200: Type.Ref('Wallet'), 201: Type.Ref('Wallet') },
      },
    },
    async (request, reply): Promise<Wallet> => {
      const { wallet, isNew } = await wallets.create(request.body.name);
      void reply.code(isNew ? 201 : 200);
      return wallet;
    },
  );
}

function addWalletRoutes(app: App, wallets: Wallets): void {
  app.post<{ Params: { name: string }; Body: FundBody }>(
    '/wallets/:name/fund',
    {
      schema: {
        summary: 'Give a wallet lamports of the local network, which are not real money',
        tags: ['payments'],
        params: NamedParams,
        body: FundBody,
        response: { 200: Type.Ref('Wallet') },
      },
    },
    async (request): Promise<Wallet> => wallets.fund(request.params.name, request.body.lamports),
  );

  app.post<{ Params: { name: string }; Body: TransferBody }>(
    '/wallets/:name/pay',
    {
      schema: {
        summary: 'Pay by hand; repeating it with the same Idempotency-Key pays once',
        tags: ['payments'],
        params: NamedParams,
        body: TransferBody,
        response: { 200: Type.Ref('TransferDone') },
      },
    },
    async (request): Promise<TransferDone> =>
      wallets.pay(request.params.name, request.body, parseIdempotencyKey(request, `pay ${request.params.name}`)),
  );
}
