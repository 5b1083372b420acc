import type { BoardBody, PostBody } from '../../daemon/contract/boards.js';

export const LISBON = { lat: 38.72, lon: -9.14, label: 'Lisbon, Portugal' };
export const PORTO = { lat: 41.15, lon: -8.61, label: 'Porto, Portugal' };
export const BERGEN = { lat: 60.39, lon: 5.32, label: 'Bergen, Norway' };

/** A board and posts that both the demo and the pictures of the dashboard show. */
export const NOTES_BOARD: BoardBody = {
  slug: 'notes',
  name: 'Notes',
  kind: 'generic',
  about: 'What one harbour found out and another may need.',
  props: { where: 'none' },
};

export const LAMP_POST: PostBody = {
  title: 'Brass lamp, works with oil',
  body:
    'From the **third** mast of the old mole, cleaned and with a new wick.\n\n- 40 cm high, 6 kg\n- burns nine ' +
    'hours on one filling\n\n€ 120, or a fog horn in return.',
  ttl: '30d',
  props: { where: LISBON, lang: 'en' },
};

export const ROPE_POST: PostBody = {
  title: 'Corda de amarração, 40 metros',
  body: 'Usada um inverno. 30 €.',
  ttl: '7d',
  props: { where: PORTO, lang: 'pt' },
};

export const SALT_POST: PostBody = {
  title: 'Salt creeps along the cable, not along the mast',
  body: 'Two winters of notes.',
  ttl: 'forever',
};
