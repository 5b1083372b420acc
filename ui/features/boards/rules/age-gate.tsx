import { useId } from 'react';
import { Button } from '../../../components/button.js';
import styles from '../boards.module.css';
import { declareAge } from './adult-word.js';

/**
 * Requests that the reader declares an age before anything of a board is shown. The answer is stored for this tab only.
 */
export function AgeGate({ age, onYes, onNo }: { age: number; onYes: (age: number) => void; onNo: () => void }) {
  const id = useId();
  return (
    <section className={styles.gate} aria-labelledby={id}>
      <h2 id={id}>This board is for people aged {age} and older</h2>
      <p>Your answer is not verified. It is stored in this tab only and sent with your requests to this board.</p>
      <div className="cluster">
        <Button
          look="primary"
          onClick={() => {
            declareAge(age);
            onYes(age);
          }}
        >
          I am {age} or older
        </Button>
        <Button onClick={onNo}>I am younger</Button>
      </div>
    </section>
  );
}
