import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { askFirst } from './app/first-readings.js';
import { LiveContext, LiveUpdates } from './app/live-updates.js';
import { createQueryClient } from './app/query-client.js';
import { createAppRouter } from './app/routes.js';
import { ToastRegion } from './components/toasts.js';
import { Drafts, DraftsContext } from './lib/drafts.js';
import { FramesContext } from './lib/frames.js';
import { getStorage } from './lib/storage/browser-storage.js';
import { TabCacheContext } from './lib/storage/tab-cache.js';

const queryClient = createQueryClient();
// Data read from here on is at least as new as the page, so resuming events at the page's seq requires no second read.
const { seq } = document.documentElement.dataset;
const liveUpdates = new LiveUpdates(queryClient, seq === undefined ? undefined : Number(seq));
const drafts = new Drafts(getStorage('sessionStorage'));
const tabCache = new Map<string, unknown>();
const router = createAppRouter();
window.addEventListener('pagehide', () => drafts.save());
liveUpdates.start();
askFirst(queryClient);

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <LiveContext value={liveUpdates}>
        <FramesContext value={liveUpdates.watchFrames}>
          <DraftsContext value={drafts}>
            <TabCacheContext value={tabCache}>
              <ToastRegion>
                <RouterProvider router={router} />
              </ToastRegion>
            </TabCacheContext>
          </DraftsContext>
        </FramesContext>
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
);

void import('./app/comforts/comforts.js').then(({ beginComforts }) => beginComforts());
