// @vitest-environment happy-dom
import { useRef } from 'react';
import { expect, it, vi } from 'vitest';
import { drawPart, removeAfterEach } from '../../testing/drawn.js';
import PlacePicker from '../places/place-picker.js';
import { MapControls } from './map-controls.js';
import { type MapView, WHOLE_WORLD } from './map-view.js';
import { useWheelZoom } from './use-map-gestures.js';
import WorldMap from './world-map.js';

removeAfterEach();

const VIEW: MapView = { zoom: 4, x: 500, y: 250 };

it.each([
  ['ArrowLeft', (next: MapView) => next.x < VIEW.x && next.y === VIEW.y],
  ['ArrowRight', (next: MapView) => next.x > VIEW.x && next.y === VIEW.y],
  ['ArrowUp', (next: MapView) => next.y < VIEW.y && next.x === VIEW.x],
  ['ArrowDown', (next: MapView) => next.y > VIEW.y && next.x === VIEW.x],
  ['+', (next: MapView) => next.zoom === 8],
  ['-', (next: MapView) => next.zoom === 2],
])('moves the map by the key %s', async (key, isRight) => {
  const views: MapView[] = [];
  const page = await drawPart(<MapControls view={VIEW} onView={(view) => views.push(view)} />);
  await page.send(page.button('West'), 'keydown', { key });
  expect(views.map(isRight)).toEqual([true]);
});

it.each([
  [{ ctrlKey: true }, 1],
  [{ metaKey: true }, 1],
  [{}, 0],
])('zooms by the wheel with %j', async (keys, times) => {
  let zoomed = 0;
  function Frame() {
    const frame = useRef<HTMLDivElement>(null);
    useWheelZoom(frame, () => zoomed++);
    return <div ref={frame} role="img" aria-label="map" />;
  }
  const page = await drawPart(<Frame />);
  await page.send(page.find('[role=img]', 'map'), 'wheel', { ctrlKey: false, metaKey: false, deltaY: -1, ...keys });
  expect(zoomed).toBe(times);
});

it.each([
  ['a mouse', false, 2],
  ['a finger', true, 1],
])('gathers dots that %s could not tell apart', async (_, matches, count) => {
  vi.stubGlobal('matchMedia', () => ({ matches, addEventListener() {}, removeEventListener() {} }));
  const spot = (key: string, x: number) => ({ key, name: key, label: key, kind: 'post' as const, x, y: 250 });
  const page = await drawPart(
    <WorldMap label="Posts" spots={[spot('a', 500), spot('b', 537)]} view={WHOLE_WORLD} onView={() => undefined} />,
    { known: [[['world'], { land: '', names: [] }]] },
  );
  expect(page.place.querySelectorAll('li')).toHaveLength(count);
});

it.each([
  [99, 'Lisbon is the nearest place.'],
  [1_500, 'Lisbon is the nearest place, 1,500 km from there.'],
])('says of a place that is %i km away: %s', async (km, words) => {
  const place = { key: 'Lisbon, PT', label: 'Lisbon', lat: 38.7, lon: -9.1 };
  const page = await drawPart(<PlacePicker chosen={undefined} onChoose={() => undefined} />, {
    known: [[['gazetteer'], { nearest: () => ({ place, km }) }]],
  });
  await page.press('Use the middle of the map');
  expect(page.words()).toContain(words);
});
