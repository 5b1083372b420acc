// @vitest-environment happy-dom
import { Component, type ReactNode } from 'react';
import { describe, expect, it } from 'vitest';
import { draw, removeAfterEach, soon } from '../testing/drawn.js';
import { fetched } from './fetched.js';

/** A loader whose calls the test resolves or rejects one by one. */
function loading() {
  const calls: { arrives: (words: string) => void; fails: () => void }[] = [];
  const load = () =>
    new Promise<{ default: (props: { name: string }) => ReactNode }>((resolve, reject) => {
      calls.push({
        arrives: (words) => resolve({ default: ({ name }) => `${words} ${name}` }),
        fails: () => reject(new Error('The chunk is gone.')),
      });
    });
  return { load, calls };
}

class Caught extends Component<{ children: ReactNode }, { said: string | undefined }> {
  override state: { said: string | undefined } = { said: undefined };

  static getDerivedStateFromError(error: Error) {
    return { said: error.message };
  }

  override render() {
    return this.state.said ?? this.props.children;
  }
}

describe('fetched', () => {
  removeAfterEach();

  it('renders the placeholder until the component is loaded', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const { words } = await draw(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[0]?.arrives('the'));
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('renders at once without loading again when the component is known', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const first = await draw(<Part name="desk" />);
    await soon(() => calls[0]?.arrives('the'));
    await first.remove();
    const { words } = await draw(<Part name="wall" />);
    expect(words()).toBe('the wall');
    expect(calls).toHaveLength(1);
  });

  it('renders at once when it was loaded with begin', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.arrives('the'));
    const { words } = await draw(<Part name="desk" />);
    expect(words()).toBe('the desk');
    expect(calls).toHaveLength(1);
  });

  it('loads again on render when the load from begin failed', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    Part.begin();
    await soon(() => calls[0]?.fails());
    const { words } = await draw(<Part name="desk" />);
    expect(words()).toBe('bones');
    await soon(() => calls[1]?.arrives('the'));
    expect(words()).toBe('the desk');
  });

  it('throws when loading fails, and loads again on the next mount', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const { words, redraw } = await draw(
      <Caught key="first">
        <Part name="desk" />
      </Caught>,
    );
    await soon(() => calls[0]?.fails());
    expect(words()).toBe('The chunk is gone.');
    await redraw(
      <Caught key="second">
        <Part name="desk" />
      </Caught>,
    );
    expect(words()).toBe('bones');
    await soon(() => calls[1]?.arrives('the'));
    expect(words()).toBe('the desk');
  });

  it('keeps a component that is loaded after unmount and renders nothing', async () => {
    const { load, calls } = loading();
    const Part = fetched(load, 'bones');
    const gone = await draw(<Part name="desk" />);
    await gone.remove();
    await soon(() => calls[0]?.arrives('the'));
    expect(gone.words()).toBe('');
    const { words } = await draw(<Part name="desk" />);
    expect(words()).toBe('the desk');
  });
});
