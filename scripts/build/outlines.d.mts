import type { GeometryCollection, Topology } from 'topojson-specification';

export function outlines(
  scale: 110 | 50,
  withNames: boolean,
): Topology<{ countries: GeometryCollection<{ name?: string }> }>;
