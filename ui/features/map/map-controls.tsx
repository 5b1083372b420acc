import type { KeyboardEvent } from 'react';
import { Button } from '../../components/button.js';
import { isWholeWorld, type MapView, panned, RATIO, WHOLE_WORLD, ZOOM_MAX, zoomed } from './map-view.js';
import styles from './world-map.module.css';

const paths = {
  in: 'M8 3v10M3 8h10',
  out: 'M3 8h10',
  north: 'm3.500 10 4.500-4.500 4.500 4.500',
  south: 'm3.500 6 4.500 4.500 4.500-4.500',
  west: 'm10 3.500-4.500 4.500 4.500 4.500',
  east: 'm6 3.500 4.500 4.500-4.500 4.500',
} as const;

function Sign({ name }: { name: keyof typeof paths }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** One step moves by a quarter of the visible extent. */
const STEP = 0.25;
const steps = {
  north: { words: 'North', key: 'ArrowUp', east: 0, south: -STEP },
  west: { words: 'West', key: 'ArrowLeft', east: -STEP, south: 0 },
  east: { words: 'East', key: 'ArrowRight', east: STEP, south: 0 },
  south: { words: 'South', key: 'ArrowDown', east: 0, south: STEP },
} as const;
const ways = ['north', 'west', 'east', 'south'] as const;

/** Buttons to zoom and pan. With the focus on one of them, the arrow keys, `+` and `-` work too. */
export function MapControls({ view, onView }: { view: MapView; onView: (view: MapView) => void }) {
  const go = (way: (typeof ways)[number]) => onView(panned(view, RATIO, steps[way].east, steps[way].south));
  const pressed = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const way = ways.find((one) => steps[one].key === event.key);
    if (way) go(way);
    else if (event.key === '+' || event.key === '=') onView(zoomed(view, RATIO, 2));
    else if (event.key === '-') onView(zoomed(view, RATIO, 0.5));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <fieldset className={styles.controls} onKeyDown={pressed}>
      <legend className="visually-hidden">Move the map</legend>
      <div className={styles.zoom}>
        <Button
          aria-label="Zoom in"
          reasonDisabled={view.zoom >= ZOOM_MAX ? 'Maximum zoom: places are accurate to about 10 km.' : undefined}
          onClick={() => onView(zoomed(view, RATIO, 2))}
        >
          <Sign name="in" />
        </Button>
        <Button
          aria-label="Zoom out"
          reasonDisabled={isWholeWorld(view) ? 'This is the whole world.' : undefined}
          onClick={() => onView(zoomed(view, RATIO, 0.5))}
        >
          <Sign name="out" />
        </Button>
      </div>
      <div className={styles.ways}>
        {ways.map((way) => (
          <Button key={way} aria-label={steps[way].words} className={styles[way]} onClick={() => go(way)}>
            <Sign name={way} />
          </Button>
        ))}
      </div>
      <Button
        reasonDisabled={isWholeWorld(view) ? 'This is the whole world.' : undefined}
        onClick={() => onView(WHOLE_WORLD)}
      >
        Whole world
      </Button>
    </fieldset>
  );
}
