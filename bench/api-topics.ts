/** Fills the topics that an api reads with generated matches, as a processor would. */
import { ClientDirectory } from '#clients/directory.ts';
import { hashSecret, newSecret } from '#clients/secret.ts';
import { applyMessage, matchIncident, matchState, newMatch } from '#domain/match.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { MatchState } from '#records/types.ts';
import { partitionHash } from '#streams/client/port.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import type { BenchContext } from './context.ts';
import { BulkWriter } from './kafka.ts';
import { BenchMatch } from './matches.ts';

/** Topics that this file writes for an api. */
export const WRITTEN = ['match-state', 'match-incidents', 'match-transitions'] as const;

/** The credentials of a client without restrictions. */
export type BenchCredentials = { readonly id: number; readonly secret: string };

/** Creates the topics of a prefix, and a client on them. */
export async function makePlace(context: BenchContext, prefix: string): Promise<BenchCredentials> {
  const { brokers, registryUrl } = context;
  await createTopics({ brokers, prefix });
  await Registry.open({ url: registryUrl, prefix }).registerAll();
  const silent = (): void => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const secret = newSecret();
  const secret_hash = hashSecret(secret);
  await ClientDirectory.open({ brokers, registryUrl, prefix, log }).edit(1, () => ({
    client_id: 1,
    name: 'bench',
    active: true,
    secret_hash,
    competitions: null,
    operations: null,
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
  const registry = Registry.open({ url: context.registryUrl, prefix });
  const codecs = {
    'match-state': await registry.codec('match-state'),
    'match-incidents': await registry.codec('match-incidents'),
    'match-transitions': await registry.codec('match-transitions'),
  };
  const open = async (topic: (typeof WRITTEN)[number]) =>
    BulkWriter.open(context.brokers, topicName(prefix, topic));
  const [states, incidents, transitions] = await Promise.all(WRITTEN.map(open));
  if (states === undefined || incidents === undefined || transitions === undefined)
    throw new Error('no writer');
  let state: MatchState | undefined;
  for (let number = 0; number < matches; number++) {
    const live = new BenchMatch(number, messages, number % 900);
    const match = newMatch(live.eventId);
    const key = String(live.eventId);
    const partition = partitionHash(Buffer.from(key)) % TOPICS['match-state'].partitions;
    const touched = new Set<string>();
    for (let offset = 0; offset < published; offset++) {
      const { message, ut, messageId } = live.next();
      const receivedAt = ut * 1_000 + 1_500;
      const read = normalizeMessage(message, { origin: 'webhook', deliveryId: 'd', receivedAt });
      if (read.kind !== 'normalized') throw new Error(`the generator made a message that is ${read.kind}`);
      const cause = {
        topic: 'normalized-messages',
        partition,
        offset,
        ut,
        received_at: receivedAt,
        message_id: messageId,
      };
      const applied = applyMessage(match, read.message, cause);
      for (const id of applied.incidents) touched.add(id);
      for (const one of applied.transitions) {
        await transitions.add(partition, key, codecs['match-transitions'].encode(one));
      }
    }
    for (const id of touched) {
      await incidents.add(
        partition,
        `${key}/${id}`,
        codecs['match-incidents'].encode(matchIncident(match, id)),
      );
    }
    state = matchState(match);
    await states.add(partition, key, codecs['match-state'].encode(state));
  }
  await Promise.all([states.close(), incidents.close(), transitions.close()]);
  if (state === undefined) throw new RangeError('no match');
  return state;
}
