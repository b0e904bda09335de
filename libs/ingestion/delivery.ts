/** Turns the bytes of one delivery into the records of its topics. Pure: the same bytes give the same records. */

import { hash } from 'node:crypto';
import type { DeadLetterCode } from '#errors/catalogue.ts';
import { isRecord } from '#json/records.ts';
import { parseJson } from '#json/values.ts';
import type { DeadLetter, NormalizedMessage, RawMessage } from '#records/types.ts';
import type { PublishRecord } from '#streams/client/port.ts';
import type { CodecsOf } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import type { MessageContext } from './head.ts';
import { jsonElements } from './json-elements.ts';
import { normalizeMessage } from './normalize.ts';

export const DELIVERY_TOPICS = [
  'raw-messages',
  'normalized-messages',
  'dead-letters',
] as const satisfies readonly TopicName[];

/** Maximum size of a body, bytes: a record of raw-messages or dead-letters is the body plus a few fields. */
export const LARGEST_BODY_BYTES = TOPICS['raw-messages'].maxMessageBytes - 64 * 1024;

/** The service that received a delivery, and the time. */
type ReceiptContext = Omit<MessageContext, 'deliveryId'> & { readonly service: string };

export type ReadDelivery = {
  /** Null when nothing is stored: the empty array of a test delivery. */
  readonly raw: RawMessage | null;
  /** The messages, and for each unreadable one whose match is known the mark that says so. */
  readonly normalized: readonly NormalizedMessage[];
  readonly deadLetters: readonly DeadLetter[];
  /** Number of messages of each unused type. */
  readonly ignored: ReadonlyMap<string, number>;
};

/** Returns the id of a delivery: the SHA-256 of its body, and the key of the body in raw-messages. */
export function deliveryId(body: Buffer): string {
  return hash('sha256', body, 'hex');
}

/** Maximum messages of a received body: more would block all others. The receiver refuses it; elsewhere it is one dead letter. */
const MAX_MESSAGES = 10_000;

type Fault = { readonly code: DeadLetterCode; readonly reason: string };
type Messages = Pick<ReadDelivery, 'normalized' | 'ignored'> & {
  readonly count: number;
  readonly faults: readonly (Fault & { readonly index: number })[];
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the body of a delivery: a list of messages, or one message. A body that is not UTF-8, not JSON, no messages, or has too many
 * becomes one dead letter with its bytes; so does a message that cannot be normalized, with a mark among the normalized ones where its
 * match is known. A dead letter's `key` is the delivery id, the key of the body in `raw-messages`. Never throws, whatever the bytes.
 */
export function readDelivery(body: Buffer, context: ReceiptContext): ReadDelivery {
  const id = deliveryId(body);
  const { origin, receivedAt } = context;
  const raw = { delivery_id: id, origin, received_at: receivedAt, body };
  const read = readBody(body, { origin, deliveryId: id, receivedAt });
  if ('code' in read) {
    const deadLetters = [deadLetter(read, 'body', body, id, context)];
    return { raw, normalized: [], deadLetters, ignored: new Map() };
  }
  const { normalized, ignored, count, faults } = read;
  const elements = faults.length === 0 || count === 1 ? [] : jsonElements(body);
  const deadLetters = faults.map((fault) => {
    const part = count === 1 ? 'body' : String(fault.index);
    return deadLetter(fault, part, elements[fault.index] ?? body, id, context);
  });
  return { raw: count === 0 ? null : raw, normalized, deadLetters, ignored };
}

/** Normalizes a dead letter again, without a raw record. `faults`: the parts still unreadable, whose marks were published. */
export function readDeadLetter(
  letter: DeadLetter,
  context: ReceiptContext,
): Pick<ReadDelivery, 'normalized' | 'ignored'> & { readonly faults: readonly Fault[] } {
  const deliveryId = letter.key?.toString() ?? '';
  const bytes = letter.value ?? Buffer.alloc(0);
  const messageContext = { origin: context.origin, deliveryId, receivedAt: context.receivedAt };
  // Nothing else waits while a letter is read.
  const whole = readBody(bytes, messageContext, Number.POSITIVE_INFINITY);
  const isMessage = 'code' in whole && whole.code === 'not_array';
  const list = Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]);
  const read = isMessage ? readBody(list, messageContext) : whole;
  if ('code' in read) return { normalized: [], ignored: new Map(), faults: [read] };
  return { ...read, normalized: read.normalized.filter(({ unreadable }) => unreadable === null) };
}

function readBody(body: Buffer, context: MessageContext, maxMessages = MAX_MESSAGES): Messages | Fault {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return { code: 'not_utf8', reason: 'the body is not valid UTF-8' };
  }
  const json = parseJson(text);
  if (json === undefined) return { code: 'not_json', reason: 'the body is not valid JSON' };
  const parsed = isRecord(json) && Object.hasOwn(json, 'type') ? [json] : json;
  if (!Array.isArray(parsed)) return { code: 'not_array', reason: 'the body is not an array of messages' };
  if (parsed.length > maxMessages) {
    return { code: 'too_many', reason: `the body holds more than ${maxMessages} messages` };
  }
  const normalized: NormalizedMessage[] = [];
  const ignored = new Map<string, number>();
  const faults: (Fault & { readonly index: number })[] = [];
  for (const [index, message] of parsed.entries()) {
    const result = normalizeMessage(message, context, index);
    if (result.kind === 'normalized') normalized.push(result.message);
    else if (result.kind === 'ignored') ignored.set(result.type, (ignored.get(result.type) ?? 0) + 1);
    else {
      faults.push({ index, code: result.code, reason: result.reason });
      if (result.mark !== null) normalized.push(result.mark);
    }
  }
  return { normalized, ignored, count: parsed.length, faults };
}

/** Returns the dead letter of a body (`part` is 'body'), or of one of its messages (`part` is the index). */
export function deadLetter(
  { code, reason }: Fault,
  part: string,
  value: Buffer | null,
  deliveryId: string,
  { service, receivedAt }: Pick<ReceiptContext, 'service' | 'receivedAt'>,
): DeadLetter {
  return {
    id: hash('sha256', `${deliveryId}:${part}`, 'hex'),
    service,
    code,
    reason,
    topic: null,
    partition: null,
    offset: null,
    key: Buffer.from(deliveryId),
    value,
    failed_at: receivedAt,
  };
}

export type DeliveryEncoder = ReturnType<typeof deliveryEncoder>;

/** Creates an encoder of deliveries into records of their topics. It puts the raw record first: the others derive from it. */
export function deliveryEncoder(codecs: CodecsOf<(typeof DELIVERY_TOPICS)[number]>, prefix: string) {
  const [rawTopic = '', normalizedTopic = '', deadLetterTopic = ''] = DELIVERY_TOPICS.map((topic) =>
    topicName(prefix, topic),
  );
  return ({ raw, normalized, deadLetters }: ReadDelivery): PublishRecord[] => [
    ...(raw === null ? [] : [raw]).map((record) => ({
      topic: rawTopic,
      partition: 'any' as const,
      key: record.delivery_id,
      value: codecs['raw-messages'].encode(record),
    })),
    ...normalized.map((message) => ({
      topic: normalizedTopic,
      key: String(message.event_id),
      value: codecs['normalized-messages'].encode(message),
    })),
    ...deadLetters.map((letter) => ({
      topic: deadLetterTopic,
      key: letter.id,
      value: codecs['dead-letters'].encode(letter),
    })),
  ];
}
