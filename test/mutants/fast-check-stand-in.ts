/**
 * fast-check with a hundredth of the runs and without shrinking: a surviving mutant runs every test that reaches it,
 * and a detected one needs no smallest example.
 */
import fc, { type IRawProperty, type Parameters } from 'fast-check';

const runsOf = (asked = 100) => Math.max(5, asked / 100);

const assert = <T>(property: IRawProperty<T>, parameters?: Parameters<T>) =>
  fc.assert(property, { ...parameters, numRuns: runsOf(parameters?.numRuns), endOnFailure: true });

export default { ...fc, assert };
