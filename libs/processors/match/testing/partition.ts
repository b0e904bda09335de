/** A partition of the match processor in a test: messages in, published records out. */
import { normalized } from '#ingestion/testing/normalized.ts';
import type { MatchCodecs } from '#processors/match/loaded-match.ts';
import { MatchPartition, type MatchPartitionOptions } from '#processors/match/match-partition.ts';
import type { OutputRecord } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { codecOf } from '#topics/testing/codecs.ts';

/** Codecs without a registry. */
export const codecs: MatchCodecs = {
  'normalized-messages': codecOf('normalized-messages'),
  'match-incidents': codecOf('match-incidents'),
  'match-state': codecOf('match-state'),
  'match-transitions': codecOf('match-transitions'),
  'match-results': codecOf('match-results'),
};

/** When all matches start, Unix seconds. */
export const START = 1_790_000_000;

/** A goal message, `at` seconds after the start; `over`: the match has ended. */
export function goal(
  eventId: number,
  id: number,
  at: number,
  over: boolean,
  confirmation = 'confirmed',
  group = 6,
): Buffer {
  const message = normalized(
    {
      id: eventId * 1_000 + at,
      type: 'incident',
      ut: START + at,
      data: {
        incident: {
          id: `5-${id}`,
          action: 'insert',
          incident_id: id === 100 ? 429 : 413,
          participant_id: 1,
          confirmation,
          event_time: '10:00',
          event_status_id: 33,
        },
        event: {
          id: eventId,
          competition_id: 4,
          season_id: 5,
          group_id: group,
          status_id: over ? 11 : 33,
          status_type: over ? 'finished' : 'live',
          participants: [
            { id: 1, counter: 1, results: [] },
            { id: 2, counter: 2, results: [] },
          ],
        },
      },
    },
    (START + at) * 1_000,
  );
  return codecs['normalized-messages'].encode(message);
}

/** A partition with room for all matches by default. */
export function partitionOf(limits: Partial<MatchPartitionOptions> = {}): MatchPartition {
  return new MatchPartition({
    partition: 0,
    codecs,
    topicName: (topic) => topic,
    maxLoaded: 1_000,
    ...limits,
  });
}

/** Applies messages, all at one offset, and commits them. Returns the written records. */
export function commitMessages(
  partition: MatchPartition,
  offset: number,
  ...values: readonly Buffer[]
): readonly OutputRecord[] {
  const collector = new RecordCollector(0);
  for (const value of values) partition.process({ offset, key: null, value }, collector);
  partition.flush(collector);
  partition.committed();
  return collector.records;
}

/** Restores what a line of `lineOf` adds to the state of matches. */
export async function restoreLine(partition: MatchPartition, line: string): Promise<void> {
  const [topic = '', key = '', hex = ''] = line.split(' ');
  if (topic !== 'match-state' && topic !== 'match-incidents') return;
  await partition.restore(topic, [{ offset: 0, key: Buffer.from(key), value: Buffer.from(hex, 'hex') }]);
}

/** Returns a written record as a line, by which tests compare bytes. */
export function lineOf({ topic, key, value }: OutputRecord): string {
  return `${topic} ${key} ${value?.toString('hex')}`;
}

/** Applies messages, with a commit after each, and returns all written records. */
export function run(
  limits: Partial<MatchPartitionOptions>,
  messages: readonly Buffer[],
): { written: string[]; partition: MatchPartition } {
  const partition = partitionOf(limits);
  const written = messages.flatMap((value, offset) => commitMessages(partition, offset, value).map(lineOf));
  return { written, partition };
}
