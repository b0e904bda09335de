import { describe, expect, test } from 'vitest';
import { wants } from './webhooks.ts';

const message = (competition_id: number | null, type = 'incident') => ({ competition_id, type });

describe('a subscription is sent', () => {
  test('everything if neither its contract nor its types limit it', () => {
    const all = { competitions: null, types: null };
    expect([message(1), message(null), message(1, 'event')].every((one) => wants(all, one))).toBe(true);
  });

  test('messages of the competitions in its contract, and none of an unknown competition', () => {
    const some = { competitions: new Set([1, 2]), types: null };
    expect([1, 2, 3, null].map((id) => wants(some, message(id)))).toEqual([true, true, false, false]);
  });

  test('messages of the types that it selects', () => {
    const incidents = { competitions: null, types: new Set(['incident']) };
    expect(['incident', 'event'].map((type) => wants(incidents, message(1, type)))).toEqual([true, false]);
  });

  test('alerts only if it selects them', () => {
    const wanted = [null, new Set(['incident']), new Set(['alert'])].map((types) =>
      wants({ competitions: null, types }, message(1, 'alert')),
    );
    expect(wanted).toEqual([false, false, true]);
  });
});
