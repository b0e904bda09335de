import { describe, expect, test } from 'vitest';
import { sampleOf } from '#topics/testing/samples.ts';
import { gapsAt, type PublishedAt, publishedAt } from './published.ts';
import { EVERY_MS, played, statesOf, transitionsOf, writtenAt } from './testing/played.ts';

const VERSIONS = played();
const LAST = VERSIONS.length;
const STATES = statesOf(VERSIONS);
const TRANSITIONS = transitionsOf(VERSIONS);

const valuesOf = (answer: PublishedAt) => {
  if (answer.kind !== 'published') throw new Error(answer.kind);
  const { version, score, firm, guard, status } = answer;
  return { version, score, firm, guard, status };
};
const stateValues = (version: number) => {
  const state = VERSIONS[version - 1]?.state;
  if (state === undefined) throw new Error('no such version');
  return {
    version,
    score: state.score,
    firm: state.firm,
    guard: state.guard,
    status: `${state.status_id} ${state.status_type}`,
  };
};

describe('what had been published', () => {
  const versions = VERSIONS.map(({ version }) => version);

  test.each(versions)(
    'is version %i from its writing until the next, whether or not states were compacted',
    (version) => {
      const newest = STATES.slice(-1);
      for (const states of [STATES, newest, []])
        for (const at of [writtenAt(version), writtenAt(version + 1) - 1]) {
          const answer = publishedAt({ states, transitions: TRANSITIONS }, at);
          expect(valuesOf(answer)).toEqual(stateValues(version));
          expect(answer).toMatchObject({
            written: writtenAt(version),
            until: version === LAST ? null : writtenAt(version + 1),
            since: 1,
          });
        }
    },
  );

  test('is lost when retention removed it', () => {
    const transitions = TRANSITIONS.filter(({ value }) => value.version >= 4);
    for (const states of [[], STATES.slice(-1)])
      expect(publishedAt({ states, transitions }, writtenAt(3))).toEqual({
        kind: 'lost',
        oldest: { version: 4, written: writtenAt(4) },
      });
    expect(publishedAt({ states: STATES.slice(-1), transitions: [] }, writtenAt(3))).toEqual({
      kind: 'lost',
      oldest: { version: LAST, written: writtenAt(LAST) },
    });
  });

  test('is whole when the changes before it are lost', () => {
    const transitions = TRANSITIONS.filter(({ value }) => value.version >= 4);
    const answer = publishedAt({ states: [], transitions }, writtenAt(4));
    expect(valuesOf(answer)).toEqual(stateValues(4));
    expect(answer).toMatchObject({ since: 4 });
  });

  test('continues from the newest state when only changes after it are held', () => {
    const transitions = TRANSITIONS.filter(({ value }) => value.version > 3);
    const answer = publishedAt({ states: STATES.slice(0, 3), transitions }, writtenAt(5));
    expect(valuesOf(answer)).toEqual(stateValues(5));
  });

  test('uses the order of the topic when clocks of processors differ', () => {
    const transitions = TRANSITIONS.map((one) =>
      one.value.version === 3 ? { value: one.value, written: one.written + 2 * EVERY_MS } : one,
    );
    expect(valuesOf(publishedAt({ states: [], transitions }, writtenAt(4)))).toEqual(stateValues(4));
  });
});

test('returns the gaps of all sources and of the match that include the moment', () => {
  const gap = {
    from: 1_000,
    to: 2_000,
    reason: 'silence',
    action: 'snapshot',
    published_from: null,
    published_to: null,
  };
  const record = { ...sampleOf('feed-health'), source: 'webhook', gaps: [gap] };
  const of = (event_id: number | null, at: number) => gapsAt([{ ...record, event_id }], at);
  expect(of(null, 1_000)).toEqual([{ ...gap, source: 'webhook', ofMatch: false }]);
  expect(of(7, 1_999)).toEqual([{ ...gap, source: 'webhook', ofMatch: true }]);
  expect(of(null, 2_000)).toEqual([]);
  expect(gapsAt([{ ...record, event_id: null, gaps: [{ ...gap, to: null }] }], 9_999)).toHaveLength(1);
});
