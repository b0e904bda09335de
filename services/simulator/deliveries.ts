import type { DeliveryFault, Faults } from './faults.ts';
import { malformedBody } from './malformed.ts';
import { createRandom, type SeededRandom } from './random.ts';
import type { ProviderMessage } from './records.ts';
import type { Wave } from './schedule.ts';

/** Failure of the first attempt of a delivery. All but `lost_answer` must leave nothing at the receiver. */
export type Mishap =
  /** The connection breaks halfway through the body. */
  | 'cut_body'
  /** The connection breaks before the answer: the receiver has it all, the sender does not know. */
  | 'lost_answer'
  | 'wrong_secret'
  | 'changed_body'
  | 'expired';

/** One body to deliver, and how. */
export type SimulatedDelivery = {
  /** Seconds of play since the start, without the gaps between waves: when it is due. */
  readonly due: number;
  readonly body: Buffer;
  /** Messages in it. */
  readonly messages: number;
  readonly mishap: Mishap | null;
  /** The kind of malformation when the body or one of its messages is unreadable. */
  readonly malformed: string | null;
};

/** Injected faults, by kind. */
export type DeliveryCounts = Record<DeliveryFault, number>;

export type DeliveryPlan = {
  readonly seed: string;
  readonly faults: Faults;
  /** Most messages of a batch. */
  readonly batchSize: number;
  /** Seconds of match time that a batch may wait for more. */
  readonly batchWindow: number;
};

/** Seconds of match time. */
const REORDER_WITHIN = 120;
const DELAY = { min: 120, max: 1200 } as const;
const DUPLICATE_WITHIN = 900;

const MISHAPS: Readonly<Record<'drop' | 'signature', readonly Mishap[]>> = {
  drop: ['cut_body', 'lost_answer'],
  signature: ['wrong_secret', 'changed_body', 'expired'],
};

type Due = { readonly due: number; readonly message: ProviderMessage };

/**
 * Turns the messages of waves into unsigned deliveries, in the order in which they are due: a function of its
 * arguments. Every message is delivered at least once, unchanged. `counts` is added to as they are taken.
 */
export function* planDeliveries(
  waves: Iterable<Wave>,
  plan: DeliveryPlan,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  const random = createRandom(plan.seed, 'deliveries');
  let played = 0;
  let late: Due[] = [];
  for (const wave of waves) {
    const inTime = wave.messages.map((message) => ({ due: played + message.ut - wave.startsAt, message }));
    played += wave.endsAt - wave.startsAt;
    const all = [...late, ...inTime.flatMap((due) => disturb(due, plan.faults, random, counts))];
    const sorted = all.sort((a, b) => a.due - b.due);
    const open = sorted.findIndex(({ due }) => due > played);
    late = open === -1 ? [] : sorted.splice(open);
    yield* batches(sorted, plan, random, counts);
  }
  yield* batches(late, plan, random, counts);
}

export function noDeliveryFaults(): DeliveryCounts {
  return { duplicate: 0, reorder: 0, delay: 0, drop: 0, signature: 0, malformed: 0 };
}

/** When a message is sent, be it more than once. */
function disturb(on: Due, faults: Faults, random: SeededRandom, counts: DeliveryCounts): Due[] {
  const { due, message } = on;
  let later = 0;
  if (random.chance(faults.reorder)) {
    counts.reorder++;
    later = random.int(1, REORDER_WITHIN);
  }
  if (random.chance(faults.delay)) {
    counts.delay++;
    later = random.int(DELAY.min, DELAY.max);
  }
  const sent: Due[] = [{ due: due + later, message }];
  // Half of the copies come alone, the others with their batch.
  if (random.chance(faults.duplicate / 2)) {
    counts.duplicate++;
    sent.push({ due: due + random.int(0, DUPLICATE_WITHIN), message });
  }
  return sent;
}

function* batches(
  messages: readonly Due[],
  plan: DeliveryPlan,
  random: SeededRandom,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  let batch: Due[] = [];
  let size = random.int(1, plan.batchSize);
  for (const due of messages) {
    const first = batch[0];
    if (first !== undefined && (batch.length >= size || due.due - first.due > plan.batchWindow)) {
      yield* deliver(batch, plan, random, counts);
      batch = [];
      size = random.int(1, plan.batchSize);
    }
    batch.push(due);
  }
  if (batch.length > 0) yield* deliver(batch, plan, random, counts);
}

/** The failure of the first attempt, if any: at most one. */
function mishapOf(faults: Faults, random: SeededRandom, counts: DeliveryCounts): Mishap | null {
  for (const kind of ['drop', 'signature'] as const) {
    if (!random.chance(faults[kind])) continue;
    counts[kind]++;
    return MISHAPS[kind][random.int(0, MISHAPS[kind].length - 1)] ?? null;
  }
  return null;
}

function* deliver(
  batch: readonly Due[],
  { faults }: DeliveryPlan,
  random: SeededRandom,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  const due = batch.at(-1)?.due ?? 0;
  const body = Buffer.from(JSON.stringify(batch.map(({ message }) => message)));
  const whole = { due, body, messages: batch.length, malformed: null };
  const mishap = mishapOf(faults, random, counts);
  yield { ...whole, mishap };
  if (random.chance(faults.duplicate / 2)) {
    counts.duplicate += batch.length;
    yield { ...whole, mishap: null };
  }
  if (random.chance(faults.malformed)) {
    const [malformed, bad] = malformedBody(random, counts.malformed++);
    yield { due, body: bad, messages: 0, mishap: null, malformed };
  }
}
