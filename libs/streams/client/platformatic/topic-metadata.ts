/** How long an answer is good for others: a start asks for the same topics many times, a restart finds other leaders. */
const SHARED_MS = 1_000;

/** The address of a broker. */
export type Address = { readonly host: string; readonly port: number };

/** A topic as the brokers know it. */
export type TopicMetadata = {
  /** The id that the cluster gave the topic when it was created. */
  readonly id: string;
  /** By partition; undefined where there is none. */
  readonly leaders: readonly (Address | undefined)[];
  /** All brokers of the cluster, as of the same answer. */
  readonly brokers: readonly Address[];
};

/**
 * What brokers answered about topics a moment ago, for all connections of one client: partitions that are claimed together
 * ask once. Whoever finds an answer wrong forgets it for all.
 */
export class SharedMetadata {
  readonly #answers = new Map<
    string,
    { readonly askedAt: number; readonly answer: Promise<TopicMetadata> }
  >();

  /** The answer that is known or on its way, else the one to `ask`. Rejects as that does. */
  topic(name: string, ask: () => Promise<TopicMetadata>): Promise<TopicMetadata> {
    const now = performance.now();
    const known = this.#answers.get(name);
    if (known !== undefined && now < known.askedAt + SHARED_MS) return known.answer;
    const asked = { askedAt: now, answer: ask() };
    this.#answers.set(name, asked);
    asked.answer.catch(() => {
      if (this.#answers.get(name) === asked) this.#answers.delete(name);
    });
    return asked.answer;
  }

  /** Of one topic, or of all. */
  forget(name?: string): void {
    if (name === undefined) this.#answers.clear();
    else this.#answers.delete(name);
  }
}
