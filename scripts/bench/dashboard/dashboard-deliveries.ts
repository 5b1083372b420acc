import type { ClusterCreated } from '../../../daemon/contract/clusters.js';
import { Lines } from '../fanout/fanout-load.js';
import { clientFrame } from '../fanout/fanout-websocket.js';
import { quantile } from '../measure.js';
import { type Figure, paints } from './dashboard-measures.js';
import { measureFrames, measureInteractions, probe } from './dashboard-probes.js';
import type { DashboardWorld } from './dashboard-world.js';

const LISTENERS = 1_000;
const PER_SECOND = 100;
/** Deliveries a second at this load, which is the daemon's own goal. Here they are only reported. */
const DELIVERIES = LISTENERS * PER_SECOND;

/**
 * Measures paint, interactivity and interactions of the home page while the daemon serves 100,000 deliveries a second
 * in a live cluster that the tab does not show.
 */
export async function paintsUnderDeliveries(world: DashboardWorld): Promise<Figure[]> {
  const { cluster_id } = await world.api<ClusterCreated>('POST', '/v1/clusters', { visibility: 'public' });
  const port = Number(new URL(world.address).port);
  const lines = await Lines.open(port, `/v1/clusters/${cluster_id}/ws?vis=ghost&agent=`, LISTENERS + 1);
  try {
    const frame = clientFrame(`{"payload":"${'x'.repeat(200)}"}`);
    const started = performance.now();
    const before = lines.bytes;
    const stop = world.steadily(PER_SECOND, () => lines.publisher.socket.write(frame));
    const when = ` at ${DELIVERIES.toLocaleString('en')} deliveries/s`;
    const figures = await paints(world, when);
    const page = await world.newPage();
    await probe(page);
    await world.open(page);
    const interactions = await measureInteractions(page, 20, async () => {
      for (const key of ['g', 't', 'g', 'd', 'j', 'j', 'j', 'k', 'g', 'r', 'g', 'd']) await page.keyboard.press(key);
      for (let time = 0; time < 4; time += 1) {
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Escape');
      }
    });
    const deltas = await measureFrames(page, () => new Promise((resolve) => setTimeout(resolve, 1_000)));
    stop();
    const size = (lines.bytes - before) / ((performance.now() - started) / 1_000);
    await page.close();
    return [
      ...figures,
      {
        measure: `interaction to next paint, p75,${when}`,
        unit: 'ms',
        ours: quantile(interactions, 0.75),
        rounds: interactions.length,
        atMost: 100,
      },
      {
        measure: `frames${when}`,
        unit: '/s',
        ours: (1_000 * deltas.length) / deltas.reduce((sum, delta) => sum + delta, 0),
        rounds: 1,
        atLeast: 50,
      },
      {
        measure: 'what was delivered meanwhile',
        unit: 'MB/s',
        ours: size / 1e6,
        rounds: 1,
        atLeast: 0.9 * ((DELIVERIES * 200) / 1e6),
      },
    ];
  } finally {
    lines.close();
  }
}
