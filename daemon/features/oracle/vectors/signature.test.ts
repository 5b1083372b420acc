import { describe, expect, it } from 'vitest';
import { Signature } from './signature.js';

const aVector = (dimensions: number) => Float32Array.from({ length: dimensions }, (_, at) => Math.sin(1 + at * at));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const inverted = (bytes: Uint8Array) => bytes.map((byte) => ~byte);

describe('the signature of a vector', () => {
  it.each([
    [1, '69a5566aa9955a6aa5965aa9a5566aa9955a6aa5965aa9a5566aa9955a6aa556'],
    [2, '6bbffeeaafbdfa6baffedaabbff6eaafbdfa6baffedaabbff6eaafbdfa6baffe'],
    [3, 'af563f8ff9fc6acaf3a8c587a23c6f5a7398caffa6348fa97c2e4ad3a6cac7a9'],
    [128, 'b4e36576f675f3953c63c83aec11c8a8640ebbe4b3932bd0ea1bb7f4f7c232b3'],
    [256, '664ad9f47774b70035ef49992b9b670eb6b7c7aaeed7b8b5717179be50d0c6c4'],
    [300, '63f9f1f6a7ecf7d5d7af78006653440ebc15c7a9ebd722b753707c3e59bdcb61'],
    [1_536, 'fb99b8824558f4537b4d6404fe8e998d24739afa4a44da9ffd10317ff7d5f70b'],
  ])('of %i dimensions is the same in every process', (dimensions, signature) => {
    expect(hex(new Signature(dimensions).of(aVector(dimensions)))).toBe(signature);
  });

  it.each([128, 300])('of %i dimensions goes by its direction alone', (dimensions) => {
    const signature = new Signature(dimensions);
    const own = signature.of(aVector(dimensions));
    expect(signature.of(aVector(dimensions).map((value) => value * 8))).toEqual(own);
    expect(signature.of(aVector(dimensions).map((value) => -value))).toEqual(inverted(own));
    expect(signature.of(aVector(dimensions))).toEqual(own);
  });

  it('of no length has no sign set', () => {
    expect(new Signature(128).of(new Float32Array(128))).toEqual(new Uint8Array(32));
  });
});
