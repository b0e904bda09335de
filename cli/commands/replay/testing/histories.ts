/** Recorded histories: deliveries as raw-messages keeps them, and what a replay makes of them (data/README.md). */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { canonicalJson } from '#contract/canonical-json.ts';
import { partitionHash } from '#streams/client/port.ts';
import type { RawMessage } from '#topics/generated/types.ts';
import { codecOf } from '#topics/testing/codecs.ts';
import { TOPICS, type TopicName } from '#topics/topics.ts';
import { COMPARED } from '../../compare/fields.ts';
import type { ReplayInput } from '../engine.ts';
import { normalizeAgain } from '../normalize-again.ts';
import { replayInMemory } from './in-memory.ts';

const FOLDER = fileURLToPath(new URL('../../../../data/histories/', import.meta.url));
const EXPECTED = '.expected.jsonl';
const INPUT = '.jsonl';

const delivery = z.strictObject({
  received_at: z.int(),
  origin: z.enum(['webhook', 'feed']),
  body: z.array(z.unknown()),
});

/** A record as a line of a file has it: a topic, a partition, a key, and the decoded value. */
export type RecordedLine = string;

/** The names of all histories. */
export function historyNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(INPUT) && !file.endsWith(EXPECTED))
    .map((file) => file.slice(0, -INPUT.length))
    .sort();
}

/** The deliveries of a history, in the order in which they were received. */
function deliveriesOf(name: string): RawMessage[] {
  return linesOf(`${name}${INPUT}`).map((line) => {
    const { received_at, origin, body } = delivery.parse(JSON.parse(line));
    const bytes = Buffer.from(JSON.stringify(body));
    return { delivery_id: hash('sha256', bytes, 'hex'), origin, received_at, body: bytes };
  });
}

/** What is on file: the digest of all bytes, then the records. */
export function expectedOf(name: string): { digest: string; lines: RecordedLine[] } {
  const [digest = '', ...lines] = linesOf(`${name}${EXPECTED}`);
  return { digest, lines };
}

/** The file that `expectedOf` reads. */
export function expectedFile(name: string): string {
  return `${FOLDER}${name}${EXPECTED}`;
}

/** What a history gives now: a digest of every byte that is published, and the records that stand at the end. */
export async function replayHistory(name: string): Promise<{ digest: string; lines: RecordedLine[] }> {
  const records = await replayInMemory(inputsOf(name), Number.POSITIVE_INFINITY);
  const bytes = records.map(({ topic, partition, key, value }) =>
    Buffer.concat([Buffer.from(`${topic}/${partition}/${key}/`), value ?? Buffer.alloc(0)]),
  );
  const standing = new Standing();
  for (const { topic, partition, key, value } of records)
    standing.add(topic as TopicName, partition, String(key), value);
  return {
    digest: JSON.stringify({ sha256: hash('sha256', Buffer.concat(bytes), 'hex'), records: records.length }),
    lines: standing.lines(),
  };
}

/** The records that stand: the last of each key, every transition. */
class Standing {
  readonly #records = new Map<string, RecordedLine>();

  /** Takes one record of any topic; of those that are not compared, nothing is kept. */
  add(topic: TopicName, partition: number, key: string, value: Buffer | null): void {
    if (value === null || !COMPARED.some((compared) => compared === topic)) return;
    const decoded = codecOf(topic).decode(value) as { readonly id?: string };
    const id = topic === 'match-transitions' ? decoded.id : key;
    this.#records.set(`${topic}/${id}`, canonicalJson({ topic, partition, key, value: decoded }));
  }

  /** In the order of topics, then of keys. */
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
      const partition = partitionHash(key) % partitions;
      return { partition, key, value: codec.encode(message), timestamp: raw.received_at };
    }),
  );
}

function linesOf(file: string): string[] {
  return readFileSync(`${FOLDER}${file}`, 'utf8').trimEnd().split('\n');
}
