import { describe, expect, test } from 'vitest';
import { createTopics } from '#topics/admin.ts';
import { backbone } from '../../setup/backbone.ts';
import { grant } from '../../support/acls.ts';
import { writeText } from '../../support/certificates.ts';
import { FAULT_TIMEOUT_MS, IN_FULL } from '../../support/harness.ts';
import { brokerCertificates, PASSWORD } from '../../support/secured-kafka.ts';
import { seeded } from '../../support/seed.ts';
import { touchline, written } from '../../support/touchline.ts';
import { killInTurns, startCluster } from './killed-cluster.ts';

const USER = 'demonstration';
const KILLING = { everyMs: 30_000, killingMs: 300_000 };
/** The play goes on for a while after the last kill. */
const PLAY_SECONDS = 330;

describe.each(IN_FULL)('%s', () => {
  test(
    'a tournament on three brokers with TLS, SCRAM and access control lists, one of them killed every 30 s for 5 minutes: all is right in the end',
    async () => {
      const { registryUrl, prefix } = backbone();
      const { tls, ca, folder } = await brokerCertificates();
      const cluster = await startCluster({ tls, authorizer: true, users: { [USER]: PASSWORD } });
      await createTopics({ brokers: cluster.brokers, prefix });
      // One user for all services; that each works with its own rights alone: test/integration/security/rights.test.ts.
      const all = { name: prefix, pattern: 'Prefixed' } as const;
      await grant(cluster.brokers, USER, [
        { ...all, operation: 'Read', resource: 'Topic' },
        { ...all, operation: 'Write', resource: 'Topic' },
        { ...all, operation: 'Read', resource: 'Group' },
        { ...all, operation: 'Write', resource: 'TransactionalId' },
      ]);
      const demonstration = touchline(['demo'], {
        ...{ HOME: folder, DATA_DIR: folder, TOPIC_PREFIX: prefix, SCHEMA_REGISTRY_URL: registryUrl },
        KAFKA_BROKERS: cluster.nodes.flatMap(({ secured }) => secured?.sasl ?? []).join(','),
        ...{ KAFKA_TLS: 'on', KAFKA_TLS_CA_FILE: ca },
        ...{ KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512', KAFKA_SASL_USERNAME: USER },
        KAFKA_SASL_PASSWORD_FILE: writeText(folder, 'password', PASSWORD),
        ...{ DURATION: String(PLAY_SECONDS), FAULTS: 'many' },
        ...{ WEBHOOK_PORT: '0', API_PORT: '0', TOOLS_PORT: '0', DISPATCHER_PORT: '0' },
      });
      await written(demonstration, 'live board, while it is played');
      const killed = await killInTurns(cluster, KILLING, seeded());
      const code = await demonstration.ended;
      process.stderr.write(`brokers killed: ${killed}\n${demonstration.out}`);
      expect(killed).toBeGreaterThanOrEqual(8);
      expect(demonstration.out).toContain('✓ all 64 final scores are the official ones');
      expect([code, demonstration.out]).toEqual([0, expect.not.stringContaining('✗')]);
    },
    FAULT_TIMEOUT_MS,
  );
});
