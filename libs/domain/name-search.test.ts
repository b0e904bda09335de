import { expect, test } from 'vitest';
import { foldName, matchRank } from './name-search.ts';

test.each([
  ['Beşiktaş J.K.', 'besiktas j k'],
  ['  Łódź   Widzew ', 'lodz widzew'],
  ['1. FC Köln', '1 fc koln'],
  ['Brøndby IF', 'brondby if'],
  ['Fußball-Club', 'fussball club'],
  ['İstanbul Başakşehir', 'istanbul basaksehir'],
  ['Córdoba', 'cordoba'],
  ['Спартак', 'спартак'],
  ['!!!', ''],
])('folds %j into %j', (name, folded) => {
  expect(foldName(name)).toBe(folded);
  expect(foldName(folded)).toBe(folded);
});

test('ranks the whole name first, then a prefix, then other matches', () => {
  expect(matchRank('real madrid', ['real', 'madrid'])).toBe(0);
  expect(matchRank('real madrid', ['real'])).toBe(1);
  expect(matchRank('real madrid', ['madrid'])).toBe(2);
  expect(matchRank('real madrid', ['madrid', 'real'])).toBe(2);
  expect(matchRank('real madrid', ['real', 'betis'])).toBeNull();
});
