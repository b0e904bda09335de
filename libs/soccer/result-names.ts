/**
 * Names of the results of a participant by id, in all sports, from the provider's published examples (fixtures of its PHP client of
 * 2019, MIT licence): soccer, basketball and tennis. Sports share these ids. The provider has more.
 */
export const RESULT_NAMES_OF_SPORTS: ReadonlyMap<number, string> = new Map([
  [3, 'Regular time'],
  [4, 'First half'],
  [5, 'Second half'],
  [7, 'Penalty'],
  [43, 'First set'],
  [44, 'Second set'],
  [45, 'Third set'],
  [46, 'Fourth set'],
  [47, 'Fifth set'],
  [50, 'First quarter'],
  [51, 'Second quarter'],
  [52, 'Third quarter'],
  [53, 'Fourth quarter'],
  [104, 'Overtime'],
  [115, 'Current game points'],
  [116, '1st set tb points'],
  [117, '2nd set tb points'],
  [118, '3rd set tb points'],
  [119, '4th set tb points'],
  [120, '5th set tb pts'],
  [627, 'S.tiebreak points'],
  [702, 'First overtime'],
  [703, 'Second overtime'],
  [704, 'Third overtime'],
  [705, 'Fourth overtime'],
  [715, 'Fifth overtime'],
]);
