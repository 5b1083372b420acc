/**
 * Several daemons for one project. Of those started at the same instant exactly one runs; each of the others exits with
 * 75 and names it. A killed daemon leaves nothing that prevents the next from running. Takes five seconds.
 *
 * `npx tsx scripts/hard/loss/two-daemons.ts [--rounds 2]`
 */
import { type DaemonProcess, DaemonRefusedError } from '../../../daemon/testing/processes/daemon-process.js';
import { runDrill } from '../drill.js';

const AT_ONCE = 4;
const ALREADY_RUNNING = 75;

await runDrill('two-daemons', async (drill) => {
  const faults: string[] = [];
  let refused = 0;
  const rounds = drill.bound('rounds');
  for (let round = 0; round < rounds; round += 1) {
    const project = drill.project();
    const started = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => project.start()));
    const running = started.flatMap((one): DaemonProcess[] => (one.status === 'fulfilled' ? [one.value] : []));
    const refusals = started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    const [first, ...more] = running;
    if (!first || more.length > 0) {
      faults.push(`${running.length} of ${AT_ONCE} daemons run`);
      for (const one of more) await one.kill();
      continue;
    }
    const late = await project.start().catch((error: unknown) => error);
    const named = `process ${first.pid} at ${first.address}`;
    for (const reason of [...refusals, late]) {
      if (reason instanceof DaemonRefusedError && reason.exit === ALREADY_RUNNING) refused += 1;
      else faults.push(String(reason));
    }
    // A daemon started at the same instant may have checked before the running one was registered, hence only the later
    // one must name it.
    if (!(late instanceof DaemonRefusedError && late.message.includes(named)))
      faults.push(`the one that came later does not name ${named}: ${late}`);
    const { pid } = await first.call<{ pid: number }>('GET', '/health');
    if (pid !== first.pid) faults.push(`process ${pid} answers for ${first.pid}`);
    await first.kill();
    const next = await project.start().catch((error: unknown) => error as Error);
    if (next instanceof Error) faults.push(`after a kill: ${next.message}`);
    else await next.stop();
  }
  drill.none(
    'starts that went otherwise',
    'starts',
    faults,
    `${rounds} times ${AT_ONCE} at once, one later, one after a kill; ${refused} refused with ${ALREADY_RUNNING}`,
  );
});
