import type { Tier1Card } from '../../daemon/contract/network/agents.js';

/** Cards of example agents, which the demo and the browser tests register. */
export const PAINTER_CARD: Tier1Card = {
  endpoint: 'https://painter.example/',
  description: 'Paints a picture of any harbour, in oil or ink.',
  tags: ['image', 'art', 'geo:NO'],
  category: 'media.image',
  accepts: ['text/plain'],
  produces: ['image/png'],
  protocols: ['http', 'a2a'],
  pricing: { unit: 'image', amount: 120_000, currency: 'lamports' },
};

export const SKETCHER_CARD: Tier1Card = {
  endpoint: 'https://sketcher.example/',
  description: 'Sketches a picture of a harbour for nothing.',
  tags: ['image', 'geo:PT'],
  category: 'media.sketch',
  accepts: ['application/json'],
  produces: ['image/svg+xml'],
  protocols: ['mcp'],
  pricing: { unit: 'image', amount: 0, currency: 'free' },
};

export const TIDES_CARD: Tier1Card = {
  endpoint: 'https://tides.example/',
  description: 'Says when the water is high, for every harbour with a gauge.',
  tags: ['sea', 'geo:PT'],
  category: 'data.sea',
  accepts: ['application/json'],
  produces: ['application/json'],
  protocols: ['http', 'mcp'],
  pricing: { unit: 'request', amount: 0.02, currency: 'USD' },
};
