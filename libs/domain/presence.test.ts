import { describe, expect, test } from 'vitest';
import { absentAt, isDeleted, type Omission, omissionOf, presentAt } from './incident-register.ts';
import { incident } from './testing/messages.ts';

type Time = number | null;
const never = null;
const bodyAt = (ut: Time) => (ut === null ? null : incident('5-1', 413, { ut }));

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
])(
  'what the latest list shows of an incident (law 3) reported %s, listed %s, latest list %s: %s, as %s',
  (reported, listed_at, list, omission) => {
    const presence = { incident: bodyAt(reported), deleted_at: null, deleted_by: null, listed_at };
    expect(omissionOf(presence, list)).toBe(omission);
  },
);

describe('an incident is deleted (law 3)', () => {
  test.each<[reported: Time, deleted: Time, listed: Time, list: Time, deletes: boolean, why: string]>([
    [100, null, null, null, false, 'there is no delete'],
    [100, 99, null, null, false, 'it was reported again after the delete'],
    [100, 100, null, null, true, 'a delete wins at the same time'],
    [100, 101, null, null, true, 'it was deleted after it was reported'],
    [100, 104, 105, 105, false, 'it was listed after the delete'],
    [100, 105, 105, 105, true, 'a delete wins over a list of that time'],
    [100, 104, 105, 106, true, 'the list that has it is no longer the latest'],
    [110, 107, 105, 105, false, 'it was reported after both'],
    [null, 100, null, null, false, 'it never existed'],
    [null, 100, null, 200, false, 'it never existed'],
  ])(
    'reported %s, deleted %s, listed %s of %s: %s, as %s',
    (reported, deleted_at, listed_at, list, deletes) => {
      const presence = { incident: bodyAt(reported), deleted_at, deleted_by: null, listed_at };
      expect(isDeleted(presence, list)).toBe(deletes);
    },
  );

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

const one = incident('5-1', 400, { ut: 100 });
test.each<[string, deleted: Time, listed: Time, list: Time, present: number, absent: Time]>([
  ['no list', null, null, null, 100, never],
  ['a delete', 99, null, null, 100, 99],
  ['listed', null, 200, 200, 200, never],
  ['listed before it was written', null, 90, 90, 100, never],
  ['listed after its delete', 150, 200, 200, 200, 150],
  ['listed, but not in the latest list', null, 150, 200, 100, never],
  ['not listed lately', null, null, 174, 100, never],
  ['not listed for long', null, null, 175, 100, 100],
  ['not listed, deleted before', 120, null, 200, 100, 125],
  ['not listed, deleted later than the list proves', 126, null, 200, 100, 126],
  ['not listed, deleted later', 300, null, 200, 100, 300],
])('the times of an incident (law 3): %s', (_, deleted_at, listed_at, list, present, absent) => {
  const presence = { incident: one, deleted_at, deleted_by: null, listed_at };
  expect(presentAt(one, presence, list)).toBe(present);
  expect(absentAt(presence, list)).toBe(absent);
});
