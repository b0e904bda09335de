import type { DeliveryFault, Faults } from './faults.ts';
import { createRandom } from './random.ts';
import type { ProviderMessage } from './records.ts';
import type { Wave } from './schedule.ts';

const MISHAPS = {
  /** The connection breaks halfway through the body, or its answer is lost: then the receiver has all, and the sender does not know. */
  drop: ['cut_body', 'lost_answer'],
  signature: ['wrong_secret', 'changed_body', 'expired'],
} as const;

/** Failure of the first attempt of a delivery. Only `lost_answer` may leave records at the receiver. */
export type Mishap = (typeof MISHAPS)[keyof typeof MISHAPS][number];

/**
 * A body of so many messages, due after so many seconds of play. Of the accepted request: `gzip`: which form of the body it signs, null
 * if it is not compressed; `signedAhead`: whether its clock is an hour ahead. `malformed`: the kind of an unreadable body.
 */
export type SimulatedDelivery = {
  readonly due: number;
  readonly body: Buffer;
  readonly messages: number;
  readonly mishap: Mishap | null;
  readonly gzip: 'signs_compressed' | 'signs_body' | null;
  readonly signedAhead: boolean;
  readonly malformed: string | null;
};

/** `batchWindow`: maximum time between the first and the last message of a batch, seconds of match time. */
type DeliveryPlan = Readonly<{ seed: string; faults: Faults; batchSize: number; batchWindow: number }>;

/** Maximum delays of faults, seconds of match time. */
const MAX_REORDER = 120;
const DELAY = { min: 120, max: 1200 } as const;
const MAX_DUPLICATE = 900;

/** Makers of unreadable bodies, by kind. Each body yields one dead letter. */
const MALFORMED: readonly (readonly [kind: string, make: (mark: string) => string | Buffer])[] = [
  ['not_json', (mark) => `[{"id":"${mark}"`],
  ['not_an_array', (mark) => JSON.stringify({ id: mark })],
  ['not_text', (mark) => Buffer.from(`["${mark}\xff\xfe"]`, 'latin1')],
  ['absurdly_nested', (mark) => `${'['.repeat(3000)}"${mark}"${']'.repeat(3000)}`],
  ['no_message', (mark) => JSON.stringify([mark])],
  [
    'no_event',
    (id) =>
      JSON.stringify([
        { id, type: 'incident', source: 1, ut: 1, data: { incident: { id: '5-1', incident_id: 413 } } },
      ]),
  ],
];

type DueMessage = { readonly due: number; readonly message: ProviderMessage };

/** Yields messages as unsigned deliveries, in order of time, each once at least and unchanged. Adds the faults to `counts`. */
export function* planDeliveries(
  waves: Iterable<Wave>,
  { seed, faults, batchSize, batchWindow }: DeliveryPlan,
  counts: Record<DeliveryFault, number>,
): Generator<SimulatedDelivery> {
  const random = createRandom(seed, 'deliveries');
  // Sources of their own: the same seed plays the same messages with any share of these deliveries.
  const forms = { gzip: createRandom(seed, 'compression'), signed_ahead: createRandom(seed, 'clock') };
  /** Whether a fault is injected now; counts it. */
  const strikes = (fault: DeliveryFault, by = random): boolean => {
    const isDue = by.chance(faults[fault]);
    if (isDue) counts[fault]++;
    return isDue;
  };
  const sent = (of: Omit<SimulatedDelivery, 'gzip' | 'signedAhead'>): SimulatedDelivery => ({
    ...of,
    gzip: strikes('gzip', forms.gzip) ? (forms.gzip.chance(0.5) ? 'signs_compressed' : 'signs_body') : null,
    signedAhead: strikes('signed_ahead', forms.signed_ahead),
  });

  /** Returns the message as often as it is sent, with the time of each. */
  const disturbed = ({ due, message }: DueMessage): DueMessage[] => {
    let later = strikes('reorder') ? random.int(1, MAX_REORDER) : 0;
    if (strikes('delay')) later = random.int(DELAY.min, DELAY.max);
    const first = { due: due + later, message };
    // Half of the duplicates are single messages; the others are sent with their batch.
    if (!random.chance(faults.duplicate / 2)) return [first];
    counts.duplicate++;
    return [first, { due: due + random.int(0, MAX_DUPLICATE), message }];
  };
  const mishap = (): Mishap | null => {
    const kind = strikes('drop') ? 'drop' : strikes('signature') ? 'signature' : null;
    return kind === null ? null : (MISHAPS[kind][random.int(0, MISHAPS[kind].length - 1)] ?? null);
  };
  const deliver = function* (batch: readonly DueMessage[]): Generator<SimulatedDelivery> {
    const due = batch.at(-1)?.due ?? 0;
    const body = Buffer.from(JSON.stringify(batch.map(({ message }) => message)));
    const whole = { due, body, messages: batch.length, malformed: null };
    yield sent({ ...whole, mishap: mishap() });
    if (random.chance(faults.duplicate / 2)) {
      counts.duplicate += batch.length;
      yield sent({ ...whole, mishap: null });
    }
    if (strikes('malformed')) {
      const n = counts.malformed - 1;
      const [malformed = '', make = String] = MALFORMED[n % MALFORMED.length] ?? [];
      const bad = Buffer.from(make(`malformed-${n}-${random.int(0, 999_999)}`));
      yield sent({ due, body: bad, messages: 0, mishap: null, malformed });
    }
  };
  const deliverAll = function* (messages: readonly DueMessage[]): Generator<SimulatedDelivery> {
    let batch: DueMessage[] = [];
    let size = random.int(1, batchSize);
    for (const message of messages) {
      const first = batch[0];
      if (first !== undefined && (batch.length >= size || message.due - first.due > batchWindow)) {
        yield* deliver(batch);
        batch = [];
        size = random.int(1, batchSize);
      }
      batch.push(message);
    }
    if (batch.length > 0) yield* deliver(batch);
  };

  let played = 0;
  let late: DueMessage[] = [];
  for (const { messages, startsAt, endsAt } of waves) {
    const inTime = messages.map((message) => ({ due: played + message.ut - startsAt, message }));
    played += endsAt - startsAt;
    const sorted = [...late, ...inTime.flatMap(disturbed)].sort((a, b) => a.due - b.due);
    const open = sorted.findIndex(({ due }) => due > played);
    late = open === -1 ? [] : sorted.splice(open);
    yield* deliverAll(sorted);
  }
  yield* deliverAll(late);
}
