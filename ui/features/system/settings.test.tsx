// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { PreferencesPanel } from './preferences-panel.js';
import { TelemetryPanel } from './telemetry-panel.js';

removeAfterEach();

it('sends texts to a collector only when that is chosen', async () => {
  const off = { address: null, content: false, header_names: [] };
  const calls = stubDaemon(({ method }) => (method === 'GET' ? { body: off } : { body: off }));
  const page = await drawPart(<TelemetryPanel />, { known: [[['telemetry'], off]] });
  await page.type('Address of the collector', 'http://127.0.0.1:4318');
  await page.tick(/^Send texts too/);
  await page.submit();
  expect(calls.find(({ method }) => method === 'PUT')?.body).toEqual({
    address: 'http://127.0.0.1:4318',
    content: true,
  });
});

it('keeps a switched preference', async () => {
  const preferences = { theme: 'system', density: 'compact', enter_sends: true, announcements: true, editor: '' };
  const calls = stubDaemon(({ path }) => (path === '/preferences' ? { body: preferences } : { status: 503, body: {} }));
  const page = await drawPart(<PreferencesPanel onShortcuts={() => undefined} />, {
    known: [[['preferences'], preferences]],
  });
  await page.press('Announce new messages to screen readers');
  expect(calls.find(({ method }) => method === 'PATCH')?.body).toEqual({ announcements: false });
});
