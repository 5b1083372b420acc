import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { fitted, type MapView, WHOLE_WORLD } from '../map/map-view.js';
import { onGlobe, onSheet } from '../map/projection.js';
import WorldMap from '../map/world-map.js';
import type { Place, Point } from './gazetteer.js';
import { gazetteerQuery } from './gazetteer-query.js';

/** The zoom at which the map shows a chosen place. */
const FIRST_ZOOM = 8;
const FAR_KM = 100;
const NO_SPOTS = [] as const;

/** A small map to choose a place on. The result is the nearest place of the gazetteer, never the pressed point. */
export default function PlacePicker({
  chosen,
  onChoose,
}: {
  chosen: Point | undefined;
  onChoose: (place: Place) => void;
}) {
  const gazetteer = useQuery(gazetteerQuery()).data;
  const [view, setView] = useState<MapView>(() => (chosen ? fitted([onSheet(chosen)], 0.6, FIRST_ZOOM) : WHOLE_WORLD));
  const [said, setSaid] = useState('');
  const take = (point: Point | undefined) => {
    const found = point && gazetteer?.nearest(point);
    if (!found) return;
    const { place, km } = found;
    setSaid(
      km > FAR_KM
        ? `${place.label} is the nearest place, ${Math.round(km).toLocaleString('en')} km from there.`
        : `${place.label} is the nearest place.`,
    );
    onChoose(place);
  };
  return (
    <div className="stack" style={{ gap: 8 }}>
      <WorldMap
        label="Pick a place on the map"
        spots={NO_SPOTS}
        view={view}
        onView={setView}
        onPick={take}
        marked={chosen}
        isPicker
      />
      <div className="cluster">
        <Button isSmall onClick={() => take(onGlobe(view))}>
          Use the middle of the map
        </Button>
        <span className="small" role="status">
          {said || 'Select a point on the map to use the nearest place.'}
        </span>
      </div>
    </div>
  );
}
