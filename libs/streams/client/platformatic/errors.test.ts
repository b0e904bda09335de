import { MultipleErrors, NetworkError, ProtocolError, TimeoutError } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { StreamError } from '../../errors.ts';
import { isDisconnected, isMoved, isTransient, NoLeaderError, toStreamError } from './errors.ts';

const broker = (id: string) => new ProtocolError(id);
const both = (...errors: Error[]) => new MultipleErrors('several', errors);

test.each([
  ['CONCURRENT_TRANSACTIONS', true],
  ['NOT_ENOUGH_REPLICAS', true],
  ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', true],
  ['NOT_COORDINATOR', true],
  ['PRODUCER_FENCED', false],
  ['MESSAGE_TOO_LARGE', false],
  ['TOPIC_AUTHORIZATION_FAILED', false],
])('classifies %s as transient: %s', (id, transient) => {
  expect(isTransient(broker(id))).toBe(transient);
  expect(isTransient(both(broker('NOT_LEADER_OR_FOLLOWER'), broker(id)))).toBe(transient);
});

test('ignores partitions that were not attempted', () => {
  const notAttempted = broker('OPERATION_NOT_ATTEMPTED');
  expect(isTransient(both(broker('UNKNOWN_TOPIC_OR_PARTITION'), notAttempted))).toBe(true);
  expect(isTransient(both(broker('TOPIC_AUTHORIZATION_FAILED'), notAttempted))).toBe(false);
  expect(isTransient(notAttempted)).toBe(false);
});

test('classifies a partition without a leader as transient', () => {
  expect(isTransient(new NoLeaderError({ topic: 't', partition: 1 }))).toBe(true);
  expect(isTransient(new StreamError('UNAVAILABLE', 'closed'))).toBe(false);
});

test('classifies a failed connection as not transient, as the outcome is unknown', () => {
  expect(isTransient(new NetworkError('closed'))).toBe(false);
  expect(isDisconnected(both(new TimeoutError('late')))).toBe(true);
});

test('recognises that a leader or coordinator moved', () => {
  expect(isMoved(both(broker('NOT_LEADER_OR_FOLLOWER')))).toBe(true);
  expect(isMoved(broker('CONCURRENT_TRANSACTIONS'))).toBe(false);
});

test.each([
  [broker('INVALID_PRODUCER_EPOCH'), 'FENCED'],
  [both(broker('NOT_LEADER_OR_FOLLOWER'), broker('PRODUCER_FENCED')), 'FENCED'],
  [broker('RECORD_LIST_TOO_LARGE'), 'RECORD_TOO_LARGE'],
  [broker('OFFSET_OUT_OF_RANGE'), 'OFFSET_OUT_OF_RANGE'],
  [broker('NOT_ENOUGH_REPLICAS'), 'UNAVAILABLE'],
  [new NetworkError('closed'), 'UNAVAILABLE'],
  [broker('TOPIC_AUTHORIZATION_FAILED'), 'REJECTED'],
  [new Error('something else'), 'REJECTED'],
])('maps %s to %s', (thrown, code) => {
  expect(toStreamError('test', thrown)).toMatchObject({ code, cause: thrown });
});

test('names the decisive error of the broker, with its number', () => {
  const thrown = both(broker('INVALID_TXN_STATE'), broker('NOT_LEADER_OR_FOLLOWER'));
  expect(toStreamError('transaction of a', thrown)).toMatchObject({
    code: 'FENCED',
    message: expect.stringMatching(/^transaction of a: .* \(INVALID_TXN_STATE, 48\)$/),
    broker: 'INVALID_TXN_STATE',
  });
  const closed = { message: 'read: closed', broker: null };
  expect(toStreamError('read', new NetworkError('closed'))).toMatchObject(closed);
});

test('returns a StreamError unchanged', () => {
  const error = new StreamError('FENCED', 'fenced');
  expect(toStreamError('test', error)).toBe(error);
});
