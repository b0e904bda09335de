import { expect, test } from 'vitest';
import type { RefusedList } from '#records/types.ts';
import { ProviderError, type ProviderErrorCode } from '../provider/answer.ts';
import { pollStatus } from './poll-status.ts';

const NOW = 1_790_000_000_000;
const at = (position: number | null) => ({ position, providerNow: NOW / 1000 });
const error = (code: ProviderErrorCode): ProviderError => new ProviderError(code, 'feed.index', 'failed');

function status(refused: readonly RefusedList[] = []) {
  const made = pollStatus('one', 75, () => refused);
  made.begin(at(null));
  return made;
}

test('is up without a checkpoint, and with a recent one', () => {
  expect(status().report(NOW)).toMatchObject({ source: 'feed', state: 'up', heard_at: null });
  const near = status();
  near.begin(at(NOW / 1000 - 90));
  expect(near.report(NOW)).toMatchObject({ state: 'up' });
});

test('is recovering until the last window is read, with the progress from the checkpoint', () => {
  const behind = status();
  behind.begin(at(NOW / 1000 - 1_000));
  behind.read(true, at(NOW / 1000 - 700), NOW);
  const progress = { from: NOW / 1000 - 1_000, position: NOW / 1000 - 700, to: NOW / 1000 };
  const recovering = { state: 'recovering', reason: 'ingress', progress, heard_at: null };
  expect(behind.report(NOW)).toMatchObject(recovering);
  behind.read(false, at(NOW / 1000 - 75), NOW);
  expect(behind.report(NOW)).toMatchObject({ state: 'up', reason: null, progress: null, heard_at: NOW });
});

test('is recovering by our own delay when it falls behind a provider that answers, else by the last failure', () => {
  const late = at(NOW / 1000 - 1_000);
  const slow = status();
  slow.read(true, late, NOW);
  expect(slow.report(NOW)).toMatchObject({ state: 'recovering', reason: 'backlog' });
  const failed = status();
  failed.failed(error('BAD_ANSWER'), NOW);
  failed.read(true, late, NOW);
  expect(failed.report(NOW)).toMatchObject({ state: 'recovering', reason: 'contract' });
});

test.each([
  ['CREDENTIALS', 'credentials'],
  ['UNAUTHORIZED', 'credentials'],
  ['FORBIDDEN', 'contract'],
] as const)('is down at once after %s', (code, reason) => {
  const refused = status();
  refused.failed(error(code), NOW);
  expect(refused.report(NOW)).toMatchObject({ state: 'down', reason });
});

test.each([
  ['UNREACHABLE', 'network'],
  ['TIMEOUT', 'network'],
  ['SERVER_ERROR', 'network'],
  ['BAD_ANSWER', 'contract'],
] as const)('is down when it fails for five seconds with %s', (code, reason) => {
  const failing = status();
  failing.failed(error(code), NOW);
  expect(failing.report(NOW + 4_999)).toMatchObject({ state: 'up', reason });
  failing.failed(error(code), NOW + 4_999);
  expect(failing.report(NOW + 5_000)).toMatchObject({ state: 'down', reason });
  failing.read(true, at(NOW / 1000 - 1_000), NOW + 6_000);
  expect(failing.report(NOW + 6_000)).toMatchObject({ state: 'recovering', reason });
});

test('reports the skipped part of the feed', () => {
  const skipped = status();
  skipped.skipped(100, 200);
  const gap = { from: 100_000, to: 200_000, reason: 'contract', action: 'skipped' };
  expect(skipped.report(NOW).gap).toEqual({ ...gap, published_from: null, published_to: null });
});

test('reports how many messages were read, and how many were unreadable', () => {
  const read = status();
  read.received({ read: 4, unreadable: 1 }, NOW);
  read.received({ read: 0, unreadable: 2 }, NOW);
  const counts = { messages_read: 4, messages_unreadable: 3, unreadable_in_row: 2 };
  expect(read.report(NOW)).toMatchObject(counts);
});

test('reports the events whose incident list is refused, a hundred of them', () => {
  const lists = Array.from({ length: 101 }, (_, at) => ({ event_id: at, reason: 'empty', since: NOW }));
  expect(status(lists).report(NOW).refused_lists).toEqual(lists.slice(0, 100));
});
