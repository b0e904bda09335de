import { describe, expect, test } from 'vitest';
import type { MatchState, MatchTransition } from '#records/types.ts';
import { expectSame } from './harness.ts';
import type { PipelineOutput } from './pipeline.ts';

const EVENT = 9_000_000;

/**
 * Returns an output of one event, with a state of `version` and transitions of `versions`. It has only the compared
 * fields.
 */
function output(version: number, versions: readonly number[]): PipelineOutput {
  const cause = { offset: 7 };
  const state = { event_id: EVENT, version, cause } as MatchState;
  const transitions = versions.map(
    (of) => ({ id: `${EVENT}:${of}:0`, event_id: EVENT, version: of, n: 0, cause }) as MatchTransition,
  );
  return { states: new Map([[EVENT, state]]), incidents: new Map(), transitions };
}

describe('expectSame', () => {
  const whole = output(3, [1, 2, 3]);

  test('passes for equal outputs', () => {
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

  test('fails when a version of the state has no transition, even in both outputs', () => {
    expect(() => expectSame(output(3, [1, 3]), output(3, [1, 3]))).toThrow(/every version/);
  });

  test('fails for another version of a state', () => {
    expect(() => expectSame(output(2, [1, 2]), whole)).toThrow();
  });
});
