import type { Conversation } from '../../daemon/contract/conversations.js';
import { test } from '../fixtures.js';
import { CORPUS } from './corpus.js';
import { PlantedFields } from './planting.js';

test.use({ client: 'claude-code' });

const TURNS = [0, 10, 20, 30, 40, 50] as const;

test('what callers and agent programs say is only text', async ({ page, agent, project }) => {
  test.slow();
  const planting = new PlantedFields('caller');
  const { words, asciiWords } = {
    words: planting.words.bind(planting),
    asciiWords: planting.asciiWords.bind(planting),
  };
  agent.playsTo(
    'Ask the operator',
    ...TURNS.flatMap((turn) => [
      {
        tool: {
          name: words('tool.name', turn),
          input: { command: words('tool.target', turn) },
          output: words('tool.output', turn),
        },
      },
    ]),
    { text: words('answer.text') },
    {
      permission: {
        name: words('permission.tool'),
        input: { command: words('permission.target') },
        reason: words('permission.reason'),
      },
    },
    { error: words('turn.reason', 1) },
  );
  agent.playsTo('End badly', { error: words('turn.reason', 1) });
  agent.playsTo(
    'Answer well',
    { tool: { name: words('tool.name', 1), input: { command: words('tool.target', 1) } } },
    { text: words('answer.text') },
  );

  const talks: Conversation[] = [];
  for (const turn of CORPUS.keys()) {
    const body = {
      member: turn === 0 ? 'developer' : 'deployer',
      title: words('conversation.title', turn),
      ...(turn !== 0 && { model: asciiWords('conversation.model', turn) }),
    };
    if (turn === 0 || turn % 3 === 0) talks.push(await project.api<Conversation>('POST', '/conversations', body));
  }
  const conv = talks[0]?.conv ?? '';
  await project.api('POST', `/conversations/${conv}/messages`, {
    text: `Ask the operator ${words('ask.text')}`,
    context_docs: [{ filename: words('ask.document.name'), content: words('ask.document.content') }],
  });
  await planting.visit(
    page,
    project,
    '',
    'permission.tool',
    'permission.target',
    'permission.reason',
    'conversation.title',
  );
  await planting.visit(page, project, '/talk', 'conversation.title');
  await planting.visit(page, project, `/talk/${talks[1]?.conv}`, 'conversation.model');
  await planting.visit(page, project, `/talk/${conv}`, 'permission.reason', 'answer.text');
  for (const summary of await page.getByRole('log').locator('summary').all()) await summary.click();
  await planting.look(page, 'the transcript, opened', 'tool.output');
  await page.getByRole('group', { name: /asks:/ }).getByRole('button', { name: /Deny/ }).click();
  await planting.look(page, 'the turn that failed', 'turn.reason');

  const authorization = `Bearer ${await project.token('consultant')}`;
  const requests: string[] = [];
  for (const how of ['Answer well', 'End badly']) {
    const { request_id, poll } = await project.api<{ request_id: string; poll: string }>(
      'POST',
      '/team/consultant/ask',
      {
        text: `${words('ask.text')} ${how}`.slice(-16_000),
        context_docs: [{ filename: words('ask.document.name'), content: words('ask.document.content') }],
      },
      {
        authorization,
        'user-agent': asciiWords('ask.user_agent'),
        'idempotency-key': `${asciiWords('ask.idempotency_key')}`.slice(0, 120) + how.length,
      },
    );
    await project.api('GET', `${poll}?wait=30`, undefined, { authorization });
    requests.push(request_id);
  }
  await planting.visit(page, project, '');
  await planting.visit(page, project, '/requests', 'ask.text', 'ask.user_agent');
  await fetch(`${project.address}/team/consultant/ask`, {
    method: 'POST',
    headers: { 'user-agent': asciiWords('ask.user_agent') },
  });
  for (const tab of ['refused', 'usage']) await planting.visit(page, project, `/requests?tab=${tab}`, 'ask.user_agent');
  await planting.visit(page, project, `/requests/${requests[0]}`, 'answer.text', 'ask.user_agent');
  await page.getByText('1 document attached').click();
  await page.getByText('Raw JSON').click();
  await planting.look(page, 'the request, opened', 'ask.document.content', 'ask.idempotency_key');
  await planting.visit(page, project, `/requests/${requests[1]}`, 'turn.reason');
  planting.expectWhole();
});
