import { expect, test } from 'vitest';
import { recordedArguments } from './orders.ts';

test.each([
  [
    ['webhook', 'add', '7', '--url', 'https://user:pass@a.example/hook?key=1', '--secret-file', '-'],
    ['webhook', 'add', '7', '--url', 'a.example', '--secret-file', '-'],
  ],
  [
    ['webhook', 'add', '7', '--url=https://a.example/hook'],
    ['webhook', 'add', '7', '--url=a.example'],
  ],
  [
    ['webhook', 'add', '7', 'https://a.example/hook?key=1'],
    ['webhook', 'add', '7', 'a.example'],
  ],
  [
    ['webhook', 'add', '7', '--secret', 's3cret'],
    ['webhook', 'add', '7', '--secret', '[redacted]'],
  ],
  [
    ['webhook', 'add', '7', '--secret=s3cret', '--url', 'x'],
    ['webhook', 'add', '7', '--secret=[redacted]', '--url', 'x'],
  ],
  [
    ['webhook', 'add', '7', '--url', 'a.example/hook?key=1', '--secret-file', 's3cret'],
    ['webhook', 'add', '7', '--url', 'a.example', '--secret-file', '[redacted]'],
  ],
  [
    ['webhook', 'add', '7', 'a.example/hook?key=1', '"https://user:pass@b.example/?key=1"', '/hook?key=1'],
    ['webhook', 'add', '7', 'a.example', 'b.example', '[redacted]'],
  ],
  [
    ['7', '--reason', 'abandoned, see https://a.example/news?key=1'],
    ['7', '--reason', 'abandoned, see a.example'],
  ],
  [
    ['revoke', 'touchline_pat_abc'],
    ['revoke', '[redacted]'],
  ],
])('records %j as %j', (args, recorded) => expect(recordedArguments(args)).toEqual(recorded));
