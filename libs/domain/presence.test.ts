import { describe, expect, test } from 'vitest';
import { isDeleted, type Omission, omissionOf } from './presence.ts';
import { incident } from './testing/messages.ts';

type Time = number | null;
const bodyAt = (ut: Time) => (ut === null ? null : incident('5-1', 413, { ut }));

describe('what the latest list shows of an incident (law 3)', () => {
  test.each<[reported: Time, listed: Time, list: Time, Omission, why: string]>([
    [100, null, null, 'none', 'there is no list'],
    [null, null, 900, 'none', 'it never existed'],
    [100, 900, 900, 'none', 'the list has it'],
    [100, 90, 90, 'none', 'the list has it, though it was written later'],
    [100, null, 104, 'none', 'the list may be older than the incident'],
    [100, null, 105, 'lately', 'the list is older than the margin allows'],
    [100, null, 174, 'lately', 'the list may lag behind'],
    [100, null, 175, 'long_ago', 'no list lags so long'],
    [110, null, 105, 'none', 'it was reported after the list'],
    [100, 200, 204, 'none', 'an older list has it, and the latest may have been taken with it'],
    [100, 200, 205, 'lately', 'an older list has it'],
    [100, 200, 274, 'lately', 'an older list has it, and the latest may lag behind'],
    [100, 200, 275, 'long_ago', 'an older list has it, but no list lags so long'],
    [200, 100, 274, 'lately', 'it was reported after the list that has it'],
  ])('reported %s, listed %s, latest list %s: %s, as %s', (reported, listed_at, list, omission) => {
    expect(
      omissionOf({ incident: bodyAt(reported), deleted_at: null, deleted_by: null, listed_at }, list),
    ).toBe(omission);
  });
});

describe('an incident is deleted (law 3)', () => {
  test.each<[body: number | null, by: number | null, deletes: boolean]>([
    [9, 10, true],
    [10, 10, true],
    [10, 9, false],
    [10, null, true],
    [null, 10, false],
    [null, null, true],
  ])(
    'of one second by the later message: body of %s, delete of %s: %s',
    (message_id, deleted_by, deletes) => {
      const one = incident('5-1', 413, { ut: 100, message_id });
      const presence = { incident: one, deleted_by, listed_at: null };
      expect(isDeleted({ ...presence, deleted_at: 100 }, null)).toBe(deletes);
      expect(isDeleted({ ...presence, deleted_at: 101 }, null)).toBe(true);
    },
  );
});
