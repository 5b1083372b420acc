import { describe, expect, it } from 'vitest';
import { isMeshError } from '../../lib/errors.js';
import { parseNear } from './near.js';

const getCode = (near: string, km?: number) => {
  try {
    return parseNear(near, km);
  } catch (error) {
    return isMeshError(error) ? error.code : error;
  }
};

describe('parseNear', () => {
  it.each([
    ['52.52,13.405', { lat: 52.52, lon: 13.405 }],
    ['-90,180', { lat: -90, lon: 180 }],
    ['90,-180', { lat: 90, lon: -180 }],
    ['0,-0.5', { lat: 0, lon: -0.5 }],
  ])('parses %s', (near, centre) => {
    expect(parseNear(near, 3)).toEqual({ centre, km: 3 });
  });

  it('defaults km to 50 and rejects it without near', () => {
    expect(parseNear('1,2', undefined)?.km).toBe(50);
    expect(parseNear(undefined, undefined)).toBeUndefined();
    expect(() => parseNear(undefined, 5)).toThrow('"km" is the radius around "near"');
  });

  it('says what is wrong with near, and with km alone', () => {
    expect(() => parseNear(undefined, 5)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: '"km" is the radius around "near": send both, or neither.',
        details: { path: 'km' },
      }),
    );
    expect(() => parseNear('91,0', undefined)).toThrow(
      expect.objectContaining({
        message:
          '"near" must be <lat>,<lon> in decimal degrees, such as 52.52,13.405: ' +
          'latitude -90 to 90, longitude -180 to 180.',
        details: { path: 'near' },
      }),
    );
  });

  it.each([
    '',
    ',',
    '1',
    '1,',
    ',1',
    '1,2,3',
    '1, 2',
    ' 1,2',
    '1;2',
    '0x10,2',
    '1e1,2',
    '+1,2',
    '.5,2',
    '5.,2',
    'NaN,2',
    'Infinity,0',
    '90.0001,0',
    '-90.1,0',
    '0,180.0001',
    '0,-181',
    '１,2',
    '1,2\u0000',
    `1.${'0'.repeat(60)},2`,
  ])('rejects %j', (near) => {
    expect(getCode(near)).toBe('bad_request');
  });
});
