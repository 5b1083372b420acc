import segments from '../../../components/segments.module.css';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'Segments',
  states: {
    links: (
      <nav className={segments.segments} aria-label="Consultant">
        {['Overview', 'File', 'API access', 'Tests'].map((name, at) => (
          <a key={name} href="#segments" className={segments.segment} aria-current={at === 0 ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
    ),
    buttons: (
      <div className={segments.segments}>
        <button type="button" className={segments.segment} aria-pressed="true">
          Form
        </button>
        <button type="button" className={segments.segment} aria-pressed="false">
          Raw
        </button>
        <button type="button" className={segments.segment} aria-pressed="false" aria-disabled="true">
          Against git
        </button>
      </div>
    ),
  },
};
