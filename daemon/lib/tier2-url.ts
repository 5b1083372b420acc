import { withoutTrailingSlashes } from './trailing-slashes.js';

/** Where the agent at `endpoint` serves its Tier-2 card; undefined for an endpoint that is no http(s) address. Spec: Interface hosted by each agent. */
export function tier2Url(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const url = new URL(endpoint);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  url.pathname = `${withoutTrailingSlashes(url.pathname)}/.well-known/agent.json`;
  url.search = '';
  url.hash = '';
  return url.href;
}
