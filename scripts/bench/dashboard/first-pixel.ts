/**
 * Measures the time from the write of a token by the agent program to the frame of a real Chromium that shows it:
 * through the daemon, its events, the socket and the transcript. The stand-in agent writes the time of each write; the
 * page, on the same clock, looks for it.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from '@playwright/test';
import { chromiumLaunch } from '../../../e2e/chromium.js';
import { quantile, report } from '../measure.js';

const TURNS = 100;
const TOKENS = 200;
/** Not a multiple of a frame's duration, so that tokens are distributed evenly over the time between two frames. */
const EVERY_MS = 43;
/** Time between the opening of a session and its first token; other output of the turn's start is rendered by then. */
const THINKS_MS = 150;
const GOAL_MS = 30;

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const daemonProgram = process.env['MESHD_E2E_DIST']
  ? join(process.env['MESHD_E2E_DIST'], 'daemon.js')
  : join(repository, 'dist/daemon.js');
const agentProgram = join(repository, 'daemon/testing/stand-ins/scripted-claude.mjs');

function startDaemon(root: string, scenario: string): Promise<{ child: ChildProcess; address: string }> {
  const child = fork(daemonProgram, ['--root', root, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, MESHD_CLAUDE_COMMAND: JSON.stringify([process.execPath, agentProgram, scenario]) },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (word: { type: string; address: string; message?: string }) =>
      word.type === 'listening' ? resolve({ child, address: word.address }) : reject(new Error(word.message)),
    );
    child.once('exit', (exit) => reject(new Error(`The daemon ended with ${exit}.`)));
  });
}

/**
 * Makes the page record, for each timestamp, the milliseconds from it to the end of the first frame that shows it in
 * the transcript.
 */
const watchStamps = (page: Page) =>
  page.evaluate(() => {
    const seen = new Set<string>();
    const due: number[] = [];
    const tookMs: number[] = [];
    Object.assign(window, { tookMs });
    new MutationObserver(() => {
      for (const [stamp] of document.querySelector('[role=log]')?.textContent?.matchAll(/1[78]\d{11}/g) ?? []) {
        if (seen.has(stamp)) continue;
        seen.add(stamp);
        due.push(Number(stamp));
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    // A message posted in a frame is received when that frame is rendered.
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => {
      const now = Date.now();
      for (const stamp of due.splice(0)) tookMs.push(now - stamp);
    };
    void (async () => {
      for (;;) {
        await new Promise(requestAnimationFrame);
        drawn.port2.postMessage(0);
      }
    })();
  });

/** Waits until `count` timestamps in total were seen and returns the recorded times. */
async function taken(page: Page, count: number): Promise<number[]> {
  const kept = await page.waitForFunction((wanted) => {
    const { tookMs } = window as unknown as { tookMs: number[] };
    return tookMs.length >= wanted && tookMs;
  }, count);
  return (await kept.jsonValue()) as number[];
}

function reportTook(measure: string, tookMs: readonly number[]): void {
  const shared = {
    bench: 'first-pixel',
    unit: 'ms',
    min: Math.min(...tookMs),
    max: Math.max(...tookMs),
    rounds: tookMs.length,
  };
  const p95 = quantile(tookMs, 0.95);
  report({ ...shared, measure: `${measure}, p50`, ours: quantile(tookMs, 0.5) });
  report({ ...shared, measure: `${measure}, p95`, ours: p95, goal: `< ${GOAL_MS} ms`, pass: p95 < GOAL_MS });
}

const root = mkdtempSync(join(tmpdir(), 'meshd-bench-pixel-'));
const scenario = join(root, 'scenario.json');
const plays = (...steps: object[]) => writeFileSync(scenario, JSON.stringify({ steps }));
execFileSync('git', ['init', '-q'], { cwd: root });
plays({ text: 'Ready.' });
const daemon = await startDaemon(root, scenario);
const browser = await chromium.launch(chromiumLaunch);
try {
  const api = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${daemon.address}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const { conv } = await api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const answered = async (turns: number) => {
    while ((await api<{ messages: number }>('GET', `/conversations/${conv}`)).messages < 2 * turns) await delay(20);
  };
  const say = (text: string) => api('POST', `/conversations/${conv}/messages`, { text });
  await page.goto(`${daemon.address}/app/talk/${conv}`);
  await say('Are you there?');
  await answered(1);
  await watchStamps(page);

  plays({ stamps: { count: 1, everyMs: THINKS_MS } }, { wait: 50 });
  for (let turn = 1; turn <= TURNS; turn += 1) {
    await say(`Turn ${turn}`);
    await taken(page, turn);
    await answered(turn + 1);
  }
  const first = await taken(page, TURNS);
  reportTook('first token of a turn to its frame', first);

  plays({ stamps: { count: TOKENS, everyMs: EVERY_MS } });
  await say('Tell me more');
  reportTook('token to its frame', (await taken(page, TURNS + TOKENS)).slice(TURNS));
} finally {
  await browser.close();
  daemon.child.removeAllListeners('exit');
  const ended = new Promise((resolve) => daemon.child.once('exit', resolve));
  daemon.child.kill('SIGTERM');
  await ended;
  rmSync(root, { recursive: true, force: true });
}
