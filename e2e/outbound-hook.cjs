// Loaded into a process, and into each of its workers, before its own program.
const { appendFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const dns = require('node:dns');
const net = require('node:net');

/** Calls `see` with the arguments of every call of `owner[name]`, which goes on as it was. */
function watch(owner, name, see) {
  const real = owner[name];
  if (typeof real !== 'function') return;
  owner[name] = function (...args) {
    see(args);
    return Reflect.apply(real, this, args);
  };
}

/** Writes into `file`, one JSON object a line, whom this thread connects to, what it looks up and what it starts. */
module.exports = (file) => {
  const record = (deed) => appendFileSync(file, `${JSON.stringify({ isMainThread, ...deed })}\n`);
  watch(net.Socket.prototype, 'connect', (args) => {
    // Node hands a connection of its own over as one list of what it has read already.
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
        // An address is no name: nobody is asked about it.
        if (net.isIP(String(args[0])) === 0) record({ kind: 'lookup', to: String(args[0]) });
      });
    }
  }
  for (const name of ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork']) {
    watch(childProcess, name, (args) => record({ kind: 'start', to: String(args[0]) }));
  }
  record({ kind: 'loaded' });
};
