import { expect, it } from 'vitest';
import { tier2Url } from './tier2-url.js';

it.each([
  ['https://a.example', 'https://a.example/.well-known/agent.json'],
  ['https://a.example/', 'https://a.example/.well-known/agent.json'],
  ['http://127.0.0.1:8123/team/x//', 'http://127.0.0.1:8123/team/x/.well-known/agent.json'],
  ['https://a.example/x?y=z#top', 'https://a.example/x/.well-known/agent.json'],
])('the card of the agent at %s is at %s', (endpoint, url) => {
  expect(tier2Url(endpoint)).toBe(url);
});

it.each(['', 'a.example', 'ftp://a.example', 'file:///etc/passwd', 'javascript:alert(1)'])(
  'an agent at %j has no card',
  (endpoint) => {
    expect(tier2Url(endpoint)).toBeUndefined();
  },
);
