import { expect, test } from 'vitest';
import { suggest } from './suggest.ts';

const KNOWN = ['tail', 'topics', 'tokens', 'match-state', 'match-results', 'dead-letters'];

test.each([
  ['tial', 'tail'],
  ['tails', 'tail'],
  ['topic', 'topics'],
  ['tokns', 'tokens'],
  ['match-stat', 'match-state'],
  ['match-s', 'match-state'],
  ['deadletters', 'dead-letters'],
  // Two words begin with it, and neither is close.
  ['match', null],
  ['status', null],
  ['', null],
])('suggests for %j: %j', (word, meant) => expect(suggest(word, KNOWN)).toBe(meant));
