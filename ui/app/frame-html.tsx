import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterContextProvider } from '@tanstack/react-router';
import { renderToStaticMarkup } from 'react-dom/server';
import { Frame } from './frame.js';
import { LiveContext, LiveUpdates } from './live-updates.js';
import { createQueryClient } from './query-client.js';
import { createAppRouter } from './routes.js';

const nothing = () => undefined;

/**
 * Renders the frame without data, for the build to put into the page. It is shown while the script loads and removed
 * when the layout is mounted.
 */
export function frameHtml(): string {
  const router = createAppRouter();
  router.update({ history: createMemoryHistory({ initialEntries: ['/app/starting'] }) });
  const client = createQueryClient();
  return renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <LiveContext value={new LiveUpdates(client)}>
        <RouterContextProvider router={router}>
          <Frame
            counts={{}}
            isCollapsed={false}
            network={undefined}
            onCollapse={nothing}
            onFold={nothing}
            onPalette={nothing}
            onShortcuts={nothing}
          />
        </RouterContextProvider>
      </LiveContext>
    </QueryClientProvider>,
  );
}
