import { Type } from 'typebox';
import { type Budget, BudgetEdit, type BudgetList, BudgetRaise } from '../../contract/work/budgets.js';
import type { App } from '../../http/route-types.js';
import type { Budgets } from './budgets.js';

const Params = Type.Object({
  scope: Type.String({
    maxLength: 200,
    description: '`conversation:<conv>`, `member:<id>` or `day`.',
  }),
});
const tags = ['conversations'];

/** Registers the operator's routes for budgets. */
export async function budgetsRoutes(app: App, { budgets }: { budgets: Budgets }): Promise<void> {
  addReadingRoutes(app, budgets);
  addChangingRoutes(app, budgets);
}

function addReadingRoutes(app: App, budgets: Budgets): void {
  app.get(
    '/budgets',
    {
      schema: {
        summary: 'What turns may spend, and what they have spent',
        description:
          'A budget limits tokens, cost, minutes and turns of a conversation, of a member per day, or of a day in ' +
          'all. At a limit, running turns end as budget_exceeded and no other one starts. The limit can be overrun ' +
          'by what each running turn takes until its client reports again.',
        tags,
        response: { 200: Type.Ref('BudgetList') },
      },
    },
    async (): Promise<BudgetList> => budgets.list(),
  );

  app.get(
    '/budgets/:scope',
    {
      schema: {
        summary: 'One budget, also without a limit',
        tags,
        params: Params,
        response: { 200: Type.Ref('Budget') },
      },
    },
    async (request): Promise<Budget> => budgets.get(request.params.scope),
  );
}

function addChangingRoutes(app: App, budgets: Budgets): void {
  app.put<{ Params: { scope: string }; Body: BudgetEdit }>(
    '/budgets/:scope',
    {
      schema: {
        summary: 'Set the limits of a budget',
        tags,
        params: Params,
        body: BudgetEdit,
        response: { 200: Type.Ref('Budget') },
      },
    },
    (request): Promise<Budget> => budgets.set(request.params.scope, request.body),
  );

  app.delete(
    '/budgets/:scope',
    { schema: { summary: 'Remove a budget', tags, params: Params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      await budgets.clear(request.params.scope);
      return reply.code(204).send(null);
    },
  );

  app.post<{ Params: { scope: string }; Body: BudgetRaise }>(
    '/budgets/:scope/raise',
    {
      schema: {
        summary: 'Raise a budget, and go on with what waits for it',
        tags,
        params: Params,
        body: BudgetRaise,
        response: { 200: Type.Ref('Budget') },
      },
    },
    (request): Promise<Budget> => budgets.raise(request.params.scope, request.body),
  );

  app.post(
    '/budgets/:scope/leave',
    {
      schema: {
        summary: 'Leave a budget as it is, although it is warned of or reached',
        tags,
        params: Params,
        response: { 200: Type.Ref('Budget') },
      },
    },
    (request): Promise<Budget> => budgets.leave(request.params.scope),
  );
}
