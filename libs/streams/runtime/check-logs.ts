import type { LogBounds, TopicPartition } from '../client/port.ts';
import { findPosition, type Position } from './positions.ts';
import {
  findValue,
  positionMissing,
  requireChangelogs,
  requireSameCommit,
  requireSameInput,
} from './start-checks.ts';
import { ownOutputs, type TaskContext } from './stream-topics.ts';

/** The logs of a partition that fit its position. */
type CheckedLogs = {
  /** The last commit; null without one. */
  readonly position: Position | null;
  readonly input: LogBounds;
  /** In the order of the context. */
  readonly changelogs: readonly (TopicPartition & LogBounds & { readonly id: string })[];
  /** Outputs that only this task writes to. */
  readonly outputs: readonly (TopicPartition & LogBounds)[];
};

/**
 * Compares the position of a partition with its input, changelogs and outputs. `ids`: the topic ids of the input and, in the order of
 * the context, of the changelogs. Changes nothing. Rejects with `RefusedError` when continuing would lose or repeat records, and
 * with `StreamError`.
 */
export async function checkLogs(
  context: Pick<
    TaskContext,
    'application' | 'client' | 'input' | 'positions' | 'changelogs' | 'mixedChangelogs' | 'outputs'
  >,
  partition: number,
  ids: { readonly input: string; readonly changelogs: readonly string[] },
): Promise<CheckedLogs> {
  const { application, client, input: topic, positions, mixedChangelogs = [] } = context;
  const written = ownOutputs(context);
  const names = [positions, topic, ...context.changelogs, ...written];
  const bounds = await client.logBounds(names.map((name) => ({ topic: name, partition })));
  const boundsOf = (name: string) => bounds[names.indexOf(name)] as LogBounds;
  const input = boundsOf(topic);
  const changelogs = context.changelogs.map((name, at) => ({
    topic: name,
    partition,
    id: ids.changelogs[at] as string,
    isOutput: false,
    ...boundsOf(name),
  }));
  const outputs = written.map((name) => ({ topic: name, partition, isOutput: true, ...boundsOf(name) }));
  const position = await findPosition(client, positions, partition, boundsOf(positions));
  const own = changelogs.filter(({ topic: name }) => !mixedChangelogs.includes(name));
  if (position === null) {
    // Outputs are searched too: the changelogs may be lost together with the position.
    const committed = await findValue(client, [...own, ...outputs]);
    if (committed !== null) throw positionMissing(context, committed);
    return { position, input, changelogs, outputs };
  }
  requireChangelogs(application, partition, position, changelogs);
  await requireSameCommit(context, position, [...own, ...outputs]);
  const { next, inputEpoch } = position;
  if (inputEpoch !== null && position.topicId === ids.input && next <= input.end) {
    const found = await client.epochEnd({ topic, partition }, inputEpoch);
    requireSameInput(context, partition, { next, inputEpoch }, found);
  }
  return { position, input, changelogs, outputs };
}
