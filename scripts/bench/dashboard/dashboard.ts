/**
 * Measures the dashboard in a real Chromium: first paint and interactivity, interactions and frames while a Wall of
 * 10,000 lines receives 200 more a second and 20 conversations stream, scrolling of 5,000 requests, memory of a tab,
 * and paint and interactions while the daemon serves 100,000 deliveries a second to others.
 */

import { report, rounded } from '../measure.js';
import { paintsUnderDeliveries } from './dashboard-deliveries.js';
import { cluster, type Figure, paints, requests } from './dashboard-measures.js';
import { DashboardWorld } from './dashboard-world.js';

function tell(figure: Figure): void {
  const { measure, unit, ours, rounds, peer } = figure;
  const isMost = 'atMost' in figure;
  report({
    bench: 'dashboard',
    measure,
    unit,
    ours: rounded(ours),
    rounds,
    ...(peer && { peer, ratio: rounded(ours / peer.value, 2) }),
    goal: isMost ? `<= ${figure.atMost} ${unit}`.trim() : `>= ${figure.atLeast} ${unit}`,
    pass: isMost ? ours <= figure.atMost : ours >= figure.atLeast,
  });
}

// Each measurement has its own daemon and browser, so that none is affected by what another left behind.
for (const measured of [paints, requests, cluster, paintsUnderDeliveries]) {
  const world = await DashboardWorld.start();
  try {
    for (const figure of await measured(world)) tell(figure);
  } finally {
    await world.close();
  }
}
