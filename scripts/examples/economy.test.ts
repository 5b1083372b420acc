import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

describe('the economy example', () => {
  it('makes one composite call in every payment mode, with ledgers that agree with the chain to the lamport', async () => {
    const program = fileURLToPath(new URL('economy.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', program, '--calls', '1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pieces: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => void pieces.push(piece));
    const [exit] = (await once(child, 'close')) as [number];
    const said = Buffer.concat(pieces).toString('utf8');
    expect(said).toContain('All ledgers agree with the chain.');
    expect(said).not.toContain('FAIL');
    expect(said.match(/^ {2}1\. (\w+): paid (\d+),/gm)).toEqual([
      '  1. free: paid 0,',
      '  1. deposit: paid 20000,',
      '  1. x402: paid 20000,',
      '  1. postpay: paid 20000,',
    ]);
    expect(exit).toBe(0);
  }, 120_000);
});
