import { describe, expect, test } from 'vitest';
import type { MatchState, MatchTransition } from '#topics/generated/types.ts';
import { expectSame } from './harness.ts';
import type { PipelineOutput } from './pipeline.ts';

const EVENT = 9_000_000;

/** An output of one event whose state has this version, with transitions of these; only what is compared is in it. */
function output(version: number, versions: readonly number[]): PipelineOutput {
  const cause = { offset: 7 };
  const state = { event_id: EVENT, version, cause } as MatchState;
  const transitions = versions.map(
    (of) => ({ id: `${EVENT}:${of}:0`, event_id: EVENT, version: of, n: 0, cause }) as MatchTransition,
  );
  return { states: new Map([[EVENT, state]]), incidents: new Map(), transitions };
}

describe('what a disturbed run is compared with', () => {
  const whole = output(3, [1, 2, 3]);

  test('passes where all is the same', () => {
    expectSame(output(3, [1, 2, 3]), whole);
  });

  test.each([
    ['a transition that is published twice', [1, 2, 2, 3]],
    ['a missing transition', [1, 3]],
    ['a missing last transition', [1, 2]],
    ['transitions in another order', [2, 1, 3]],
  ])('finds %s', (_, versions) => {
    expect(() => expectSame(output(3, versions), whole)).toThrow();
  });

  test('finds a version that a state knows of and no transition has, in both runs alike', () => {
    expect(() => expectSame(output(3, [1, 3]), output(3, [1, 3]))).toThrow(/every version/);
  });

  test('finds another version of a state', () => {
    expect(() => expectSame(output(2, [1, 2]), whole)).toThrow();
  });
});
