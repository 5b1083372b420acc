import offered from '../../../components/options.module.css';
import type { Story } from '../../story.js';

export const story: Story = {
  title: 'What is offered for a field',
  states: {
    'one is chosen': (
      <div style={{ position: 'relative', height: 150 }}>
        <div role="listbox" aria-label="Places" className={offered.list}>
          {['Lisbon, Portugal', 'Lisburn, United Kingdom', 'Lisieux, France'].map((name, at) => (
            <div key={name} role="option" tabIndex={-1} aria-selected={at === 1} className={offered.option}>
              {name}
            </div>
          ))}
        </div>
      </div>
    ),
  },
};
