// Loaded into a daemon and each of its workers before their own code. Makes every run deterministic.
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const net = require('node:net');
const { isMainThread } = require('node:worker_threads');

const { MESHD_E2E_START, MESHD_E2E_PORT } = process.env;
/** The step of the daemon's `--test-clock 1`, in milliseconds. */
const STEP_MS = 1_000;
const SHOWN_PORT = Number(MESHD_E2E_PORT);
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

// Time stands still until a message advances it. Both clocks advance equally.
let passedMs = 0;
const RealDate = Date;
const now = () => Number(MESHD_E2E_START) + passedMs;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [now()] : args));
  }
  static now() {
    return now();
  }
};
performance.now = () => passedMs;

// Long timers never fire by themselves. They are run when the time is advanced that far, and not because a run takes
// long.
const LONG_MS = 15_000;
const NEVER_MS = 2 ** 31 - 1;
const { setTimeout } = globalThis;
globalThis.setTimeout = (run, ms, ...rest) => setTimeout(run, ms >= LONG_MS ? NEVER_MS : ms, ...rest);

// Every calling function has its own sequence, so its values do not depend on how often another function draws.
const rows = new Map();
const { randomBytes } = crypto;
/**
 * Callers that get real random bytes: the mark of a started program is searched for on the whole machine, so two
 * daemons must not use the same.
 */
const UNIQUE = new Set(['ProcessGroups.start']);
function draw(size) {
  const caller = /at (?:async )?([\w.$]+)/.exec(new Error().stack.split('\n')[3])?.[1] ?? 'nobody';
  if (UNIQUE.has(caller)) return randomBytes(size);
  const drawn = rows.get(caller) ?? 0;
  rows.set(caller, drawn + 1);
  return crypto.createHash('shake256', { outputLength: size }).update(`${caller} ${drawn}`).digest();
}
crypto.randomBytes = (size) => draw(size);
crypto.randomUUID = () => {
  const hex = draw(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
};
const { generateKeyPairSync } = crypto;
crypto.generateKeyPairSync = (type, ...rest) => {
  if (type !== 'ed25519') return generateKeyPairSync(type, ...rest);
  const privateKey = crypto.createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, draw(32)]),
    format: 'der',
    type: 'pkcs8',
  });
  return { privateKey, publicKey: crypto.createPublicKey(privateKey) };
};
syncBuiltinESMExports();

// Listens at a free port, and reports the same port on every run.
let realPort;
const { address } = net.Server.prototype;
net.Server.prototype.address = function () {
  const real = Reflect.apply(address, this, []);
  if (typeof real !== 'object' || real === null) return real;
  realPort = real.port;
  return { ...real, port: SHOWN_PORT };
};
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  if (options?.port && Number(options.port) === SHOWN_PORT) options.port = realPort;
  return Reflect.apply(connect, this, args);
};

if (isMainThread && process.send) {
  // Keeps the IPC channel to the parent, which the daemon would close once it listens. The time is advanced over it.
  process.disconnect = () => undefined;
  process.on('disconnect', () => process.exit());
  const send = process.send.bind(process);
  process.send = (message, ...rest) => send({ ...message, realPort }, ...rest);
  process.on('message', ({ ms }) => {
    // SIGUSR2 makes the daemon's own test clock run what is due, which advances the time by one step.
    passedMs += ms < STEP_MS ? ms : ms - STEP_MS;
    if (ms >= STEP_MS) process.emit('SIGUSR2', 'SIGUSR2');
    send({ type: 'passed' });
  });
}
