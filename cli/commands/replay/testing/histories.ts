/** Recorded histories: deliveries of raw-messages, and the records that a replay derives from them (data/README.md). */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { canonicalJson } from '#json/canonical-json.ts';
import type { RawMessage } from '#records/types.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { TOPICS, type TopicName } from '#topics/topics.ts';
import { COMPARED } from '../../compare/run.ts';
import type { ReplayInput } from '../engine.ts';
import { normalizeAgain } from '../raw-inputs.ts';
import { replayInMemory } from './in-memory.ts';

const FOLDER = fileURLToPath(new URL('../../../../data/histories/', import.meta.url));
const EXPECTED = '.expected.jsonl';
const INPUT = '.jsonl';

const origin = z.enum(['webhook', 'feed']);
const delivery = z.strictObject({ received_at: z.int(), origin, body: z.array(z.unknown()) });

/** A line of a file: the topic, partition, key and decoded value of a record, as JSON. */
export type RecordedLine = string;

/** Returns the names of all histories. */
export function historyNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(INPUT) && !file.endsWith(EXPECTED))
    .map((file) => file.slice(0, -INPUT.length))
    .sort();
}

/** Returns the deliveries of a history, in the order of receipt. */
function deliveriesOf(name: string): RawMessage[] {
  return linesOf(`${name}${INPUT}`).map((line) => {
    const { received_at, origin, body } = delivery.parse(JSON.parse(line));
    const bytes = Buffer.from(JSON.stringify(body));
    return { delivery_id: hash('sha256', bytes, 'hex'), origin, received_at, body: bytes };
  });
}

/** Returns the recorded digest of all bytes, and the recorded records. */
export function expectedOf(name: string): { digest: string; lines: RecordedLine[] } {
  const [digest = '', ...lines] = linesOf(`${name}${EXPECTED}`);
  return { digest, lines };
}

/** Returns the file that `expectedOf` reads. */
export function expectedFile(name: string): string {
  return `${FOLDER}${name}${EXPECTED}`;
}

/** Replays a history. Returns a digest of every published byte, and the records that remain at the end. */
export async function replayHistory(name: string): Promise<{ digest: string; lines: RecordedLine[] }> {
  const records = await replayInMemory(inputsOf(name), Number.POSITIVE_INFINITY);
  const bytes = records.map(({ topic, partition, key, value }) =>
    Buffer.concat([Buffer.from(`${topic}/${partition}/${key}/`), value ?? Buffer.alloc(0)]),
  );
  const remaining = new RemainingRecords();
  for (const { topic, partition, key, value } of records)
    remaining.add(topic as TopicName, partition, String(key), value);
  return {
    digest: JSON.stringify({ sha256: hash('sha256', Buffer.concat(bytes), 'hex'), records: records.length }),
    lines: remaining.lines(),
  };
}

/** The records that remain: the last of each key, and every transition. */
class RemainingRecords {
  readonly #records = new Map<string, RecordedLine>();

  /** Adds a record; ignores topics that are not compared. */
  add(topic: TopicName, partition: number, key: string, value: Buffer | null): void {
    if (value === null || !COMPARED.some((compared) => compared === topic)) return;
    const decoded = codecOf(topic).decode(value) as { readonly id?: string };
    const id = topic === 'match-transitions' ? decoded.id : key;
    this.#records.set(`${topic}/${id}`, canonicalJson({ topic, partition, key, value: decoded }));
  }

  /** Returns the records, ordered by topic and key. */
  lines(): RecordedLine[] {
    return [...this.#records]
      .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
      .map(([, line]) => line);
  }
}

function inputsOf(name: string): ReplayInput[] {
  const codec = codecOf('normalized-messages');
  const { partitions } = TOPICS['normalized-messages'];
  return deliveriesOf(name).flatMap((raw) =>
    normalizeAgain(raw).normalized.map((message) => {
      const key = Buffer.from(String(message.event_id));
      const partition = partitionOfKey(key, partitions);
      return { partition, key, value: codec.encode(message), timestamp: raw.received_at };
    }),
  );
}

function linesOf(file: string): string[] {
  return readFileSync(`${FOLDER}${file}`, 'utf8').trimEnd().split('\n');
}
