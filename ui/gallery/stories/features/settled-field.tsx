import { useState } from 'react';
import { SettledField } from '../../../components/settled-field.js';
import type { Story } from '../../story.js';

function Search() {
  const [value, setValue] = useState('retry');
  return (
    <div className="stack">
      <SettledField
        label="Search"
        value={value}
        onSettled={setValue}
        getFault={(typed) => (/^\w*$/.test(typed) ? undefined : 'Letters and digits only.')}
      />
      <p className="quiet">Searched for: {value}</p>
    </div>
  );
}

export const story: Story = { title: 'Settled field', states: { settled: <Search /> } };
