// Loaded into a process and each of its workers before their own code.
const { appendFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const dns = require('node:dns');
const net = require('node:net');

/** Wraps `owner[name]` so that `see` is called with the arguments of every call before the original. */
function watch(owner, name, see) {
  const real = owner[name];
  if (typeof real !== 'function') return;
  owner[name] = function (...args) {
    see(args);
    return Reflect.apply(real, this, args);
  };
}

/** Appends to `file`, as one JSON object per line, what this thread connects to, looks up and starts. */
module.exports = (file) => {
  const record = (deed) => appendFileSync(file, `${JSON.stringify({ isMainThread, ...deed })}\n`);
  watch(net.Socket.prototype, 'connect', (args) => {
    // Node.js passes the arguments of its own connections as one normalized array.
    const [first, second] = Array.isArray(args[0]) ? args[0] : args;
    const options = typeof first === 'object' && first !== null ? first : { port: first, host: second };
    record({
      kind: 'connect',
      to: options.path ?? options.host ?? 'localhost',
      port: options.port,
      isLocal: options.path !== undefined,
    });
  });
  for (const name of ['connect', 'send'])
    watch(dgram.Socket.prototype, name, (args) => record({ kind: 'datagram', to: String(args.at(-2)) }));
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    const names = [
      'lookup',
      'lookupService',
      'reverse',
      ...Object.getOwnPropertyNames(owner).filter((name) => name.startsWith('resolve')),
    ];
    for (const name of names) {
      watch(owner, name, (args) => {
        // An IP address needs no lookup.
        if (net.isIP(String(args[0])) === 0) record({ kind: 'lookup', to: String(args[0]) });
      });
    }
  }
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    watch(childProcess, name, (args) => record({ kind: 'start', to: String(args[0]) }));
  }
  record({ kind: 'loaded' });
};
