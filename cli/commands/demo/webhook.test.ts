import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Authority } from '../../../test/support/certificates.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { DemoWebhook } from './webhook.ts';

test('keeps the allowed ranges and trusted certificates of the settings, and adds its own', async () => {
  const folder = temporaryFolder();
  const { ca } = await Authority.create();
  const trusted = join(folder, 'trusted.pem');
  writeFileSync(trusted, ca.cert);
  const env = { WEBHOOK_CA_FILE: trusted, WEBHOOK_ALLOWED_RANGES: '10.0.0.0/8' };
  const webhook = await DemoWebhook.listen(folder, env);
  onTestFinished(() => webhook.close());
  const { WEBHOOK_ALLOWED_RANGES, WEBHOOK_CA_FILE = '' } = webhook.dispatcherSettings;
  expect(WEBHOOK_ALLOWED_RANGES).toBe('10.0.0.0/8,127.0.0.1/32');
  const written = readFileSync(WEBHOOK_CA_FILE, 'utf8');
  expect(written).toContain(ca.cert.trim());
  expect(written.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});
