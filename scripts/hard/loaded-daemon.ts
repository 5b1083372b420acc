import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { DaemonProcess } from '../../daemon/testing/daemon-process.js';
import { clusterWithBoards } from './boards.js';
import type { Drill } from './drill.js';
import type { LoadPlan, LoadReport } from './load.js';

/** A project with something to ask about. */
export const PROJECT_FILES: Readonly<Record<string, string>> = {
  'README.md': '# Lighthouse\n\nThe lamp shows ships the way into the harbour. It is lit at dusk.\n',
  ...Object.fromEntries(
    Array.from({ length: 60 }, (_, number) => [
      `docs/part-${number}.md`,
      `# Part ${number}\n\nThe tower has ${100 + number} steps. The keeper of part ${number} is described here: she lights the lamp and paints the door green.\n`,
    ]),
  ),
};

/** A member of whom there may be many conversations at once. */
export const addReader = (daemon: DaemonProcess): Promise<unknown> =>
  daemon.call('POST', '/team', {
    id: 'reader',
    name: 'Reader',
    description: 'Reads the project.',
    body: 'Say what it says.',
  });

/** The load on one daemon, run by another process. */
export class LoadOn {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts it, in a cluster made for it. */
  static async start(
    drill: Drill,
    daemon: DaemonProcess,
    of: Pick<LoadPlan, 'sockets' | 'perSecond' | 'asksAtOnce' | 'clockMoves'>,
  ): Promise<LoadOn> {
    const { made, path, admin } = await clusterWithBoards(daemon, ['jobs']);
    const { pathname, search } = new URL(made.ws as string);
    const askToken = await daemon.tokenOf('consultant');
    const plan: LoadPlan = {
      ...of,
      address: daemon.address,
      wsPath: `${pathname}${search}&agent=`,
      clusterPath: path,
      admin,
      askToken,
    };
    return new LoadOn(await drill.helper('load.ts', [JSON.stringify(plan)]));
  }

  /** What came of it until now; delivery times are those since the last report. */
  report(): Promise<LoadReport> {
    return this.said('report');
  }

  /** Ends it, once all that it began has ended. */
  stop(): Promise<LoadReport> {
    return this.said('stop');
  }

  private async said(word: string): Promise<LoadReport> {
    this.child.send(word);
    return ((await once(this.child, 'message')) as [LoadReport])[0];
  }
}

/** Nothing that the load asked for may have gone otherwise than well. */
export function measureFaults(drill: Drill, { faults, firstFaults }: LoadReport): void {
  drill.measure({
    measure: 'requests and asks that were not answered well',
    value: faults,
    unit: 'answers',
    exactly: 0,
    ...(faults > 0 && { said: firstFaults.join('; ') }),
  });
}
