import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, expect, test } from 'vitest';
import { Authority, writeCertificate } from '../../test/support/certificates.ts';
import { hostMetrics } from './metrics.ts';
import { certificateFiles, validityOf } from './server-tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'touchline-certificates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('says when each certificate of the settings expires, and nothing of one that cannot be read', async () => {
  const { cert: path } = writeCertificate(folder, 'one', await (await Authority.create()).sign('one'));
  const certificates = certificateFiles({
    HTTP_TLS_CERT_FILE: path,
    KAFKA_TLS_CERT_FILE: path,
    SCHEMA_REGISTRY_TLS_CERT_FILE: join(folder, 'missing.crt'),
    KAFKA_TLS_CA_FILE: path,
  });
  const registry = new Registry();
  hostMetrics(registry, certificates, null);
  const seconds = validityOf({ setting: 'HTTP_TLS_CERT_FILE', path }).to / 1_000;
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('touchline_'));
  expect(lines).toEqual([
    `touchline_certificate_expiry_timestamp_seconds{setting="HTTP_TLS_CERT_FILE"} ${seconds}`,
    `touchline_certificate_expiry_timestamp_seconds{setting="KAFKA_TLS_CERT_FILE"} ${seconds}`,
  ]);
  expect(seconds * 1_000).toBeGreaterThan(Date.now());
});
