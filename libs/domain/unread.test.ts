import { describe, expect, test } from 'vitest';
import { UnreadRegister } from './unread.ts';

const fields = (ut: number, ...unread: string[]) => ({ ut, unread, unreadable: null });
const message = (ut: number) => ({ ut, unread: [], unreadable: 'incident.id is missing' });

describe('what could not be read (law 0)', () => {
  test('is nothing at first, and no news of a message that was read', () => {
    const register = new UnreadRegister();
    expect(register.apply(fields(1))).toEqual({ changed: false, newPaths: [] });
    expect(register.messageAt).toBeNull();
    expect(register.fields()).toEqual([]);
  });

  test('keeps each field with its latest time, by path, in any order', () => {
    const all = [fields(2, 'event.name', 'incident.for'), fields(3, 'event.name'), fields(1, 'a')];
    for (const messages of [all, all.toReversed()]) {
      const register = new UnreadRegister();
      for (const one of messages) register.apply(one);
      expect(register.fields()).toEqual([
        { path: 'a', ut: 1 },
        { path: 'event.name', ut: 3 },
        { path: 'incident.for', ut: 2 },
      ]);
    }
  });

  test('names a path as new once', () => {
    const register = new UnreadRegister();
    expect(register.apply(fields(2, 'a', 'b'))).toEqual({ changed: true, newPaths: ['a', 'b'] });
    expect(register.apply(fields(3, 'a', 'c'))).toEqual({ changed: true, newPaths: ['c'] });
    expect(register.apply(fields(3, 'a', 'c'))).toEqual({ changed: false, newPaths: [] });
    expect(register.apply(fields(2, 'a', 'c'))).toEqual({ changed: false, newPaths: [] });
  });

  test('keeps the time of the latest message of which nothing could be read, in any order', () => {
    const register = new UnreadRegister();
    expect(register.apply(message(5)).changed).toBe(true);
    expect(register.apply(message(5)).changed).toBe(false);
    expect(register.apply(message(4)).changed).toBe(false);
    expect(register.messageAt).toBe(5);
    expect(register.apply(message(6))).toEqual({ changed: true, newPaths: [] });
    expect(register.messageAt).toBe(6);
  });

  test('is restored from match state', () => {
    const state = { unread: [{ path: 'a', ut: 4 }], unread_at: 9 };
    const register = UnreadRegister.restore(state);
    expect({ unread: register.fields(), unread_at: register.messageAt }).toEqual(state);
    expect(register.apply(fields(4, 'a')).changed).toBe(false);
    expect(register.apply(message(9)).changed).toBe(false);
  });
});
