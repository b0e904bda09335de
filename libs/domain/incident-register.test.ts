import { describe, expect, test } from 'vitest';
import type { Incident } from '#records/types.ts';
import { outranks } from './incident-register.ts';
import { incident } from './testing/messages.ts';

const body = (ut: number, confirmation: string | null, note: string, message_id: number | null = null) =>
  incident('5-1', 413, { ut, confirmation, note, message_id });
/** A record that says nothing but its phase. */
const inPhase = (event_status_id: number | null) => ({ ...body(1, 'tbd', 'a'), event_status_id });

describe('a record wins over the stored one (law 1)', () => {
  test.each<[wins: boolean, why: string, record: Incident, current: Incident]>([
    [true, 'it is later', body(2, null, 'a'), body(1, 'cancelled', 'b')],
    [false, 'it is earlier', body(1, 'cancelled', 'b'), body(2, null, 'a')],
    [true, 'cancelled > confirmed', body(1, 'cancelled', 'a'), body(1, 'confirmed', 'b')],
    [true, 'confirmed > tbd', body(1, 'confirmed', 'a'), body(1, 'tbd', 'b')],
    [true, 'tbd > null', body(1, 'tbd', 'a'), body(1, null, 'b')],
    [false, 'null < tbd', body(1, null, 'b'), body(1, 'tbd', 'a')],
    [true, 'its JSON is larger', body(1, 'tbd', 'b'), body(1, 'tbd', 'a')],
    [false, 'its JSON is smaller', body(1, 'tbd', 'a'), body(1, 'tbd', 'b')],
    [false, 'code units, not an alphabet', body(1, 'tbd', 'Z'), body(1, 'tbd', 'a')],
    [false, 'it is the same', body(1, 'tbd', 'a'), body(1, 'tbd', 'a')],
    [true, 'its message has the higher id', body(1, 'tbd', 'a', 10), body(1, 'tbd', 'b', 9)],
    [false, 'its message has the lower id', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a', 10)],
    [true, 'it is an entry of a list', body(1, 'tbd', 'a'), body(1, 'tbd', 'b', 9)],
    [false, 'the other is an entry of a list', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a')],
    [true, 'later, whatever the ids', body(2, 'tbd', 'a', 9), body(1, 'tbd', 'b', 10)],
    [true, 'stronger, whatever the ids', body(1, 'confirmed', 'a', 9), body(1, 'tbd', 'b', 10)],
    [true, 'stronger than an entry of a list', body(1, 'confirmed', 'a', 9), body(1, 'tbd', 'b')],
    [true, 'its JSON is larger, at equal ids', body(1, 'tbd', 'b', 9), body(1, 'tbd', 'a', 9)],
    [false, 'it is the same message', body(1, 'tbd', 'a', 9), body(1, 'tbd', 'a', 9)],
    [true, 'an equal body is read with the later phase', inPhase(16), inPhase(13)],
    [false, 'an equal body is read with the earlier phase', inPhase(13), inPhase(16)],
    [false, 'an equal body is read without a phase', inPhase(null), inPhase(13)],
  ])('%s: %s', (wins, _, record, current) => {
    expect(outranks(record, current)).toBe(wins);
  });
});
