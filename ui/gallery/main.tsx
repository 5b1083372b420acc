import '../styles/fonts.css';
import '../styles/tokens.css';
import '../styles/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ToastRegion } from '../components/toasts.js';
import { Gallery } from './gallery.js';
import type { Story } from './story.js';

const modules = import.meta.glob<{ story: Story }>('./stories/**/*.tsx', { eager: true });
const stories = Object.values(modules)
  .map(({ story }) => story)
  .sort((a, b) => a.title.localeCompare(b.title));

// Links of the components lead to pages that do not exist here, so every path shows the gallery.
const rootRoute = createRootRoute();
const everywhere = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  component: () => <Gallery stories={stories} />,
});
const router = createRouter({ routeTree: rootRoute.addChildren([everywhere]), history: createMemoryHistory() });

const place = document.getElementById('root');
if (!place) throw new Error('index.html has no #root');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <ToastRegion>
        {/* The provider's type expects the dashboard's routes, hence the cast. */}
        <RouterProvider router={router as never} />
      </ToastRegion>
    </QueryClientProvider>
  </StrictMode>,
);
