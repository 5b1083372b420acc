export interface City {
  name: string;
  country: string;
  featureCode: string;
  population: number;
  loc: { coordinates: [number, number] };
}
export function gazetteerFile(cities: readonly City[]): Buffer;
export function bundledGazetteer(): Promise<Buffer>;
