/**
 * Measures how many signed requests a second are verified: `Mesh-Sig` parsed and checked in process, by a hundred keys
 * in turn, compared to the bare verification of node:crypto with a parsed key; and the same by the built daemon over
 * HTTP, which also records the nonce on disk before it responds.
 */
import { spawn } from 'node:child_process';
import { createHash, createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SigningKey } from '../../daemon/lib/crypto/ed25519.js';
import { checkMeshSig, parseMeshSig, signMeshSig } from '../../daemon/lib/crypto/mesh-sig.js';
import { median, report, rounded } from './measure.js';

const ROUNDS = 5;
const REQUESTS = 2000;
const CONNECTIONS = 50;
const GOAL_PER_SECOND = 5000;
const BODY = JSON.stringify({ success: true, latency_ms: 800, quality: 5, paid: true });
/**
 * The agent does not exist: only the signature is measured, which is checked, and its nonce recorded, before the agent
 * is looked up.
 */
const PATH = '/v1/agents/nobody-at-all/feedback';
const NOT_FOUND = 404;

const daemonProgram = fileURLToPath(new URL('../../dist/daemon.js', import.meta.url));

const keys = Array.from({ length: 100 }, () => new SigningKey(SigningKey.newSeed()));
const keyAt = (i: number) => keys[i % keys.length] as SigningKey;
const signedAt = (i: number) => signMeshSig(keyAt(i), { method: 'POST', path: PATH, body: BODY }, Date.now());

/** Returns the requests a second of a run of `REQUESTS`. */
function perSecond(run: () => void): number {
  const started = performance.now();
  run();
  return (REQUESTS * 1000) / (performance.now() - started);
}

function inProcess(): number {
  const headers = Array.from({ length: REQUESTS }, (_, i) => signedAt(i));
  const nowMs = Date.now();
  return perSecond(() => {
    for (const header of headers) checkMeshSig(parseMeshSig(header), { method: 'POST', path: PATH, body: BODY }, nowMs);
  });
}

function bareCrypto(): number {
  const made = Array.from({ length: REQUESTS }, (_, i) => {
    const { pubkey, ts, nonce, sig } = parseMeshSig(signedAt(i));
    const digest = createHash('sha256').update(BODY).digest('hex');
    const x = Buffer.from(pubkey, 'base64').toString('base64url');
    return {
      key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
      text: Buffer.from(['v1', 'POST', PATH, digest, ts, nonce].join('\n')),
      sig: Buffer.from(sig, 'base64'),
    };
  });
  return perSecond(() => {
    for (const { key, text, sig } of made)
      if (!verify(null, text, key, sig)) throw new Error('A signature did not verify.');
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

function post(port: number, header: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length, 'mesh-sig': header };
    httpRequest({ host: '127.0.0.1', port, method: 'POST', path: PATH, agent, headers }, (response) => {
      response.resume();
      response.once('end', () =>
        response.statusCode === NOT_FOUND ? resolve() : reject(new Error(`Answered ${response.statusCode}.`)),
      );
    })
      .once('error', reject)
      .end(BODY);
  });
}

async function overHttp(port: number): Promise<number> {
  const headers = Array.from({ length: REQUESTS }, (_, i) => signedAt(i));
  const started = performance.now();
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    for (let header = headers.pop(); header !== undefined; header = headers.pop()) await post(port, header);
  });
  await Promise.all(workers);
  return (REQUESTS * 1000) / (performance.now() - started);
}

const root = mkdtempSync(join(tmpdir(), 'meshd-bench-signatures-'));
const daemon = spawn(process.execPath, [daemonProgram, '--root', root, '--port', '0'], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
const ended = new Promise((resolve) => daemon.once('exit', resolve));
try {
  const port = await new Promise<number>((resolve, reject) => {
    daemon.once('message', (word: { type: string; port?: number; message?: string }) =>
      word.type === 'listening' && word.port !== undefined ? resolve(word.port) : reject(new Error(word.message)),
    );
    daemon.once('exit', (exit) => reject(new Error(`The daemon ended with ${exit} before it listened.`)));
  });
  inProcess();
  await overHttp(port);
  const ours: number[] = [];
  const bare: number[] = [];
  const http: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(bareCrypto());
    ours.push(inProcess());
    http.push(await overHttp(port));
  }
  const peer = median(bare);
  const told = (values: number[]) => ({
    unit: '/s',
    ours: rounded(median(values), 0),
    min: rounded(Math.min(...values), 0),
    max: rounded(Math.max(...values), 0),
    peer: { name: 'node:crypto verify', value: rounded(peer, 0) },
    ratio: rounded(median(values) / peer, 2),
    rounds: ROUNDS,
  });
  report({
    bench: 'signatures',
    measure: 'Mesh-Sig verified in process',
    ...told(ours),
    goal: `>= ${GOAL_PER_SECOND}/s`,
    pass: median(ours) >= GOAL_PER_SECOND,
  });
  report({
    bench: 'signatures',
    measure: 'signed POSTs over HTTP, nonce on disk, signed by a client on the same cores',
    ...told(http),
  });
} finally {
  agent.destroy();
  daemon.kill('SIGTERM');
  await ended;
  rmSync(root, { recursive: true, force: true });
}
