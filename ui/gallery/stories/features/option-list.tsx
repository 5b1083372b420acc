import { OptionList, type OptionListProps } from '../../../features/conversations/composer/option-list.js';
import { SLASH_COMMANDS } from '../../../features/conversations/composer/slash.js';
import { SlashOption } from '../../../features/conversations/composer/use-slash-list.js';
import type { Story } from '../../story.js';

const nothing = () => undefined;

/** Leaves space above, where the list is positioned. */
function Above(list: Omit<OptionListProps, 'id' | 'take' | 'point'>) {
  return (
    <div style={{ paddingTop: 300 }}>
      <OptionList {...list} id={`gallery-${list.label.replaceAll(' ', '-')}`} take={nothing} point={nothing} />
    </div>
  );
}

export const story: Story = {
  title: 'Lists above a text',
  states: {
    files: (
      <Above
        label="Files of the project"
        options={['src/dusk.ts', `src/${'a-long-folder/'.repeat(12)}lamp.ts`].map((path) => ({
          key: path,
          shown: path,
        }))}
        chosen={0}
        status="2 files"
      />
    ),
    commands: (
      <Above
        label="Commands"
        options={SLASH_COMMANDS.map((command) => ({ key: command.name, shown: <SlashOption command={command} /> }))}
        chosen={3}
        status={`${SLASH_COMMANDS.length} commands`}
      />
    ),
  },
};
