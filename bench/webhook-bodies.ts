/** Generates bodies of deliveries: messages of many live matches in turns, each about 2.6 KB. */
import { BenchMatch } from './matches.ts';

/** Options of the bodies. */
export type BodiesOptions = {
  /** Bodies of runs with different numbers differ. */
  readonly run: number;
  /** Number of messages in a delivery. */
  readonly batch: number;
  readonly deliveries: number;
};

const MATCHES = 100;
const MESSAGES_A_MATCH = 2_000;

/** Yields the bodies as the provider would send them. */
export function* bodies({ run, batch, deliveries }: BodiesOptions): Generator<Buffer> {
  const live = Array.from(
    { length: MATCHES },
    (_, match) => new BenchMatch(run * MATCHES + match, MESSAGES_A_MATCH, match),
  );
  let next = 0;
  for (let n = 0; n < deliveries; n++) {
    const messages = Array.from({ length: batch }, () => live[next++ % MATCHES]?.next().message);
    yield Buffer.from(JSON.stringify(messages));
  }
}
