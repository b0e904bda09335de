// experiment
import { createRequire } from 'node:module';
// @ts-ignore
const { Producer, ProduceAcks } = await import('/tmp/c/pk/node_modules/@platformatic/kafka/dist/index.js');
const require = createRequire('/work/main/package.json');
const kafkajs = require('kafkajs');
export async function openPk(brokers: string[]) {
  const p = new Producer({ clientId: 'pk', bootstrapBrokers: brokers, idempotent: true, strict: false });
  const part = kafkajs.Partitioners.DefaultPartitioner();
  const meta = Array.from({ length: 8 }, (_, partitionId) => ({ partitionId }));
  const one = [{ partitionId: 0 }];
  return { send: async (records: any[]) => { await p.send({ acks: ProduceAcks.ALL, messages: records.map((r) => ({ topic: r.topic, key: Buffer.from(r.key), value: r.value, partition: part({ topic: r.topic, partitionMetadata: r.topic.endsWith('dead-letters') ? one : meta, message: r }) })) }); }, close: async () => { await p.close().catch(() => {}); } };
}
