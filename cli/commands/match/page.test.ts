import { describe, expect, test } from 'vitest';
import { eventFields, eventMessage, incident, incidentMessage, START } from '#domain/testing/messages.ts';
import { NO_HALTS } from '#trading/halts.ts';
import { ALIVE, SILENT } from '#trading/testing/feeds.ts';
import { tradingOf } from '#trading/trading.ts';
import { pageJson, pageLines, type StoryFacts } from './page.ts';
import { played, writtenAt } from './testing/played.ts';

const VERSIONS = played();

const factsUpTo = (version: number, versions = VERSIONS) => {
  const upTo = versions.slice(0, version);
  const incidents = new Map(upTo.flatMap((one) => one.incidents.map((of) => [of.id, of] as const)));
  const state = upTo.at(-1)?.state;
  if (state === undefined) throw new Error('no such version');
  return { state, incidents: [...incidents.values()], transitions: upTo.flatMap((one) => one.transitions) };
};
const tradedOf = ({ state }: StoryFacts, feed = ALIVE) => {
  return { trading: tradingOf(state, feed, NO_HALTS), feed, halts: [] };
};
const cancels = (id: string, more = {}) => incident(id, 424, { parent_id: '5-010', ...more });
const page = (version: number, feed = ALIVE) => {
  const facts = factsUpTo(version);
  return pageLines(facts, tradedOf(facts, feed), { now: writtenAt(version) + 4_000, width: null });
};

describe('the page of a match', () => {
  test.each([
    ['no other that refers to it', [incident('5-011', 1834, { parent_id: '5-010' }), incident('5-012', 424)]],
    [
      'no cancellation that awaits confirmation',
      [cancels('5-012'), cancels('5-013', { confirmation: 'tbd' })],
    ],
  ])('names the incident that cancelled a goal by law 6, %s', (_, after) => {
    const before = [incident('5-001', 429, { participant_id: null }), incident('5-010', 413)];
    const incidents = [...before, ...after].map((one) => incidentMessage(one));
    const versions = played([eventMessage(START, eventFields()), ...incidents]);
    const facts = factsUpTo(versions.length, versions);
    expect(facts.state.void_goals).toEqual({ '5-010': 'goal_cancelled' });
    const { story } = pageJson(facts, tradedOf(facts)) as { story: { id: string; void_by: string }[] };
    expect(story.find(({ id }) => id === '5-010')?.void_by).toBe('5-012');
  });

  test('shows the firm score, and why the match may not be traded', () => {
    expect(page(3)).toContain('Home - Away  1–0  firm 0–0  (no provider score to compare)');
    expect(page(3)).toContain('trading halted: score under review');
    expect(page(3, SILENT)).toContain('trading halted: score under review, feed stale (nothing received)');
    expect(page(VERSIONS.length)).toContain('trading safe');
    expect(page(VERSIONS.length, SILENT)).toContain('trading halted: feed stale (nothing received)');
  });
});
