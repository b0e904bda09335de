/** The meaning of each parameter of the contract, and its default. */
import meanings from './parameter-meanings.json' with { type: 'json' };

/** By name, or by operation and name where an operation has its own meaning. */
const MEANINGS: Readonly<Record<string, string>> = meanings;

/** The name that an operation's parameters are described under, where it shares them with another one. */
const SHARED: Readonly<Record<string, string>> = { 'events-simple.index': 'events.index' };

/** The meaning of a parameter of an operation; undefined without one, which a test rejects. */
export function parameterMeaning(operation: string, name: string): string | undefined {
  return MEANINGS[`${SHARED[operation] ?? operation} ${name}`] ?? MEANINGS[name];
}
