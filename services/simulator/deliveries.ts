import type { DeliveryFault, Faults } from './faults.ts';
import { createRandom, type SeededRandom } from './random.ts';
import type { ProviderMessage } from './records.ts';
import type { Wave } from './schedule.ts';

/** Failure of the first attempt of a delivery. Only `lost_answer` may leave records at the receiver. */
export type Mishap =
  /** The connection breaks halfway through the body. */
  | 'cut_body'
  /** The connection breaks before the answer: the receiver has the whole body, but the sender does not know. */
  | 'lost_answer'
  | 'wrong_secret'
  | 'changed_body'
  | 'expired';

/** A body to deliver, and its faults. */
export type SimulatedDelivery = {
  /** When it is due, seconds of play since the start, without the gaps between waves. */
  readonly due: number;
  readonly body: Buffer;
  readonly messages: number;
  readonly mishap: Mishap | null;
  /** Whether the accepted request is compressed, and which form of the body it signs; null: it is not compressed. */
  readonly gzip: 'signs_compressed' | 'signs_body' | null;
  /** Whether the sender of the accepted request signs it by a clock that is an hour ahead. */
  readonly signedAhead: boolean;
  /** The kind of malformation when the body or one of its messages is unreadable; else null. */
  readonly malformed: string | null;
};

/** Numbers of injected faults, by kind. */
export type DeliveryCounts = Record<DeliveryFault, number>;

type DeliveryPlan = {
  readonly seed: string;
  readonly faults: Faults;
  readonly batchSize: number;
  /** Maximum time between the first and the last message of a batch, seconds of match time. */
  readonly batchWindow: number;
};

/** Maximum delays of faults, seconds of match time. */
const MAX_REORDER = 120;
const DELAY = { min: 120, max: 1200 } as const;
const MAX_DUPLICATE = 900;

const MISHAPS: Readonly<Record<'drop' | 'signature', readonly Mishap[]>> = {
  drop: ['cut_body', 'lost_answer'],
  signature: ['wrong_secret', 'changed_body', 'expired'],
};

type BodyMaker = (mark: string) => Buffer;

const text =
  (make: (mark: string) => string): BodyMaker =>
  (mark) =>
    Buffer.from(make(mark));

/** Makers of unreadable bodies. Each body yields one dead letter. */
const MALFORMED: Readonly<Record<string, BodyMaker>> = {
  not_json: text((mark) => `[{"id":"${mark}"`),
  not_an_array: text((mark) => JSON.stringify({ id: mark })),
  not_text: (mark) => Buffer.concat([Buffer.from(`["${mark}`), Buffer.from([0xff, 0xfe]), Buffer.from('"]')]),
  absurdly_nested: text((mark) => `${'['.repeat(3000)}"${mark}"${']'.repeat(3000)}`),
  no_message: text((mark) => JSON.stringify([mark])),
  no_event: text((mark) =>
    JSON.stringify([
      { id: mark, type: 'incident', source: 1, ut: 1, data: { incident: { id: '5-1', incident_id: 413 } } },
    ]),
  ),
};
const MALFORMED_KINDS = Object.entries(MALFORMED);

type DueMessage = { readonly due: number; readonly message: ProviderMessage };

/** Yields messages as unsigned deliveries, in order of time, each once at least and unchanged. Adds the faults to `counts`. */
export function* planDeliveries(
  waves: Iterable<Wave>,
  plan: DeliveryPlan,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  const random = createRandom(plan.seed, 'deliveries');
  // Sources of their own: the same seed plays the same messages with any share of these deliveries.
  const forms = { gzip: createRandom(plan.seed, 'compression'), clock: createRandom(plan.seed, 'clock') };
  const send = (due: readonly DueMessage[]) =>
    inForms(batches(due, plan, random, counts), plan, forms, counts);
  let played = 0;
  let late: DueMessage[] = [];
  for (const wave of waves) {
    const inTime = wave.messages.map((message) => ({ due: played + message.ut - wave.startsAt, message }));
    played += wave.endsAt - wave.startsAt;
    const all = [...late, ...inTime.flatMap((due) => disturb(due, plan.faults, random, counts))];
    const sorted = all.sort((a, b) => a.due - b.due);
    const open = sorted.findIndex(({ due }) => due > played);
    late = open === -1 ? [] : sorted.splice(open);
    yield* send(sorted);
  }
  yield* send(late);
}

/** Compresses some deliveries, and signs some by another clock. */
function* inForms(
  deliveries: Iterable<SimulatedDelivery>,
  { faults }: DeliveryPlan,
  random: Readonly<Record<'gzip' | 'clock', SeededRandom>>,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  for (const delivery of deliveries) {
    const compresses = random.gzip.chance(faults.gzip);
    if (compresses) counts.gzip++;
    const gzip = compresses ? (random.gzip.chance(0.5) ? 'signs_compressed' : 'signs_body') : null;
    const signedAhead = random.clock.chance(faults.signed_ahead);
    if (signedAhead) counts.signed_ahead++;
    yield { ...delivery, gzip, signedAhead };
  }
}

/** Returns the message as often as it is sent, with the time of each. */
function disturb(
  { due, message }: DueMessage,
  faults: Faults,
  random: SeededRandom,
  counts: DeliveryCounts,
): DueMessage[] {
  let later = 0;
  if (random.chance(faults.reorder)) {
    counts.reorder++;
    later = random.int(1, MAX_REORDER);
  }
  if (random.chance(faults.delay)) {
    counts.delay++;
    later = random.int(DELAY.min, DELAY.max);
  }
  const sent: DueMessage[] = [{ due: due + later, message }];
  // Half of the duplicates are single messages; the others are sent with their batch.
  if (random.chance(faults.duplicate / 2)) {
    counts.duplicate++;
    sent.push({ due: due + random.int(0, MAX_DUPLICATE), message });
  }
  return sent;
}

function* batches(
  messages: readonly DueMessage[],
  plan: DeliveryPlan,
  random: SeededRandom,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  let batch: DueMessage[] = [];
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

/** Returns the failure of the first attempt; null when it succeeds. */
function mishapOf(faults: Faults, random: SeededRandom, counts: DeliveryCounts): Mishap | null {
  for (const kind of ['drop', 'signature'] as const) {
    if (!random.chance(faults[kind])) continue;
    counts[kind]++;
    return MISHAPS[kind][random.int(0, MISHAPS[kind].length - 1)] ?? null;
  }
  return null;
}

function* deliver(
  batch: readonly DueMessage[],
  { faults }: DeliveryPlan,
  random: SeededRandom,
  counts: DeliveryCounts,
): Generator<SimulatedDelivery> {
  const due = batch.at(-1)?.due ?? 0;
  const body = Buffer.from(JSON.stringify(batch.map(({ message }) => message)));
  const whole = { due, body, messages: batch.length, gzip: null, signedAhead: false, malformed: null };
  const mishap = mishapOf(faults, random, counts);
  yield { ...whole, mishap };
  if (random.chance(faults.duplicate / 2)) {
    counts.duplicate += batch.length;
    yield { ...whole, mishap: null };
  }
  if (random.chance(faults.malformed)) {
    const [malformed, bad] = malformedBody(random, counts.malformed++);
    yield { due, body: bad, messages: 0, mishap: null, gzip: null, signedAhead: false, malformed };
  }
}

/** Returns a malformed body and its kind. Bodies with different `n` differ. */
function malformedBody(random: SeededRandom, n: number): [kind: string, body: Buffer] {
  const [kind, make] = MALFORMED_KINDS[n % MALFORMED_KINDS.length] ?? ['not_json', text((mark) => mark)];
  return [kind, make(`malformed-${n}-${random.int(0, 999_999)}`)];
}
