import { Type } from 'typebox';
import { TelemetrySettings, type TelemetryTest, type Telemetry as TelemetryView } from '../../contract/telemetry.js';
import { createDisconnectSignal } from '../../http/answers/disconnect-signal.js';
import type { App } from '../../http/route-types.js';
import type { Telemetry } from './telemetry.js';

/** The routes of telemetry, for the operator. */
export async function telemetryRoutes(app: App, { telemetry }: { telemetry: Telemetry }): Promise<void> {
  const response = { 200: Type.Ref('Telemetry') };

  app.get(
    '/telemetry',
    { schema: { summary: 'Where traces and metrics go, and how it went', tags: ['system'], response } },
    async (): Promise<TelemetryView> => telemetry.view(),
  );

  app.put<{ Body: TelemetrySettings }>(
    '/telemetry',
    {
      schema: {
        summary: 'Send traces and metrics to a collector (OTLP over HTTP)',
        tags: ['system'],
        body: TelemetrySettings,
        response,
      },
    },
    (request): Promise<TelemetryView> => telemetry.set(request.body),
  );

  app.delete(
    '/telemetry',
    { schema: { summary: 'Send nothing, and forget the address and its headers', tags: ['system'], response } },
    (): Promise<TelemetryView> => telemetry.off(),
  );

  app.post(
    '/telemetry/test',
    {
      schema: {
        summary: 'Send one span and tell what came back',
        tags: ['system'],
        response: { 200: Type.Ref('TelemetryTest') },
      },
    },
    (_request, reply): Promise<TelemetryTest> => telemetry.test(createDisconnectSignal(reply)),
  );
}
