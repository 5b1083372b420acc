import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import type { Story } from '../story.js';

function Opens({ label, isWide = false }: { label: string; isWide?: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button data-opens="" onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Dialog title="Rename the conversation" onClose={close} isWide={isWide}>
          <p>Its address stays as it is.</p>
          <TextField label="Name" defaultValue="Where the retries are set" />
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button look="primary" onClick={close}>
              Rename
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}

export const story: Story = {
  title: 'Dialog',
  states: { narrow: <Opens label="Open a narrow one" />, wide: <Opens label="Open a wide one" isWide /> },
};
