/** Fills the topics that an api reads with generated matches, as a processor would. */
import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/keys.ts';
import { applyMessage, matchIncident, matchState, newMatch } from '#domain/match.ts';
import type { MatchState, TopicValues } from '#records/types.ts';
import { silentLogger } from '#streams/log.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { normalized, partitionOf } from './backlog.ts';
import type { BenchContext } from './context.ts';
import { BulkWriter } from './kafka.ts';
import { BenchMatch } from './matches.ts';

/** The credentials of a client without restrictions. */
export type BenchCredentials = { readonly id: number; readonly secret: string };

/** Creates the topics of a prefix, and a client on them. */
export async function createTopicsWithClient(
  context: BenchContext,
  prefix: string,
): Promise<BenchCredentials> {
  const { brokers, registryUrl } = context;
  await createTopics({ brokers, prefix });
  await new Registry({ url: registryUrl, prefix }).registerAll();
  const secret = newSecret();
  const secret_hash = hashSecret(secret);
  await new ClientDirectory('clients', { brokers, registryUrl, prefix, log: silentLogger }).edit(1, () => ({
    client_id: 1,
    name: 'bench',
    active: true,
    secret_hash,
    competitions: null,
    operations: null,
    may_halt: false,
    webhooks: [],
  }));
  return { id: 1, secret };
}

/** Writes the state of matches after the first `published` of `messages` messages; returns the last state of the last one. */
export async function writeMatches(
  context: BenchContext,
  options: { prefix: string; matches: number; messages: number; published: number },
): Promise<MatchState> {
  const { prefix, matches, messages, published } = options;
  const registry = new Registry({ url: context.registryUrl, prefix });
  const open = async <T extends 'match-state' | 'match-incidents' | 'match-transitions'>(topic: T) => {
    const codec = await registry.codec(topic);
    const writer = await BulkWriter.open(context.brokers, topicName(prefix, topic));
    return {
      add: (event: string, key: string, value: TopicValues[T]) =>
        writer.add(partitionOf(topic, event), key, codec.encode(value)),
      close: () => writer.close(),
    };
  };
  const states = await open('match-state');
  const incidents = await open('match-incidents');
  const transitions = await open('match-transitions');
  let state: MatchState | undefined;
  for (let number = 0; number < matches; number++) {
    const live = new BenchMatch(number, messages, number % 900);
    const match = newMatch(live.eventId);
    const key = String(live.eventId);
    const partition = partitionOf('normalized-messages', key);
    const touched = new Set<string>();
    for (let offset = 0; offset < published; offset++) {
      const message = normalized(live.next());
      const { ut, received_at, message_id } = message;
      const cause = { topic: 'normalized-messages', partition, offset, ut, received_at, message_id };
      const applied = applyMessage(match, message, cause);
      for (const id of applied.incidents) touched.add(id);
      for (const one of applied.transitions) await transitions.add(key, key, one);
    }
    for (const id of touched) await incidents.add(key, `${key}/${id}`, matchIncident(match, id));
    state = matchState(match);
    await states.add(key, key, state);
  }
  await Promise.all([states.close(), incidents.close(), transitions.close()]);
  if (state === undefined) throw new RangeError('no match');
  return state;
}
