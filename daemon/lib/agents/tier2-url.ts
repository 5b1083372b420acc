import { withoutTrailingSlashes } from '../text/trailing-slashes.js';

/**
 * The URL of the Tier-2 card of the agent at `endpoint`; undefined when the endpoint is not an http(s) URL. Spec:
 * Interface hosted by each agent.
 */
export function tier2Url(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.pathname = `${withoutTrailingSlashes(url.pathname)}/.well-known/agent.json`;
  url.search = '';
  url.hash = '';
  return url.href;
}
