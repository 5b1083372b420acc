import type { Page, WebSocketRoute } from '@playwright/test';
import { expect, expectLive, open, test } from './fixtures.js';
import type { Step } from './scripted-agent.js';

const PARTS = 40;
const CUTS = 50;

test.use({ client: 'claude-code' });

const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });
const status = (page: Page) => page.locator('main header').getByRole('status');

/** The WebSocket of a page to the daemon, which the test can cut. */
class Line {
  cuts = 0;
  isLaid = false;
  private socket: WebSocketRoute | undefined;
  private onFrame: (() => void) | undefined;

  async lay(page: Page): Promise<void> {
    await page.routeWebSocket(/\/events/, (socket) => {
      this.socket = socket;
      this.isLaid = true;
      socket.connectToServer().onMessage((frame) => (this.onFrame ? this.onFrame() : socket.send(frame)));
    });
  }

  async cut(): Promise<void> {
    this.cuts += 1;
    this.isLaid = false;
    this.onFrame = undefined;
    await this.socket?.close({ code: 3001 });
  }

  /** Cuts the connection while the next frame is being delivered, so that the frame is lost. */
  cutInMidair(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onFrame = () => void this.cut().then(resolve, reject);
    });
  }
}

/**
 * Returns the next part of the answer: a tool call, code or a list that stays open over several parts, or text. Each
 * contains its own mark.
 */
function part(number: number): Step {
  const mark = getMark(number);
  if (number % 10 === 4) return { tool: { name: 'Read', input: { file_path: mark }, output: `${number} lines` } };
  if (number % 10 === 6) return { text: `\n\n\`\`\`ts\nimport '${mark}';\n` };
  if (number % 10 === 9) return { text: `// ${mark}\n\`\`\`\n\n1. It ends.\n` };
  return { text: `2. \`${mark}\` says **${'more '.repeat(number % 7)}**. \n` };
}

const getMark = (number: number) => `p${number}.ts`;

/** Waits until the transcript contains the mark; checks every frame. */
const shows = (page: Page, number: number) =>
  page.waitForFunction((mark) => document.querySelector('[role=log]')?.textContent.includes(mark), getMark(number));

/** Makes a page that has noticed the cut reconnect at once, as a tab does when it becomes visible. */
const wake = (page: Page) =>
  page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    const isLive = [...document.querySelectorAll('[role=status]')].some((one) => one.textContent === 'Live');
    if (!isLive) document.dispatchEvent(new Event('visibilitychange'));
  });

test(`a line that is cut ${CUTS} times during a turn shows what an uncut one shows`, async ({
  page,
  context,
  agent,
  project,
}) => {
  test.slow();
  const numbers = Array.from({ length: PARTS }, (_, at) => at + 1);
  agent.plays(...numbers.flatMap((number) => [agent.gate(String(number)), part(number)]), agent.gate('end'), {
    text: 'That is all.',
  });
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  const line = new Line();
  await line.lay(page);
  const uncut = await context.newPage();
  for (const tab of [page, uncut]) await open(tab, project, `/talk/${conv}`);
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'Tell it in parts' });
  for (const tab of [page, uncut]) await expect(status(tab)).toHaveText('working');

  const comeBack = async () => {
    while (!line.isLaid) await wake(page);
  };
  for (const number of numbers) {
    const say = () => agent.open(String(number));
    if (number % 4 === 0) {
      await line.cut();
      say();
      await shows(uncut, number);
    } else if (number % 4 === 1) {
      const cut = line.cutInMidair();
      say();
      await cut;
    } else if (number % 4 === 2) {
      say();
      await shows(page, number);
      await line.cut();
    } else {
      await line.cut();
      say();
      await shows(uncut, number);
      const cut = line.cutInMidair();
      await comeBack();
      await cut;
    }
    await comeBack();
  }
  expect(line.cuts).toBe(CUTS);
  await shows(uncut, PARTS);
  const written = async (tab: Page) => (await log(tab).innerText()).replace(/working .*/g, 'working');
  await expect.poll(async () => (await written(page)) === (await written(uncut))).toBe(true);

  agent.open('end');
  for (const tab of [page, uncut]) await expect(status(tab)).toHaveText('answered');
  const whole = (tab: Page) => log(tab).innerHTML();
  await expect.poll(async () => (await whole(page)) === (await whole(uncut))).toBe(true);
  for (const number of numbers) await shows(page, number);
  await page.reload();
  await expectLive(page);
  await expect.poll(async () => (await whole(page)) === (await whole(uncut))).toBe(true);
});
