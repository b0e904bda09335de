import { describe, expect, test } from 'vitest';
import { applyMessage, matchState, newMatch } from '#domain/match.ts';
import { normalized } from '#ingestion/testing/normalized.ts';
import { rounds } from '../test/support/rounds.ts';
import { BenchMatch, liveRound } from './matches.ts';

const MESSAGES = 200;

function play(numbers: readonly number[]) {
  const live = numbers.map((number) => new BenchMatch(number, MESSAGES, number * 60));
  return { live, messages: [...liveRound(live)] };
}

describe('generated matches', () => {
  const { live, messages } = play(Array.from({ length: rounds(40) }, (_, number) => number));

  test('are deterministic', () => {
    expect(play([7]).messages).toEqual(play([7]).messages);
  });

  test('publish messages in order, each with its own id', () => {
    expect(messages).toHaveLength(live.length * MESSAGES);
    expect(messages.map(({ ut }) => ut)).toEqual(messages.map(({ ut }) => ut).toSorted((a, b) => a - b));
    expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(messages.length);
  });

  test('end with the planned score, which the provider reports too', () => {
    const matches = new Map(live.map(({ eventId }) => [eventId, newMatch(eventId)]));
    messages.forEach(({ eventId, message, ut, messageId }, offset) => {
      const match = matches.get(eventId) ?? expect.fail('an unknown match');
      const cause = { topic: 't', partition: 0, offset, ut, received_at: 0, message_id: messageId };
      applyMessage(match, normalized(message, ut * 1_000), cause);
    });
    for (const { eventId, plan } of live) {
      const match = matches.get(eventId);
      const played = { score: plan.final, agreement: 'agrees', under_review: false, status_id: 11 };
      expect(match === undefined ? null : matchState(match)).toMatchObject(played);
    }
  });

  test('have goals, and goals that are cancelled in each way', () => {
    const { messages: more } = play(Array.from({ length: 120 }, (_, number) => number));
    const incidents = more.map(({ message }) => (message as { data: { incident: Incident } }).data.incident);
    const isGoal = ({ incident_id }: Incident) => [413, 421, 423].includes(incident_id);
    expect(incidents.some((one) => isGoal(one) && one.confirmation === 'cancelled')).toBe(true);
    expect(incidents.some((one) => isGoal(one) && one.action === 'delete')).toBe(true);
    expect(incidents.some((one) => one.incident_id === 424 && one.parent_id === null)).toBe(true);
    expect(incidents.some((one) => one.incident_id === 424 && one.parent_id !== null)).toBe(true);
  });
});

type Incident = {
  incident_id: number;
  action: string;
  confirmation: string | null;
  parent_id: string | null;
};
