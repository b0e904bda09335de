import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#contract/rest/operations.ts';
import { answerEnvelope, answerError } from '#contract/rest/records/envelope.ts';
import { readDataset } from '../../../data/dataset.ts';
import { rounds } from '../../../test/support/rounds.ts';
import { parseFaults } from '../faults.ts';
import type { ProviderMessage } from '../records.ts';
import { schedule } from '../schedule.ts';
import { type ManualProviderOptions, openProvider } from './testing/manual-provider.ts';
import { eventsIn } from './testing/reader.ts';

const WORLD_CUP = readDataset('world-cup-2018');
/** Without the faults of single messages, which answers in the form of the contract and a plain fold do not have. */
const MANY = parseFaults('many,same_second=0,odd_field=0,stamped_ahead=0');
const FIRST = WORLD_CUP.matches[0]?.id ?? 0;
const SEASON = WORLD_CUP.competition.season.id;
const TIMEOUT_MS = 60_000;
/** Operations that the simulator does not answer: those that no poller reads, and tables. */
const UNANSWERED = [
  'sports.show',
  'standings.show',
  'events-simple.index',
  'events.important-incidents',
  'basic-livescore.index',
  'feed.show',
];

const open = (options: Partial<ManualProviderOptions> = {}) =>
  openProvider({ dataset: WORLD_CUP, matches: 4, faults: MANY, ...options });

/** Computes the messages of the first matches without the provider. */
function messagesOf(matches: number, dataset = WORLD_CUP): ProviderMessage[] {
  const matchSettings = { seed: '1', faults: MANY, keepAliveEvery: 30, clockEvery: 60 };
  return [...schedule(dataset, matchSettings, matches)].flatMap(({ messages }) => messages);
}

describe('every answer matches the contract', () => {
  const times = ['at the first message', 'in the first half', 'at half-time', 'after the end'];

  test.each(times)('%s', async (time) => {
    const { provider, reader } = open();
    const { startsAt, endsAt } = provider.timeline;
    const at = [startsAt, startsAt + 1_500, startsAt + 3_400, endsAt + 3_600];
    provider.advanceTo(at[times.indexOf(time)] ?? 0);
    const query = { timestamp: startsAt - 86_400, season_id: SEASON };
    for (const operation of OPERATIONS) {
      const answer = await reader.get(operation.path.replace('{id}', String(FIRST)), query);
      if (UNANSWERED.includes(operation.name)) {
        expect(answer.status).toBe(404);
        expect(answerError.safeParse(answer.body).error?.issues ?? []).toEqual([]);
        continue;
      }
      expect([operation.name, answer.status]).toEqual([operation.name, 200]);
      const envelope = answerEnvelope(operation.name, operation.data);
      const { error } = envelope.safeParse(answer.body);
      expect([operation.name, error?.issues ?? []]).toEqual([operation.name, []]);
      expect(answer.timestamp).toBe(provider.now());
    }
  });
});

describe('the feed and the lists', () => {
  test(
    'has every message in consecutive windows of the feed, in order',
    async () => {
      const messages = messagesOf(4);
      const { provider, reader } = open();
      const { startsAt, endsAt } = provider.timeline;
      provider.advanceTo(endsAt);
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.integer({ min: startsAt, max: endsAt - 1 }), { maxLength: 12 }),
          async (cuts) => {
            const ends = [...cuts.toSorted((a, b) => a - b), endsAt];
            const got: ProviderMessage[] = [];
            let from = startsAt;
            for (const to of ends) {
              got.push(...(await reader.get('/v2/feed', { timestamp: from, timestamp_to: to })).data);
              from = to + 1;
            }
            expect(got).toEqual(messages);
          },
        ),
        { numRuns: rounds(10) },
      );
    },
    TIMEOUT_MS,
  );

  test('verifies a finished match, and continues the clock', async () => {
    const { provider, reader } = open({ matches: 1 });
    const event = async () => eventsIn((await reader.get('/v2/events', { season_id: SEASON })).data)[0];
    const { endsAt } = provider.timeline;
    provider.advanceTo(endsAt - 60);
    expect(await event()).toMatchObject({ status_type: 'finished', verified_result: 'no' });
    provider.advanceTo(endsAt + 86_400 * 3);
    expect(await event()).toMatchObject({ status_type: 'finished', verified_result: 'yes', ut: endsAt });
    expect((await reader.get('/v2/feed')).data).toEqual([]);
    expect(() => provider.advanceTo(endsAt)).toThrow(RangeError);
  });
});

describe('a token', () => {
  test('is valid for its lifetime in real seconds, stated on the provider clock', async () => {
    let real = 0;
    const { provider, reader } = open({ elapsed: () => real });
    const { data, timestamp } = await reader.authenticate();
    expect(data.token_expiration - timestamp).toBe(3600);
    expect(data.client_id).toBe('1');
    const asks = async () => (await reader.request('/v2/statuses', { token: data.token })).status;
    provider.advanceTo(provider.timeline.endsAt);
    real = 3599.9;
    expect(await asks()).toBe(200);
    real = 3600;
    expect(await asks()).toBe(401);
  });
});
