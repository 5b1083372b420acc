import { isDeepStrictEqual } from 'node:util';
import { callHttp } from '../../http-call.js';
import { many } from '../../many.js';
import type { Expectation } from './acknowledged.js';

const READERS = 16;

/** Returns the descriptions of the expectations that are not met. */
export async function findLost(address: string, list: readonly [string, Expectation][]): Promise<string[]> {
  const lost: string[] = [];
  await many(list, READERS, async ([about, { method = 'GET', path, headers, body, look, is }]) => {
    const answer = await callHttp(address, method, path, body, headers);
    const found = answer && look(answer);
    if (!isDeepStrictEqual(found, is)) {
      lost.push(
        `${about}: ${method} ${path} gives ${answer?.status} ${JSON.stringify(found)} and not ${JSON.stringify(is)}`,
      );
    }
  });
  return lost;
}
