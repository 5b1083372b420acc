const A1 = 1.340264;
const A2 = -0.081106;
const A3 = 0.000893;
const A4 = 0.003796;
const RADIANS = Math.PI / 180;
const ROOT_3 = Math.sqrt(3);

/** Half the width and half the height of the world map, for a globe of radius 1. */
const HALF_WIDTH = (2 * Math.PI) / (ROOT_3 * A1);
const HALF_HEIGHT = poleY();

function poleY(): number {
  const theta = Math.PI / 3;
  return heightAt(theta);
}

function heightAt(theta: number): number {
  const square = theta * theta;
  return theta * (A1 + A2 * square + square ** 3 * (A3 + A4 * square));
}

/**
 * Projects a point of the earth onto a world map of the given `width`, relative to its upper left corner, in the
 * equal-area projection Equal Earth. Šavrič, Patterson and Jenny, 2018.
 */
export function equalEarth({ lat, lon }: { lat: number; lon: number }, width: number): { x: number; y: number } {
  const theta = Math.asin((ROOT_3 / 2) * Math.sin(lat * RADIANS));
  const square = theta * theta;
  const x =
    (2 * ROOT_3 * lon * RADIANS * Math.cos(theta)) /
    (3 * (A1 + 3 * A2 * square + square ** 3 * (7 * A3 + 9 * A4 * square)));
  const scale = width / 2 / HALF_WIDTH;
  return { x: width / 2 + x * scale, y: (HALF_HEIGHT - heightAt(theta)) * scale };
}
