import { readTopic } from '#cluster/read-topic.ts';
import type { TopicValues } from '#topics/generated/types.ts';
import type { TopicCluster } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { topicSource } from '../../cluster.ts';
import type { DemoBoard } from './board.ts';

/** Follows the topics of match state, read committed, until `signal`; rejects where they cannot be read any more. */
export async function watch(place: TopicCluster, board: DemoBoard, signal: AbortSignal): Promise<void> {
  const { registry } = topicSource(place);
  const follow = async <T extends TopicName>(
    topic: T,
    onValue: (value: TopicValues[T]) => void,
  ): Promise<void> => {
    const decoder = registry.decoder(topic);
    await readTopic({
      brokers: place.brokers,
      topic: topicName(place.prefix, topic),
      untilEnd: false,
      signal,
      onRecord: async ({ value }) => {
        if (value !== null) onValue(await decoder.read(value));
      },
    });
  };
  await Promise.all([
    follow('match-state', (state) => board.state(state)),
    follow('match-transitions', (transition) => board.transition(transition)),
  ]);
}
