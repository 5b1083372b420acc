#!/usr/bin/env node
/**
 * Starts the Firefox of `FIREFOX_PROGRAM` with the given arguments and relays WebDriver BiDi between it and the test
 * runner. Commands that this Firefox does not know get an empty answer, because the runner sends some that only set
 * what Firefox has from its preferences (colour scheme, screen size).
 */
import { spawn } from 'node:child_process';
import { WebSocket, WebSocketServer } from 'ws';

const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/;

/** Relays one connection of the runner to `address`. */
function relay(runner, address) {
  const browser = new WebSocket(address);
  const early = [];
  runner.on('message', (data) => {
    if (browser.readyState === WebSocket.OPEN) browser.send(String(data));
    else early.push(String(data));
  });
  browser.on('open', () => {
    for (const text of early) browser.send(text);
  });
  browser.on('message', (data) => {
    const message = JSON.parse(String(data));
    const isUnknown = message.type === 'error' && message.error === 'unknown command';
    runner.send(isUnknown ? JSON.stringify({ type: 'success', id: message.id, result: {} }) : String(data));
  });
  browser.on('close', () => runner.close());
  browser.on('error', () => runner.close());
  runner.on('close', () => browser.close());
}

const firefox = spawn(process.env.FIREFOX_PROGRAM, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'pipe'] });
firefox.stderr.on('data', (data) => {
  const [, address] = LISTENING.exec(String(data)) ?? [];
  if (address === undefined) return void process.stderr.write(data);
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 }, () =>
    process.stderr.write(`WebDriver BiDi listening on ws://127.0.0.1:${server.address().port}\n`),
  );
  server.on('connection', (runner, { url }) => relay(runner, `${address}${url}`));
});
firefox.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
firefox.on('exit', (code) => process.exit(code ?? 0));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => firefox.kill(signal));
