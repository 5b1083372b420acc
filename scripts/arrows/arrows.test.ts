import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { findCycles } from './cycles.js';
import { importsIn, readTree } from './imports.js';
import { findViolations } from './rules.js';

const inTree = (files: Record<string, string>) =>
  readTree(temporaryFolder({ 'daemon/client/x.ts': '', 'daemon/lib/x.ts': '', 'ui/main.tsx': '', ...files }), [
    'daemon',
    'ui',
  ]);
const breaches = (files: Record<string, string>) =>
  findViolations(inTree(files)).map(({ file, said: message }) => `${file}: ${message}`);

describe('reading imports', () => {
  it.each([
    ["import { a } from './a.js';", './a.js', false],
    ["import type { A } from './a.js';", './a.js', true],
    ["import { type A, b } from './a.js';", './a.js', false],
    ["import { type A } from './a.js';", './a.js', false],
    ["import type from './a.js';", './a.js', false],
    ["import a, {\n  b,\n  c,\n} from './a.js';", './a.js', false],
    ["import * as a from './a.js';", './a.js', false],
    ["import './a.css';", './a.css', false],
    ["export { a } from './a.js';", './a.js', false],
    ["export * from './a.js';", './a.js', false],
    ["export type { A } from './a.js';", './a.js', true],
    ["const a = await import('./a.js');", './a.js', false],
    ["import a from './a.json' with { type: 'json' };", './a.json', false],
  ])('%s', (text, specifier, isType) => {
    expect(importsIn(text)).toEqual([{ specifier, isType }]);
  });

  it.each([
    "// import { a } from './a.js';",
    "/**\n * import { a } from './a.js';\n */",
    'export const from = 1;',
    "export const a = 'from';\nconst b = 'x';",
  ])('finds no import in %j', (text) => {
    expect(importsIn(text)).toEqual([]);
  });

  it('separates adjacent statements', () => {
    const text =
      "import type { A } from 'a';\nimport { b } from 'b';\nexport function f() {}\nimport type { C } from 'c';";
    expect(importsIn(text)).toEqual([
      { specifier: 'a', isType: true },
      { specifier: 'b', isType: false },
      { specifier: 'c', isType: true },
    ]);
  });
});

describe('import cycles', () => {
  it('are found completely, including type imports', () => {
    const { arrows } = inTree({
      'daemon/lib/a.ts': "import { b } from './b.js';",
      'daemon/lib/b.ts': "import type { C } from './c.js';",
      'daemon/lib/c.ts': "import { a } from './a.js';",
      'daemon/lib/d.ts': "import { a } from './a.js';",
    });
    expect(findCycles(arrows)).toEqual([['daemon/lib/a.ts', 'daemon/lib/b.ts', 'daemon/lib/c.ts']]);
  });

  it('are not reported where two paths only share a target', () => {
    const { arrows } = inTree({
      'daemon/lib/a.ts': "import './b.js';\nimport './c.js';",
      'daemon/lib/b.ts': "import './d.js';",
      'daemon/lib/c.ts': "import './d.js';",
      'daemon/lib/d.ts': '',
    });
    expect(findCycles(arrows)).toEqual([]);
  });
});

describe('permitted imports', () => {
  it.each([
    ['daemon/features/asks/asks.ts', "import type { Exposure } from '../exposure/exposure.js';"],
    ['daemon/features/asks/asks-routes.ts', "import type { FastifyInstance } from 'fastify';"],
    ['daemon/events/events-socket.ts', "import type { FastifyInstance } from 'fastify';"],
    ['daemon/storage/file.ts', "import { open } from 'node:fs/promises';\nimport { x } from '../lib/x.js';"],
    ['daemon/cli/daemon/project.ts', "import { readFileSync } from 'node:fs';\nimport { x } from '../lib/x.js';"],
    ['daemon/cli/environment.ts', "import { env } from 'node:process';"],
    ['daemon/config.ts', 'export const port = process.env.PORT;'],
    ['daemon/app/compose-asks.ts', "import { Asks } from '../features/asks/asks.js';"],
    ['daemon/contract/team.ts', "import { Type } from 'typebox';"],
    ['daemon/lib/x.test.ts', "import { a } from '../testing/a.js';\nimport { b } from '../storage/b.js';"],
    ['ui/features/team/card.tsx', "import type { Member } from '../../../daemon/contract/team.js';"],
    ['ui/lib/api.test.ts', "import { drawPart } from '../testing/drawn.js';"],
    ['ui/gallery/stories/badge.tsx', "import { Badge } from '../../components/badge.js';"],
    ['daemon/client/ed25519.ts', "import nacl from 'tweetnacl';"],
    ['daemon/client/receipt-signature.ts', "import { jcs } from '../lib/crypto/jcs.js';"],
    ['ui/lib/signature.ts', "import { hasAcceptedForm } from '../../daemon/lib/crypto/ed25519-form.js';"],
  ])('%s', (file, text) => {
    const shared = {
      'daemon/lib/text/display-text.ts': '',
      'daemon/lib/crypto/ed25519-form.ts': '',
      'daemon/lib/crypto/jcs.ts': '',
    };
    expect(breaches({ ...shared, [file]: text })).toEqual([]);
  });
});

describe('forbidden imports', () => {
  it.each([
    ['daemon/contract/a.ts', "import { x } from '../lib/x.js';", 'contract may not know lib'],
    ['daemon/contract/a.ts', "import { z } from 'zod';", 'contract imports nothing but its schemas'],
    ['daemon/lib/a.ts', "import { db } from '../storage/db.js';", 'lib may not know storage'],
    ['daemon/storage/a.ts', "import type { Team } from '../features/team/team.js';", 'storage may not know features'],
    [
      'daemon/features/team/a.ts',
      "import { composeTeam } from '../../app/compose-team.js';",
      'features may not know app',
    ],
    ['daemon/features/asks/a.ts', "import { tokenOf } from '../exposure/exposure.js';", 'only as `import type`'],
    ['daemon/features/team/a.ts', "import type { Asks } from '../asks/asks.js';", 'team may not know asks'],
    ['daemon/features/weather/a.ts', "import type { Asks } from '../asks/asks.js';", 'weather has no row'],
    ['daemon/features/team/team.ts', "import type { FastifyInstance } from 'fastify';", 'may know Fastify'],
    ['daemon/features/team/team.ts', "import { readFileSync } from 'node:fs';", 'only storage touches the disk'],
    ['daemon/features/team/team.ts', "import { execFile } from 'node:child_process';", 'only storage touches the disk'],
    ['daemon/features/team/team.ts', 'const home = process.env.HOME;', 'reads environment and arguments'],
    [
      'daemon/features/team/team.ts',
      "import { aMember } from '../../testing/builders.js';",
      'product code never imports testing',
    ],
    ['daemon/cli/asks/ask.ts', "import { db } from '../../storage/db.js';", 'cli may not know storage'],
    ['daemon/lib/a.ts', "import { y } from '../../ui/lib/y.js';", 'nothing outside itself'],
    ['daemon/lib/a.ts', "import { call } from '../client/call.js';", 'only the command line'],
    ['daemon/client/call.ts', "import { LIMIT } from '../contract/limits.js';", 'only as `import type`'],
    ['daemon/client/call.ts', "import type { Clock } from '../lib/clock.js';", 'nothing but the contract'],
    ['daemon/client/call.ts', "import { WebSocket } from 'ws';", 'nothing but the contract'],
    ['ui/lib/api.ts', "import { LIMIT } from '../../daemon/contract/limits.js';", 'only as `import type`'],
    [
      'ui/lib/api.ts',
      "import type { Clock } from '../../daemon/lib/time/clock.js';",
      'nothing of the daemon but its contract',
    ],
    ['ui/lib/api.ts', "import { aMember } from '../../daemon/testing/builders.js';", 'but its contract'],
    ['ui/lib/api.ts', "import { drawPart } from '../testing/drawn.js';", 'never imports its testing'],
    ['ui/app/routes.tsx', "import { Gallery } from '../gallery/gallery.js';", 'never imports its gallery'],
  ])('%s: %s', (file, text, message) => {
    const found = breaches({ [file]: text });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(message);
  });
});
