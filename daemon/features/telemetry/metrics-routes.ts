import type { App } from '../../http/route-types.js';

/** The metrics of this daemon for a Prometheus of the operator. */
export async function metricsRoutes(app: App, { read }: { read: () => Promise<string> }): Promise<void> {
  app.get(
    '/metrics',
    {
      schema: {
        summary: 'Metrics in the text format of Prometheus, for the user who runs this daemon',
        tags: ['system'],
      },
    },
    async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(await read()),
  );
}
