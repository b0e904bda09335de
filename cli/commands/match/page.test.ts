import { describe, expect, test } from 'vitest';
import { eventFields, eventMessage, incident, incidentMessage, START } from '#domain/testing/messages.ts';
import type { FeedPast } from '#story/feed-past.ts';
import type { FeedStatus } from '#tradability/feed-status.ts';
import { widthOf } from '../../table.ts';
import { pageJson, pageLines } from './page.ts';
import { played, writtenAt } from './testing/played.ts';

const ALIVE: FeedStatus = {
  believed: true,
  state: 'alive',
  reason: null,
  since: null,
  delay: null,
  source: 'webhook',
};
const SILENT: FeedStatus = { ...ALIVE, believed: false, state: 'stale', reason: 'silence' };
/** The past of a feed with one source and no gap. */
const BELIEVED: FeedPast = [[]];
const VERSIONS = played();

const factsUpTo = (version: number, versions = VERSIONS) => {
  const upTo = versions.slice(0, version);
  const incidents = new Map(upTo.flatMap((one) => one.incidents.map((of) => [of.id, of] as const)));
  const state = upTo.at(-1)?.state;
  if (state === undefined) throw new Error('no such version');
  return {
    state,
    incidents: [...incidents.values()],
    transitions: upTo.flatMap(({ transitions }) => transitions),
  };
};
const page = (version: number, feed = ALIVE, width: number | null = null) =>
  pageLines(factsUpTo(version), feed, { now: writtenAt(version) + 4_000, width });

describe('the page of a match', () => {
  test('shows the score after each goal, and why one is void', () => {
    expect(page(VERSIONS.length).slice(5)).toEqual([
      'minute  score  incident          team  player  id',
      "    0'         1st half started                5-001",
      "   18'    1–0  Goal              Home  Kane    5-010",
      expect.stringMatching(
        /^ {8}\S+ \S+Z {2}Reported, awaiting confirmation {2}0–0 → 1–0 {2}\d+ s late, written \S+ \S+Z$/,
      ),
      expect.stringMatching(/^ {8}\S+ \S+Z {2}Confirmed {2}firm 0–0 → 1–0 {2}\d+ s late, written \S+ \S+Z$/),
      "   40'         Goal              Away  Son     5-020",
      '        Does not count: cancelled by a “goal cancelled” incident. It is 5-021.',
      expect.stringMatching(/Reported, confirmed {2}1–0 → 1–1 {2}\d+ s late, written \S+ \S+Z$/),
      expect.stringMatching(
        /Cancelled by a “goal cancelled” incident {2}1–1 → 1–0 {2}\d+ s late, written \S+ \S+Z$/,
      ),
      "   41'         Goal cancelled    Away          5-021",
      expect.stringMatching(/Reported, confirmed {2}\d+ s late, written \S+ \S+Z$/),
      " 45+1'    2–0  Goal              Home  Kane    5-030",
      expect.stringMatching(/Reported, confirmed {2}1–0 → 2–0 {2}\d+ s late, written \S+ \S+Z$/),
    ]);
  });

  test.each([
    [
      'no other incident that refers to the goal',
      [incident('5-011', 1834, { parent_id: '5-010' }), incident('5-012', 424)],
    ],
    [
      'no cancellation that awaits confirmation',
      [
        incident('5-012', 424, { parent_id: '5-010' }),
        incident('5-013', 424, { parent_id: '5-010', confirmation: 'tbd' }),
      ],
    ],
  ])('names the incident that cancelled a goal by law 6, %s', (_, after) => {
    const before = [incident('5-001', 429, { participant_id: null }), incident('5-010', 413)];
    const incidents = [...before, ...after].map((one) => incidentMessage(one));
    const versions = played([eventMessage(START, eventFields()), ...incidents]);
    const facts = factsUpTo(versions.length, versions);
    expect(facts.state.void_goals).toEqual({ '5-010': 'goal_cancelled' });
    const { story } = pageJson(facts, ALIVE, [], 0) as { story: { id: string; cancelled_by: string[] }[] };
    expect(story.find(({ id }) => id === '5-010')?.cancelled_by).toEqual(['5-012']);
  });

  test('shows the firm score, and why the match may not be traded', () => {
    expect(page(3)).toEqual(
      expect.arrayContaining([
        'Home - Away  1–0  firm 0–0  (no provider score to compare)',
        'trading halted: score under review',
      ]),
    );
    expect(page(3, SILENT)).toContain('trading halted: score under review, feed stale (nothing received)');
    expect(page(VERSIONS.length)).toContain('trading safe');
    expect(page(VERSIONS.length, SILENT)).toContain('trading halted: feed stale (nothing received)');
  });

  test.each([100, 60, 30])('fits a terminal of %i columns', (width) => {
    for (const line of page(VERSIONS.length, SILENT, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
  });

  test('is one JSON value with --json', () => {
    expect(pageJson(factsUpTo(VERSIONS.length), SILENT, BELIEVED, writtenAt(99))).toMatchObject({
      state: { event_id: 7000001, score: { home: 2, away: 0 } },
      trading: { permission: 'halted', reasons: ['feed_stale'] },
      feed: { state: 'stale', reason: 'silence' },
      story: [{}, { score: { home: 1, away: 0 } }, { score: null, cancelled_by: ['5-021'] }, {}, {}],
      course: {
        to: writtenAt(99),
        stretches: [
          { permission: 'halted', reasons: ['score_unknown', 'unknown_score'] },
          { permission: 'safe', reasons: [] },
          { permission: 'halted', reasons: ['under_review'] },
          { permission: 'safe', reasons: [], to: writtenAt(99) },
        ],
        scores: [{ score: '0–0' }, { score: '1–0' }, { score: '1–1' }, { score: '1–0' }, { score: '2–0' }],
      },
    });
  });
});
