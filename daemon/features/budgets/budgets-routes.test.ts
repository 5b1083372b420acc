import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('the operations of budgets are described, with the parameter of their paths', async () => {
  const app = await testApp();
  const operator = (answer: string, summary: string) => `conversations, operator, ${answer}, ${summary}`;
  expect(await describedOperations(app, /^\/budgets/)).toEqual({
    'GET /budgets': operator(
      '200 BudgetList',
      'What turns may spend, and what they have spent: A budget limits tokens, cost, minutes and turns of a ' +
        'conversation, of a member per day, or of a day in all. At a limit, running turns end as budget_exceeded and ' +
        'no other one starts. The limit can be overrun by what each running turn takes until its client reports again.',
    ),
    'GET /budgets/{scope}': operator('200 Budget', 'One budget, also without a limit'),
    'PUT /budgets/{scope}': operator('200 Budget', 'Set the limits of a budget'),
    'DELETE /budgets/{scope}': operator('204', 'Remove a budget'),
    'POST /budgets/{scope}/raise': operator('200 Budget', 'Raise a budget, and go on with what waits for it'),
    'POST /budgets/{scope}/leave': operator(
      '200 Budget',
      'Leave a budget as it is, although it is warned of or reached',
    ),
  });
  const { paths } = (await app.call('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, { parameters?: object[] }>>;
  };
  const ofScope = Object.entries(paths).filter(([path]) => path.startsWith('/budgets/'));
  const parameters = ofScope.flatMap(([, methods]) => Object.values(methods).map((one) => one.parameters));
  const scope = { in: 'path', name: 'scope', required: true };
  const told = { description: '`conversation:<conv>`, `member:<id>` or `day`.' };
  expect(parameters).toMatchObject(Array(5).fill([{ ...scope, ...told, schema: { type: 'string', maxLength: 200 } }]));
  expect((await app.call('GET', `/budgets/${'x'.repeat(201)}`)).status).toBe(400);
  expect((await app.call('GET', `/budgets/${'x'.repeat(200)}`)).status).toBe(404);
});
