import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { untilServed } from './until-served.js';

const away = () => new TypeError('Failed to fetch dynamically imported module');
const rejects = () => Promise.reject(away());
const serves = (status: number) => () => Promise.resolve(new Response('', { status }));

/** An import function as the bundler writes it. Each call returns the next of `ends`; the last one repeats. */
function importing(...ends: (() => Promise<string>)[]) {
  const load = vi.fn<() => Promise<string>>();
  for (const end of ends.slice(0, -1)) load.mockImplementationOnce(end);
  load.mockImplementation(ends.at(-1) ?? rejects);
  return Object.assign(load, { toString: () => '()=>import(`./part-B7_x.js`)' });
}

describe('untilServed', () => {
  const fetched = vi.fn<(address: string) => Promise<Response>>();
  const importAgain = vi.fn<(address: string) => Promise<string>>();

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', fetched.mockReset().mockImplementation(serves(200)));
    importAgain.mockReset().mockResolvedValue('again');
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('returns the module without another request when the import succeeds', async () => {
    expect(
      await untilServed(
        importing(async () => 'part'),
        importAgain,
      ),
    ).toBe('part');
    expect(fetched).not.toHaveBeenCalled();
  });

  it('imports from the same address when the browser requests it again', async () => {
    expect(
      await untilServed(
        importing(rejects, async () => 'part'),
        importAgain,
      ),
    ).toBe('part');
    expect(importAgain).not.toHaveBeenCalled();
  });

  it('imports from another address when the browser remembers the failure', async () => {
    expect(await untilServed(importing(rejects), importAgain)).toBe('again');
    const { href } = new URL('./part-B7_x.js', new URL('./until-served.ts', import.meta.url));
    expect(fetched.mock.calls).toEqual([[href, { cache: 'reload' }]]);
    expect(importAgain.mock.calls).toEqual([[`${href}#again-1`]]);
  });

  it('does not import again before the address is served', async () => {
    fetched.mockImplementationOnce(rejects).mockImplementationOnce(serves(503));
    const load = importing(rejects);
    const part = untilServed(load, importAgain);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(fetched).toHaveBeenCalledTimes(2);
    expect(load).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await part).toBe('again');
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  it('throws when the module is served but cannot be imported', async () => {
    importAgain.mockImplementation(rejects);
    const part = expect(untilServed(importing(rejects), importAgain)).rejects.toThrow(TypeError);
    await vi.advanceTimersByTimeAsync(2_000);
    await part;
    expect(importAgain).toHaveBeenCalledTimes(3);
  });

  it('retries when a dependency of the module was unavailable once more', async () => {
    importAgain.mockImplementationOnce(rejects);
    const part = untilServed(importing(rejects), importAgain);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await part).toBe('again');
    expect(new Set(importAgain.mock.calls.flat()).size).toBe(2);
  });

  it('throws without a retry when the served module is invalid', async () => {
    const wrong = importing(() => Promise.reject(new SyntaxError('Unexpected token')));
    await expect(untilServed(wrong, importAgain)).rejects.toThrow(SyntaxError);
    expect(wrong).toHaveBeenCalledTimes(1);
    expect(fetched).not.toHaveBeenCalled();
  });
});
