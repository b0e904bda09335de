import { describe, expect, test } from 'vitest';
import { isRemoved } from './incident-register.ts';
import { incident } from './testing/messages.ts';

describe('an incident is removed (law 3)', () => {
  test.each([
    {
      reported: 100,
      deleted: null,
      listed: null,
      snapshot: null,
      removed: false,
      why: 'it is only reported',
    },
    {
      reported: 100,
      deleted: 99,
      listed: null,
      snapshot: null,
      removed: false,
      why: 'it was reported again after the delete',
    },
    {
      reported: 100,
      deleted: 100,
      listed: null,
      snapshot: null,
      removed: true,
      why: 'a delete wins at the same time',
    },
    {
      reported: 100,
      deleted: 101,
      listed: null,
      snapshot: null,
      removed: true,
      why: 'it was deleted after it was reported',
    },
    {
      reported: 100,
      deleted: null,
      listed: 105,
      snapshot: 105,
      removed: false,
      why: 'the latest list includes it',
    },
    {
      reported: 100,
      deleted: null,
      listed: null,
      snapshot: 104,
      removed: false,
      why: 'the list may be older than the incident',
    },
    {
      reported: 100,
      deleted: null,
      listed: null,
      snapshot: 105,
      removed: true,
      why: 'the list is older than the margin allows',
    },
    {
      reported: 100,
      deleted: null,
      listed: 104,
      snapshot: 105,
      removed: true,
      why: 'an older list included it, the latest does not',
    },
    {
      reported: 100,
      deleted: null,
      listed: 103,
      snapshot: 104,
      removed: false,
      why: 'the latest list is within the margin',
    },
    {
      reported: 100,
      deleted: 104,
      listed: 105,
      snapshot: 105,
      removed: false,
      why: 'it was listed after the delete',
    },
    {
      reported: 100,
      deleted: 105,
      listed: 105,
      snapshot: 105,
      removed: true,
      why: 'a delete wins over a list of that time',
    },
    {
      reported: 110,
      deleted: null,
      listed: 105,
      snapshot: 105,
      removed: false,
      why: 'it was reported after the list',
    },
    {
      reported: 110,
      deleted: 109,
      listed: null,
      snapshot: 114,
      removed: false,
      why: 'it was reported after both',
    },
    {
      reported: 110,
      deleted: 109,
      listed: null,
      snapshot: 115,
      removed: true,
      why: 'the list without it is later',
    },
    { reported: null, deleted: 100, listed: null, snapshot: null, removed: false, why: 'it never existed' },
    { reported: null, deleted: 100, listed: null, snapshot: 200, removed: false, why: 'it never existed' },
  ])('$removed: reported $reported, deleted $deleted, listed $listed of $snapshot: $why', (row) => {
    const body = row.reported === null ? null : incident('5-1', 413, { ut: row.reported });
    expect(isRemoved({ incident: body, deleted_at: row.deleted, listed_at: row.listed }, row.snapshot)).toBe(
      row.removed,
    );
  });
});
