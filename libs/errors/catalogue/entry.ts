/** What a code means, and what an operator or the caller does about it. */
type ErrorEntry = readonly [meaning: string, action: string];

/** The codes of error classes with their entries. */
export type ErrorCodes = Readonly<Record<string, Readonly<Record<Uppercase<string>, ErrorEntry>>>>;
