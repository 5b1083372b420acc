import { isAddress, isSignature } from './addresses.js';
import { RPC, RpcError } from './json-rpc.js';

const invalid = (message: string) => new RpcError(RPC.invalidParams, `Invalid params: ${message}`);

export function addressParam(value: unknown): string {
  if (isAddress(value)) return value;
  throw invalid('an address must be the base58 of 32 bytes.');
}

export function signatureParam(value: unknown): string {
  if (isSignature(value)) return value;
  throw invalid('a signature must be the base58 of 64 bytes.');
}

/** Checks for an integer from `least` to `most`. */
export function integerParam(value: unknown, name: string, least: number, most: number): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
  throw invalid(`${name} must be a whole number from ${least} to ${most}.`);
}

export function textParam(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`${name} must be a string.`);
}

export function listParam(value: unknown, name: string, most: number): unknown[] {
  if (Array.isArray(value) && value.length <= most) return value;
  throw invalid(`${name} must be a list of at most ${most}.`);
}

/** Returns the options at the end of the parameters; empty when they are absent. */
export function optionsParam(value: unknown): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalid('options must be an object.');
}

/** Returns one of `allowed`; the first one when the parameter is absent. */
export function choiceParam<T extends string>(value: unknown, name: string, allowed: readonly [T, ...T[]]): T {
  if (value === undefined || value === null) return allowed[0];
  if (allowed.includes(value as T)) return value as T;
  throw invalid(`${name} must be one of ${allowed.join(', ')} on the local network.`);
}
