import { describe, expect, it } from 'vitest';
import { bundledGazetteer, type City, gazetteerFile } from '../../../scripts/build/gazetteer.mjs';
import { folded } from './fold.js';
import { Gazetteer } from './gazetteer.js';
import { readGazetteerFile } from './gazetteer-file.js';
import { OTHER_NAMES } from './other-names.js';

const bundled = new Gazetteer(readGazetteerFile(await bundledGazetteer()));
const city = (
  name: string,
  country: string,
  population: number,
  lat: number,
  lon: number,
  featureCode = 'PPL',
): City => ({
  name,
  country,
  population,
  featureCode,
  loc: { coordinates: [lon, lat] },
});
const getGazetteer = (...cities: City[]) => new Gazetteer(readGazetteerFile(gazetteerFile(cities)));

describe('bundled gazetteer', () => {
  it('contains the larger places of every inhabited country and each capital', () => {
    expect(bundled.count).toBeGreaterThan(15_000);
    for (const capital of ['Funafuti', 'Vatican City', 'Nuuk', 'Ouagadougou'])
      expect(bundled.search(capital, 1)[0]?.name).toBe(capital);
  });

  it('stays below 150 kB compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    expect(gzipSync(await bundledGazetteer()).length).toBeLessThan(150_000);
  });

  it.each([
    ['lisb', 'Lisbon, Portugal'],
    ['LISBON', 'Lisbon, Portugal'],
    ['sao pau', 'São Paulo, Brazil'],
    ['São', 'São Paulo, Brazil'],
    ['lodz', 'Łódź, Poland'],
    ['malmo', 'Malmö, Sweden'],
    ['tromso', 'Tromsø, Norway'],
    ['york', 'York, United Kingdom'],
    ['new york', 'New York City, United States'],
    ['springfield', 'Springfield, United States'],
    ['valencia, ven', 'Valencia, Venezuela'],
    ['valencia, ES', 'Valencia, Spain'],
    ['rio de', 'Rio de Janeiro, Brazil'],
    ['lisboa', 'Lisbon, Portugal'],
    ['münch', 'Munich, Germany'],
    ['Cologne', 'Köln, Germany'],
    ['roma', 'Rome, Italy'],
    ['roma, ro', 'Roman, Romania'],
  ])('for %s finds %s first', (typed, label) => expect(bundled.search(typed, 8)[0]?.label).toBe(label));

  it('finds a place by a later word of its name, after those that start with it', () => {
    const names = bundled.search('janeiro', 5).map(({ name }) => name);
    expect(names[0]).toBe('Rio de Janeiro');
  });

  it('finds every place by its other name', () => {
    for (const [name, key] of Object.entries(OTHER_NAMES)) {
      expect(folded(name)).toBe(name);
      expect(bundled.find(key)?.key, key).toBe(key);
      expect(bundled.search(name, 8).map((place) => place.key)).toContain(key);
    }
  });

  it('finds nothing for empty or unknown text', () => {
    for (const typed of ['', '   ', ',', 'qqqqzz', 'lisbon, br']) expect(bundled.search(typed, 8)).toEqual([]);
  });

  it('finds the place nearest to a point', () => {
    expect(bundled.nearest({ lat: 38.7, lon: -9.2 })?.place.country).toBe('Portugal');
    expect(bundled.nearest({ lat: 41.15, lon: -8.61 })).toMatchObject({ place: { name: 'Porto' } });
    expect(bundled.nearest({ lat: 41.15, lon: -8.61 })?.km).toBeLessThan(3);
  });

  it('finds each place again by its key', () => {
    for (const typed of ['lisbon', 'springfield', 'san jose', 'portland', 'santa', 'a', 'b', 'w']) {
      for (const place of bundled.search(typed, 50)) expect(bundled.find(place.key)).toEqual(place);
    }
    for (const key of ['', 'Lisbon', 'Lisbon, XX', 'Lisbon, PT, 2', 'Lisbon, PT, 0', 'Nowhere at all, PT'])
      expect(bundled.find(key)).toBeUndefined();
  });
});

describe('ranking', () => {
  it('prefers the whole name, then the larger place, ignoring accents', () => {
    const gazetteer = getGazetteer(
      city('Portola', 'US', 900_000, 40, -120),
      city('Pörto', 'PT', 250_000, 41.15, -8.61),
      city('Porto Alegre', 'BR', 1_400_000, -30.03, -51.23),
      city('Vila do Porto', 'PT', 30_000, 36.9, -25.1),
    );
    expect(gazetteer.search('porto', 9).map(({ name }) => name)).toEqual([
      'Pörto',
      'Porto Alegre',
      'Portola',
      'Vila do Porto',
    ]);
    expect(gazetteer.search('porto', 2)).toHaveLength(2);
  });

  it('distinguishes places of one name in one country by a larger one nearby', () => {
    const gazetteer = getGazetteer(
      city('Springfield', 'US', 60_000, 44.05, -123.02),
      city('Springfield', 'US', 166_000, 37.22, -93.3),
      city('Portland', 'US', 650_000, 45.52, -122.68),
      city('Kansas City', 'US', 500_000, 39.1, -94.58),
    );
    const found = gazetteer.search('springfield', 9);
    expect(found.map(({ key, lat, beside }) => [key, lat, beside])).toEqual([
      ['Springfield, US', 37.22, 'Kansas City'],
      ['Springfield, US, 2', 44.05, 'Portland'],
    ]);
    expect(gazetteer.search('portland', 1)[0]?.beside).toBeUndefined();
  });
});

describe('nearest', () => {
  const gazetteer = getGazetteer(
    city('East of it', 'FJ', 50_000, -16.8, 179.9),
    city('Farther west', 'FJ', 50_000, -16.8, 170),
    city('North', 'SJ', 50_000, 78.22, 15.65),
    city('South', 'AR', 50_000, -54.8, -68.3),
    city('Equator', 'GA', 50_000, 0, 9.4),
  );

  it('works across the antimeridian', () => {
    const found = gazetteer.nearest({ lat: -16.8, lon: -179.9 });
    expect(found?.place.name).toBe('East of it');
    expect(found?.km).toBeCloseTo(21.3, 0);
  });

  it('is correct at the poles at any longitude', () => {
    for (const lon of [-180, -120, 0, 90, 180]) {
      expect(gazetteer.nearest({ lat: 90, lon })?.place.name).toBe('North');
      expect(gazetteer.nearest({ lat: -90, lon })?.place.name).toBe('South');
    }
    expect(gazetteer.nearest({ lat: 90, lon: 0 })?.km).toBeCloseTo(1309.8, 0);
  });

  it('is undefined without places', () => expect(getGazetteer().nearest({ lat: 0, lon: 0 })).toBeUndefined());

  it('is 0 km away from itself', () => expect(gazetteer.nearest({ lat: 0, lon: 9.4 })?.km).toBeCloseTo(0, 3));
});

it('a gazetteer of no places has none', () => {
  expect(readGazetteerFile(gazetteerFile([]))).toMatchObject({ names: [], countries: [] });
});
