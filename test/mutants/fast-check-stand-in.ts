/**
 * fast-check with a hundredth of the runs and without shrinking: a change that survives runs every test that reaches it, and one
 * that is noticed needs no smallest example.
 */
import fc, { type IRawProperty, type Parameters } from 'fast-check';

/** Of the runs that a test asks for, or of 100. */
const runsOf = (asked = 100) => Math.max(5, asked / 100);

const assert = <T>(property: IRawProperty<T>, parameters?: Parameters<T>) =>
  fc.assert(property, { ...parameters, numRuns: runsOf(parameters?.numRuns), endOnFailure: true });

export default { ...fc, assert };
