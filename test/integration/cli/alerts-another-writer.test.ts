/** Alerts that a process of another release has published: this one has not met their schema. */
import { expect, test } from 'vitest';
import { openPublisher } from '#streams/publish/publisher.ts';
import { avroType, HEADER_BYTES } from '#topics/codec.ts';
import { loadSchemas } from '#topics/schemas.ts';
import { sampleOf } from '#topics/testing/samples.ts';
import { topicName } from '#topics/topics.ts';
import { backbone } from '../../setup/backbone.ts';
import { atEnd } from '../../support/at-end.ts';
import { quietLog } from '../../support/log.ts';
import { Pipeline } from '../../support/pipeline.ts';
import { untilTrue } from '../../support/poll.ts';
import { touchline } from '../../support/touchline.ts';

const ALERT = sampleOf('alerts');

/** The bytes of the alert by a schema that differs in its words alone, registered as another release would. */
async function bytesOfAnotherWriter(registryUrl: string, prefix: string): Promise<Buffer> {
  const schema = loadSchemas().topics.get('alerts');
  if (schema === undefined) throw new Error('no schema of alerts');
  const other = { ...schema, doc: 'of another release' };
  const response = await fetch(`${registryUrl}/subjects/${topicName(prefix, 'alerts')}-value/versions`, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema: JSON.stringify(other) }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  const { id } = (await response.json()) as { id: number };
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(id, 1);
  return Buffer.concat([header, avroType(other).toBuffer(ALERT)]);
}

test('prints an alert whose schema another release has registered', async () => {
  const { place } = await Pipeline.create(backbone());
  const { brokers, registryUrl, prefix } = place;
  const run = touchline(['alerts', '--rules', 'docs/examples/alerts/rules.json', '--format', 'json'], {
    KAFKA_BROKERS: brokers.join(','),
    SCHEMA_REGISTRY_URL: registryUrl,
    TOPIC_PREFIX: prefix,
    LOG_LEVEL: 'info',
  });
  // It prints from what it found published at its start.
  await untilTrue('it takes part', () => run.err.includes('partitions assigned'));
  const publisher = await openPublisher({ brokers, clientId: 'test-writer', log: quietLog });
  atEnd(() => publisher.close());
  const value = await bytesOfAnotherWriter(registryUrl, prefix);
  await publisher.publish([{ topic: topicName(prefix, 'alerts'), key: String(ALERT.event_id), value }]);
  await untilTrue('it is printed', () => {
    if (run.child.exitCode !== null) throw new Error(`it ended: ${run.err}`);
    return run.out.includes(ALERT.id);
  });
  run.child.kill('SIGTERM');
  expect(await run.ended, run.err).toBe(0);
});
