import { useState } from 'react';
import { ChoiceField, SelectField, SwitchField, TextArea, TextField } from '../../components/field.js';
import type { Story } from '../story.js';

function Switches() {
  const [isOn, setIsOn] = useState(true);
  return (
    <div className="stack">
      <SwitchField label="Single-key shortcuts" isOn={isOn} onChange={setIsOn} />
      <SwitchField label="Closed" isOn={false} onChange={() => undefined} />
      <SwitchField label="Exposed to programs on this machine" isOn opensOutside onChange={() => undefined} />
      <SwitchField label="Off, and not to be turned" isOn={false} isBusy onChange={() => undefined} />
    </div>
  );
}

export const story: Story = {
  title: 'Field',
  states: {
    empty: <TextField label="Name" placeholder="harbour-master" />,
    filled: <TextField label="Name" hint="Letters, digits and hyphens." defaultValue="harbour-master" />,
    'with an error': (
      <TextField label="Name" defaultValue="Harbour Master" error="Only letters, digits and hyphens: harbour-master." />
    ),
    disabled: <TextField label="Name" defaultValue="consultant" disabled />,
    'read only': <TextField label="Id" className="mono" defaultValue="req-7b1f" readOnly />,
    'hidden label': <TextField label="Search the roster" hidesLabel placeholder="Search" type="search" />,
    area: <TextArea label="Topic" hint="One sentence." defaultValue="What happens in the harbour." />,
    'area of code': (
      <TextArea label="File" isCode defaultValue={'---\nname: Consultant\n---\nYou answer from the project.'} />
    ),
    'area with an error': <TextArea label="Charter" defaultValue="x" error="12 characters too many." />,
    select: <SelectField label="Effort" options={['low', 'medium', 'high']} defaultValue="medium" />,
    choices: (
      <fieldset>
        <legend>How long it stands</legend>
        <ChoiceField type="radio" name="ttl" label="a day" defaultChecked />
        <ChoiceField type="radio" name="ttl" label="a week" hint="then it is gone" />
        <ChoiceField label="Keep the admin token on this machine" defaultChecked />
        <ChoiceField label="Not to be chosen now" disabled />
      </fieldset>
    ),
    switches: <Switches />,
  },
};
