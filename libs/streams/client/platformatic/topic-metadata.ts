/** How long an answer may be shared: a start requests the same topics many times, a restart changes leaders. */
const SHARED_MS = 1_000;

/** The address of a broker. */
export type Address = { readonly host: string; readonly port: number };

/** A topic's metadata. */
export type TopicMetadata = {
  /** The topic's id, set by the cluster at its creation. */
  readonly id: string;
  /** By partition; undefined where there is none. */
  readonly leaders: readonly (Address | undefined)[];
  /** The epoch of each leader, by partition. */
  readonly leaderEpochs: readonly number[];
  /** All brokers of the cluster, from the same answer. */
  readonly brokers: readonly Address[];
};

/**
 * Recent metadata of topics, shared by all connections of a client: partitions claimed together cause one request.
 * A caller that finds it wrong forgets it for all.
 */
export class SharedMetadata {
  readonly #answers = new Map<
    string,
    { readonly askedAt: number; readonly answer: Promise<TopicMetadata> }
  >();

  /** The known or pending answer, else that of `ask`. Rejects as that does. */
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
