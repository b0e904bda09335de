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

  test('names a path as new once', () => {
    const register = new UnreadRegister();
    expect(register.apply(fields(2, 'a', 'b'))).toEqual({ changed: true, newPaths: ['a', 'b'] });
    expect(register.apply(fields(3, 'a', 'c'))).toEqual({ changed: true, newPaths: ['c'] });
    expect(register.apply(fields(3, 'a', 'c'))).toEqual({ changed: false, newPaths: [] });
    expect(register.apply(fields(2, 'a', 'c'))).toEqual({ changed: false, newPaths: [] });
    register.apply(fields(4, 'a.b', 'B'));
    expect(register.fields().map(({ path, ut }) => `${path} ${ut}`)).toEqual([
      'B 4',
      'a 3',
      'a.b 4',
      'b 2',
      'c 3',
    ]);
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
});
