/** Normalizes records of raw-messages as the ingress services do, with the current rules. */
import { z } from 'zod';
import { type ReadDelivery, readDelivery } from '#ingestion/delivery.ts';
import type { MessageContext } from '#ingestion/head.ts';
import { type Normalized, normalizeSnapshot } from '#ingestion/normalize.ts';
import { parseJson } from '#json/values.ts';
import type { NormalizedMessage, RawMessage } from '#records/types.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import type { Codec, Decoder } from '#topics/codec.ts';
import { decodeRecords } from '#topics/follow.ts';
import type { ReplayInput } from './engine.ts';

/** The body in which the feed poller keeps an event's complete incident list (services/feed-poller/publish/messages.ts). */
const snapshotBody = z.tuple([
  z.object({
    id: z.string(),
    type: z.literal('incident_snapshot'),
    ut: z.int(),
    event_id: z.int(),
    data: z.object({ incidents: z.array(z.unknown()), deleted: z.array(z.unknown()).optional() }),
  }),
]);

/** Text near the beginning of a snapshot. Parsing every body twice would cost as much as all other work. */
const SNAPSHOT_MARK = '"type":"incident_snapshot"';
const MARK_WITHIN = 256;

/** Normalizes a delivery again; keeps its time of receipt and its id. */
export function normalizeAgain({ body, origin, received_at, delivery_id }: RawMessage): ReadDelivery {
  const isFeed = origin === 'feed';
  const context = {
    origin: isFeed ? ('feed' as const) : ('webhook' as const),
    service: isFeed ? 'feed-poller' : 'webhook-receiver',
    receivedAt: received_at,
  };
  const result = isFeed
    ? normalizeSnapshotAgain(body, { origin: 'feed', deliveryId: delivery_id, receivedAt: received_at })
    : null;
  if (result === null) return readDelivery(body, context);
  // The dead letter of an unreadable snapshot was written when it was received.
  const unread = result.kind === 'unreadable' ? result.mark : null;
  const message = result.kind === 'normalized' ? result.message : unread;
  return { raw: null, normalized: message === null ? [] : [message], deadLetters: [], ignored: new Map() };
}

/** Normalizes a body of the feed poller with an event's complete incident list; null for any other body. */
export function normalizeSnapshotAgain(body: Buffer, context: MessageContext): Normalized | null {
  if (!body.subarray(0, MARK_WITHIN).includes(SNAPSHOT_MARK)) return null;
  const parsed = snapshotBody.safeParse(parseJson(body.toString('utf8')));
  if (!parsed.success) return null;
  const [{ id, event_id, ut, data }] = parsed.data;
  return normalizeSnapshot({ messageId: id, eventId: event_id, time: ut, ...data }, context);
}

type RawInputsOptions = {
  readonly topic: string;
  readonly decoder: Pick<Decoder<RawMessage>, 'prepare' | 'decode'>;
  readonly codec: Pick<Codec<NormalizedMessage>, 'encode'>;
  readonly partitions: number;
};

/** Converts records of a source into input of the engine. `unreadable`: the number of records that it left out. */
export type InputReader = {
  readonly unreadable: number;
  of(records: readonly ReadRecord[]): Promise<readonly ReplayInput[]>;
};

/** Returns the conversion of raw-messages: normalizes again, and assigns messages to the partitions of their events. */
export function rawInputs({ topic, decoder, codec, partitions }: RawInputsOptions): InputReader {
  const reader = {
    unreadable: 0,
    /** Keeps the order of the records. Rejects with `RegistryUnavailableError`. */
    async of(records: readonly ReadRecord[]): Promise<ReplayInput[]> {
      const inputs: ReplayInput[] = [];
      for (const record of records) {
        const [read] = await decodeRecords(decoder, { topic, partition: record.partition }, [record]);
        if (read === undefined) reader.unreadable += 1;
        for (const message of read?.value ? normalizeAgain(read.value).normalized : []) {
          const key = Buffer.from(String(message.event_id));
          const value = codec.encode(message);
          inputs.push({
            partition: partitionOfKey(key, partitions),
            key,
            value,
            timestamp: record.timestamp,
          });
        }
      }
      return inputs;
    },
  };
  return reader;
}
