/**
 * Compiles the schemas of the daemon's routes at build time, because that is half of the daemon's work for its first
 * requests. The build bundles and runs this module; it prints the CommonJS module of each schema by key, as JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import serializerSelector from '@fastify/fast-json-stringify-compiler';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { composeDaemon } from '../../daemon/app/compose-daemon.js';
import { readConfig } from '../../daemon/config.js';
import { LocalKnowledge } from '../../daemon/features/knowledge/local-knowledge.js';
import { type CompilerInput, computeKey, validatorOptions } from '../../daemon/http/lazy-compilers.js';
import { systemClock } from '../../daemon/lib/time/clock.js';

/**
 * Returns the schemas of all routes that a daemon has at its start, by key. Composes a daemon over an empty folder that
 * never listens.
 */
export async function routeSchemas(): Promise<Map<string, CompilerInput>> {
  const root = mkdtempSync(join(tmpdir(), 'meshd-schemas-'));
  const found = new Map<string, CompilerInput>();
  try {
    const config = readConfig(['--root', root], {}, root, undefined);
    const daemon = await composeDaemon({
      config,
      version: '0.0.0',
      clock: systemClock,
      log: false,
      uiFolder: undefined,
      openKnowledge: (folder, state) => new LocalKnowledge(folder, state, config.environment),
      openClients: async () => ({
        create: () => [],
        findProgram: async () => ({ isFound: false, problem: null }),
      }),
      precompiled: { onSchema: (input) => void found.set(computeKey(input), input) },
    });
    await daemon.app.ready();
    await daemon.stop();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return found;
}

/** Returns the source of a module that exports the compiled validator or serializer. */
function getModule(input: CompilerInput): string {
  if ('validates' in input) {
    const ajv = new Ajv({ ...validatorOptions(input.isText), code: { source: true } });
    return standalone(ajv, ajv.compile(input.validates as object));
  }
  const options = { ...input.options, mode: 'standalone', inlineValidators: true };
  return serializerSelector()(input.named, options as never)({
    schema: input.serializes,
  } as never) as unknown as string;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const modules = [...(await routeSchemas())].map(([key, input]) => [key, getModule(input)]);
  process.stdout.write(JSON.stringify(Object.fromEntries(modules)));
}
