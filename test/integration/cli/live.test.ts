import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { TerminalRun } from '../../support/terminal.ts';
import { touchlineHere } from '../../support/touchline-here.ts';
import { TestTopics } from './topics.ts';

const NAMES = ['match-state', 'match-transitions', 'feed-health', 'trading-halts'] as const;
/** Time in which Ctrl-C must end the command, on a busy machine too, milliseconds. */
const STOPS_MS = 1_000;
const SIZE = { columns: 120, rows: 20 };

const SAMPLE = sampleOf('match-state');

const state = (id: number, version = 1) => ({
  ...SAMPLE,
  cause: { ...SAMPLE.cause, received_at: Date.now() * 1000 },
  event_id: id,
  version,
  firm: { home: 1, away: 0 },
  guard: { safe: true, reasons: [] },
});

/** Creates topics with two live matches and a finished one, from a source that is alive for `validMs`. */
async function playing(validMs: number): Promise<TestTopics> {
  const topics = await TestTopics.create(NAMES);
  await topics.write('match-state', [
    { key: '1', value: state(1) },
    { key: '2', value: { ...state(2), guard: { safe: false, reasons: ['possible_goal'] } } },
    { key: '3', value: { ...state(3), status_type: 'finished' } },
  ]);
  await believe(topics, validMs);
  return topics;
}

async function believe(topics: TestTopics, validMs: number): Promise<void> {
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
    { key: 'webhook', value: { ...record, event_id: null, valid_until: now + validMs } },
    { key: 'webhook/1', value: of(1) },
    { key: 'webhook/2', value: of(2) },
  ]);
}

describe('touchline live', () => {
  test('prints the live matches once without a terminal', async () => {
    const topics = await playing(600_000);
    const { code, out } = await touchlineHere(['live'], topics.env);
    expect(code).toBe(0);
    const [head, , , first, second, ...rest] = out.split('\n');
    expect(head).toMatch(/^2 live, 1 safe {2}\S+Z {2}webhook alive$/);
    expect(first).toMatch(/France {2}1–0 {4}Croatia +safe +\d+ s +1$/);
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

  test('updates on a terminal, and withdraws the permission by itself when feed health is silent', async () => {
    const topics = await playing(600_000);
    const run = new TerminalRun(['live'], topics.env, SIZE);
    await run.shows(/^2 live, 1 safe/);
    await topics.write('match-state', [{ key: '1', value: { ...state(1, 2), score: { home: 2, away: 0 } } }]);
    await run.shows(/France {2}2–0 /);
    // A change that is newer than the state: the shown state is outdated.
    await topics.write('match-transitions', [
      { key: '1', value: { ...sampleOf('match-transitions'), event_id: 1, version: 3 } },
    ]);
    await run.shows(/halted: behind/);
    await topics.write('match-state', [{ key: '1', value: state(1, 3) }]);
    await run.shows(/^2 live, 1 safe/);
    // The last record of feed health.
    await believe(topics, 1_000);
    await run.shows(/halted: feed health unknown +\d+ s +1$/);
    await topics.write('match-state', [{ key: '1', value: { ...state(1, 4), status_type: 'finished' } }]);
    await run.shows(/^1 live, 0 safe/);
    const interruptedAt = performance.now();
    run.interrupt();
    expect(await run.ended).toBe(0);
    // Well below the two seconds for which a fetch may wait at the broker.
    expect(performance.now() - interruptedAt).toBeLessThan(STOPS_MS);
  });
});
