import type { NormalizedMessage, RawMessage } from '#records/types.ts';
import { partitionHash } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import type { Codec, Decoder } from '#topics/codec.ts';
import { readable } from '#topics/readable.ts';
import type { ReplayInput } from './engine.ts';
import { normalizeAgain } from './normalize-again.ts';

type RawInputsOptions = {
  /** Name of raw-messages on the broker. */
  readonly topic: string;
  readonly decoder: Pick<Decoder<RawMessage>, 'prepare' | 'decode'>;
  readonly codec: Pick<Codec<NormalizedMessage>, 'encode'>;
  /** Number of partitions of the target's topics of a match. */
  readonly partitions: number;
};

/** Converts records of raw-messages into input of the engine: normalizes again, and assigns messages to the partitions of their events. */
export class RawInputs {
  readonly #options: RawInputsOptions;
  #unreadable = 0;

  constructor(options: RawInputsOptions) {
    this.#options = options;
  }

  /** Number of records that nobody can read. They are reported and left out. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Returns the messages of some records, in their order. Rejects with `RegistryUnavailableError`. */
  async of(records: readonly ReadRecord[]): Promise<ReplayInput[]> {
    const { topic, decoder } = this.#options;
    const inputs: ReplayInput[] = [];
    for (const record of records) {
      const [read] = await readable(decoder, { topic, partition: record.partition }, [record]);
      if (read === undefined) this.#unreadable += 1;
      else if (read.value !== null) {
        for (const message of normalizeAgain(read.value).normalized)
          inputs.push(this.#input(message, record.timestamp));
      }
    }
    return inputs;
  }

  #input(message: NormalizedMessage, timestamp: number): ReplayInput {
    const { codec, partitions } = this.#options;
    const key = Buffer.from(String(message.event_id));
    return { partition: partitionHash(key) % partitions, key, value: codec.encode(message), timestamp };
  }
}
