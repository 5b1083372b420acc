import { setImmediate } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';

interface PublishedMessage {
  subject: string;
  data: Uint8Array;
}
type Listener = (error: null, message: PublishedMessage & { headers?: { code: number } }) => void;

function matches(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.split('.'), subject.split('.')];
  return wanted.length === given.length && wanted.every((token, index) => token === '*' || token === given[index]);
}

/** A message broker in memory: subscribers receive what is published. Nothing is stored. */
export class MemorySubjects {
  readonly said: PublishedMessage[] = [];
  private readonly listeners = new Map<{ subject: string }, Listener>();

  readonly connection = {
    isClosed: () => false,
    publish: (subject: string, data: string) => this.publish(subject, data),
    subscribe: (subject: string, { callback }: { callback: Listener }) => {
      const subscription = {
        subject,
        getSubject: () => subject,
        unsubscribe: () => this.listeners.delete(subscription),
      };
      this.listeners.set(subscription, callback);
      return subscription;
    },
  } as unknown as NatsConnection;

  publish(subject: string, data: string, headers?: { code: number }): void {
    const message = { subject, data: Buffer.from(data), ...(headers && { headers }) };
    this.said.push(message);
    for (const [subscription, hear] of [...this.listeners])
      if (matches(subscription.subject, subject)) hear(null, message);
  }

  get subscriptions(): number {
    return this.listeners.size;
  }

  /** Resolves once what was published is handled, as far as that waits for nothing else. */
  async settle(): Promise<void> {
    await setImmediate();
  }
}
