import { type Agent, type AgentSkillOptions, hostAgent, registerAgent } from '../../daemon/agent-library.js';
import { type ExampleOptions, LOCAL } from './example-options.js';
import { drawLandscape, IMAGE_HEIGHT, IMAGE_WIDTH } from './landscape.js';

/** Price of one picture in lamports. */
export const PICTURE_LAMPORTS = 8000;
export const DRAW_SKILL = 'draw-image';

/** Size of the LRU cache of pictures. The same prompt always gives the same picture. */
const KEPT = 50;

const PROMPT = { type: 'string', minLength: 1, maxLength: 500 };

/** Draws pictures, of which the most recently requested ones are kept. */
class Painter {
  private readonly drawn = new Map<string, ReturnType<typeof drawLandscape>>();

  draw(prompt: string): ReturnType<typeof drawLandscape> {
    const { drawn } = this;
    const picture = drawn.get(prompt) ?? drawLandscape(prompt);
    drawn.delete(prompt);
    drawn.set(prompt, picture);
    if (drawn.size > KEPT) drawn.delete(drawn.keys().next().value as string);
    return picture;
  }
}

const drawSkill = (painter: Painter): AgentSkillOptions => ({
  id: DRAW_SKILL,
  name: 'Draw an image',
  description:
    'Input {prompt: 1 to 500 characters}. Answers {image: data URL of a PNG, width, height, mood, provider, ' +
    `signed_by: the key that signed the call, or null}. Under a second. No free calls; ${PICTURE_LAMPORTS} ` +
    'lamports a picture. It does not draw people or text.',
  tags: ['image', 'picture', 'illustration', 'drawing', 'png'],
  examples: ['Draw harbour lights at dusk', '{"prompt": "a quiet night in the mountains"}'],
  input_schema: {
    type: 'object',
    properties: { prompt: PROMPT },
    required: ['prompt'],
    additionalProperties: false,
  },
  output_schema: {
    type: 'object',
    properties: {
      image: { type: 'string' },
      width: { type: 'integer' },
      height: { type: 'integer' },
      mood: { type: 'string' },
      provider: { type: 'string' },
      signed_by: { type: ['string', 'null'] },
    },
    required: ['image', 'width', 'height', 'mood', 'provider', 'signed_by'],
  },
  run({ prompt }, { pubkey }) {
    const { png, mood } = painter.draw(String(prompt));
    return {
      image: `data:image/png;base64,${png.toString('base64')}`,
      width: IMAGE_WIDTH,
      height: IMAGE_HEIGHT,
      mood,
      provider: 'raster',
      signed_by: pubkey ?? null,
    };
  },
});

/**
 * Hosts an agent that draws pictures without a model and is paid for each, by a payment proof or from a deposit. It is
 * registered until it is closed.
 */
export async function imageSupplier({
  folder,
  hub,
  port,
  agentId = 'image-supplier',
}: ExampleOptions): Promise<{ agent: Agent; close(): Promise<void> }> {
  const agent = await hostAgent({
    agent_id: agentId,
    folder,
    port,
    name: 'Image supplier',
    description:
      'Draws landscapes to a prompt by rules, without a model: hills, water and lamps at the time of day that ' +
      'the words call for.',
    version: '1.0.0',
    pricing: [{ unit: 'request', amount: PICTURE_LAMPORTS, currency: 'lamports', network: LOCAL }],
    payment: {
      modes: ['x402', 'deposit'],
      network: LOCAL,
      deposit: { min_lamports: PICTURE_LAMPORTS, credit_unit: 'lamports' },
    },
    defaultOutputModes: ['application/json', 'image/png'],
    chains: { [LOCAL]: `${hub}/chain` },
    skills: [drawSkill(new Painter())],
  });
  const registration = await registerAgent({
    hub,
    agentId,
    card: () => agent.card(),
    identity: agent.identity,
    folder,
    tags: ['image', 'picture', 'illustration'],
    category: 'media.image',
  });
  return {
    agent,
    async close() {
      await registration.close().catch(() => undefined);
      await agent.close();
    },
  };
}
