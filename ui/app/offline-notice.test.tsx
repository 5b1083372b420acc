import { QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LiveContext, LiveUpdates } from './live-updates.js';
import OfflineNotice from './offline-notice.js';
import { createQueryClient } from './query-client.js';

/** The notice in a page whose root element has the data. */
function shown(dataset: Record<string, string>): string {
  vi.stubGlobal('document', { documentElement: { dataset } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = createQueryClient();
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <LiveContext value={new LiveUpdates(client)}>
        <OfflineNotice />
      </LiveContext>
    </QueryClientProvider>,
  );
}

it('says of a page that is of another build than the daemon how to start the daemon again', () => {
  const text = shown({ seq: '42', replaced: '' });
  expect(text).toContain('Another version of meshd was installed while this daemon runs');
  expect(text.replaceAll(/<[^>]*>/g, '')).toContain('meshd down &amp;&amp; meshd up');
  expect(shown({ seq: '42' })).toBe('<div role="status"></div>');
});
