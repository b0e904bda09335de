import { expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const state = (id: number) => ({
  ...sampleOf('match-state'),
  event_id: id,
  firm: { home: 1, away: 0 },
  guard: { safe: true, reasons: [] },
});

// How it follows them on a terminal, and withdraws: test/system/belief/belief.test.ts; how it draws: match.test.ts.
test('touchline live shows the live matches once where there is no terminal', async () => {
  const topics = await TestTopics.create(['match-state', 'match-transitions', 'feed-health']);
  await topics.write('match-state', [
    { key: '1', value: state(1) },
    { key: '2', value: { ...state(2), guard: { safe: false, reasons: ['possible_goal'] } } },
    { key: '3', value: { ...state(3), status_type: 'finished' } },
  ]);
  const now = Date.now();
  const record = {
    ...sampleOf('feed-health'),
    source: 'webhook',
    state: 'alive' as const,
    reason: null,
    term: 1,
    written_at: now,
    heard_at: now,
  };
  const of = (event_id: number) => ({ ...record, event_id, valid_until: null });
  await topics.write('feed-health', [
    { key: 'webhook', value: { ...record, event_id: null, valid_until: now + 600_000 } },
    { key: 'webhook/1', value: of(1) },
    { key: 'webhook/2', value: of(2) },
  ]);
  const { code, out } = await touchlineHere(['live'], topics.env);
  expect(code).toBe(0);
  const [head, , , first, second, ...rest] = out.split('\n');
  expect(head).toMatch(/^2 live, 1 safe {2}\S+Z {2}webhook alive$/);
  expect(first).toMatch(/France {2}1–0 {4}Croatia {2}1–0 {3}safe +\d+ s +1$/);
  expect(second).toMatch(/halted: possible goal +\d+ s +2$/);
  expect(rest).toEqual(['']);
  const { out: json } = await touchlineHere(['live', '--json'], topics.env);
  expect(
    json
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { state: { event_id: 1 }, trading: { permission: 'safe' } },
    { state: { event_id: 2 }, trading: { permission: 'halted', reasons: ['possible_goal'] } },
  ]);
});
