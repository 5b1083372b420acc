import { Dialog } from '../components/dialog.js';
import { KeyValue } from '../components/notes.js';
import { isApple } from '../lib/platform.js';
import { useBack } from '../lib/use-back.js';
import { ALL_PLACES } from './places.js';

export default function ShortcutSheet({ hasSingleKeys, onClose }: { hasSingleKeys: boolean; onClose: () => void }) {
  useBack(onClose);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {!hasSingleKeys && <p>Single-key shortcuts are off in System, Preferences. Only the first line works.</p>}
      <KeyValue
        rows={[
          ['Go anywhere, or ask', <Keys key="palette" keys={[isApple ? '⌘ K' : 'Ctrl K']} />],
          ...ALL_PLACES.map(({ name, key }): [string, React.ReactNode] => [name, <Keys key={key} keys={['g', key]} />]),
          ['Next and previous row', <Keys key="jk" keys={['j', 'k']} joint="," />],
          ['Open the row', <Keys key="enter" keys={['Enter']} />],
          ['Talk to the member of the row', <Keys key="talk" keys={['t']} />],
          ['Select the member of the row', <Keys key="select" keys={['x']} />],
          ['Answer a question', <Keys key="answer" keys={['1', '2', '3']} joint="," />],
          ['Recall your last message', <Keys key="back" keys={['↑']} />],
          ['Show new items', <Keys key="new" keys={['n']} />],
          ['Undo, or what else a message offers', <Keys key="undo" keys={['u']} />],
          ['Filter the list', <Keys key="slash" keys={['/']} />],
          ['Source viewer: search in the file', <Keys key="find" keys={['/']} />],
          ['Name a file in a message', <Keys key="file" keys={['@']} />],
          ['Name a command at its start', <Keys key="command" keys={['/']} />],
          ['Changes: next and previous hunk', <Keys key="hunk" keys={['j', 'k']} joint="," />],
          ['Changes: next and previous file', <Keys key="change" keys={[']', '[']} joint="," />],
          ['Changes: next and previous line', <Keys key="line" keys={['↓', '↑']} joint="," />],
          ['Changes: comment on the line', <Keys key="comment" keys={['Enter']} />],
          ['Changes: mark the file as viewed', <Keys key="viewed" keys={['v']} />],
          ['This list', <Keys key="help" keys={['?']} />],
        ]}
      />
    </Dialog>
  );
}

function Keys({ keys, joint = 'then' }: { keys: string[]; joint?: string }) {
  return (
    <span className="whole">
      {keys.map((key, at) => (
        <span key={key}>
          {at > 0 && ` ${joint} `}
          <kbd>{key}</kbd>
        </span>
      ))}
    </span>
  );
}
