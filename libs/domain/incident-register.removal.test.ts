import { describe, expect, test } from 'vitest';
import { isRemoved } from './incident-register.ts';
import { incident } from './testing/messages.ts';

describe('an incident is removed (law 3)', () => {
  test.each<
    [
      reported: number | null,
      deleted: number | null,
      listed: number | null,
      snapshot: number | null,
      removed: boolean,
      why: string,
    ]
  >([
    [100, null, null, null, false, 'it is only reported'],
    [100, 99, null, null, false, 'it was reported again after the delete'],
    [100, 100, null, null, true, 'a delete wins at the same time'],
    [100, 101, null, null, true, 'it was deleted after it was reported'],
    [100, null, 105, 105, false, 'the latest list includes it'],
    [100, null, null, 104, false, 'the list may be older than the incident'],
    [100, null, null, 105, true, 'the list is older than the margin allows'],
    [100, null, 104, 105, true, 'an older list included it, the latest does not'],
    [100, null, 103, 104, false, 'the latest list is within the margin'],
    [100, 104, 105, 105, false, 'it was listed after the delete'],
    [100, 105, 105, 105, true, 'a delete wins over a list of that time'],
    [110, null, 105, 105, false, 'it was reported after the list'],
    [110, 109, null, 114, false, 'it was reported after both'],
    [110, 109, null, 115, true, 'the list without it is later'],
    [null, 100, null, null, false, 'it never existed'],
    [null, 100, null, 200, false, 'it never existed'],
  ])(
    'reported %s, deleted %s, listed %s of %s: %s, as %s',
    (reported, deleted, listed, snapshot, removed) => {
      const body = reported === null ? null : incident('5-1', 413, { ut: reported });
      expect(isRemoved({ incident: body, deleted_at: deleted, listed_at: listed }, snapshot)).toBe(removed);
    },
  );
});
