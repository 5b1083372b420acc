import { expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';

it('describes each operation, who may call it and what it returns', async () => {
  const app = await testApp();
  expect(await describedOperations(app, /^\/(metrics|telemetry.*)$/)).toEqual({
    'GET /metrics':
      'system, operator, 200, Metrics in the text format of Prometheus, for the user who runs this daemon',
    'GET /telemetry': 'system, operator, 200 Telemetry, Where traces and metrics go, and how it went',
    'PUT /telemetry': 'system, operator, 200 Telemetry, Send traces and metrics to a collector (OTLP over HTTP)',
    'DELETE /telemetry': 'system, operator, 200 Telemetry, Send nothing, and forget the address and its headers',
    'POST /telemetry/test': 'system, operator, 200 TelemetryTest, Send one span and tell what came back',
  });
  expect((await app.call('PUT', '/telemetry', { address: 'https://collector.example', colour: 'red' })).status).toBe(
    400,
  );
});
