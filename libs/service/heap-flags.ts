/**
 * Flags of Node for every service process. Without them the young generation alone grows to some 100 MiB under load: 485 MiB
 * resident beside 379, at the same processor time (30,000 scheduled matches, `npm run bench -- memory`).
 */
export const HEAP_FLAGS = ['--max-semi-space-size=8'];
