// @vitest-environment happy-dom
import { useState } from 'react';
import { expect, it } from 'vitest';
import type { ClientChoice } from '../../../daemon/contract/clients.js';
import { drawPart, removeAfterEach, soon, stubDaemon } from '../../testing/drawn.js';
import { TestAndUse } from './test-and-use.js';

removeAfterEach();

it('uses only what has just been tested', async () => {
  const passed = { test: 't1', state: 'passed', answer: 'Hello', ms: 5, limit_seconds: 9, stage: 'ended' };
  stubDaemon(() => ({ body: passed }));
  const choice = (model: string) => ({ way: 'endpoint', model }) as unknown as ClientChoice;
  let choose = (_: string) => {};
  function Chosen() {
    const [model, setModel] = useState('one');
    choose = setModel;
    return <TestAndUse choice={choice(model)} missing={undefined} />;
  }
  const page = await drawPart(<Chosen />, { known: [[['team', 'list'], { members: [] }]] });
  expect(page.buttons()).toContain('Use. Test it first.');
  await page.press('Test');
  expect(page.words()).toContain('It works.');
  expect(page.buttons()).toContain('Use');
  await soon(() => choose('two'));
  expect(page.buttons()).toContain('Use. Test it first.');
  await soon(() => choose('one'));
  expect(page.buttons()).toContain('Use');
});
