/** Says in the tab's storage that it was reloaded without workers; the dashboard takes it back. */
export const RELOADED = 'meshd.reloaded';
