import { expect, test } from 'vitest';
import { brokersAt, type SecuredBrokers } from './brokers.ts';

test('secures connections to single brokers like those to the cluster', () => {
  const sasl = { mechanism: 'PLAIN', username: 'ann', password: 'secret' } as const;
  const cluster: SecuredBrokers = { addresses: ['a:9092', 'b:9092'], tls: null, sasl };
  expect(brokersAt(cluster, ['b:9092'])).toEqual({ addresses: ['b:9092'], tls: null, sasl });
  expect(brokersAt(['a:9092', 'b:9092'], ['b:9092'])).toEqual(['b:9092']);
});
