import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig, renderSettings } from '#service/config.ts';
import { HttpsReceiver } from '../../test/support/https-receiver.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { outboundSettings } from './settings.ts';

const spec = z.object(outboundSettings);

async function file(text: string): Promise<string> {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'ca.pem'), text);
  return join(folder, 'ca.pem');
}

describe('settings of outbound requests', () => {
  test('allow public addresses only by default', () => {
    const config = loadConfig(spec, {});
    expect(config.WEBHOOK_ALLOWED_RANGES.allows('8.8.8.8')).toBe(true);
    expect(config.WEBHOOK_ALLOWED_RANGES.allows('127.0.0.1')).toBe(false);
    expect(config.WEBHOOK_CA_FILE).toBeUndefined();
    expect(renderSettings(spec)).toMatch(/WEBHOOK_ALLOWED_RANGES +\(empty\).*\n.*WEBHOOK_CA_FILE +\(none\)/);
  });

  test('allow ranges', () => {
    const env = { WEBHOOK_ALLOWED_RANGES: ' 127.0.0.0/8, fd00::/8' };
    const { WEBHOOK_ALLOWED_RANGES: allowed } = loadConfig(spec, env);
    const found = ['127.0.0.1', 'fd00::1', '10.0.0.1'].map((address) => allowed.allows(address));
    expect(found).toEqual([true, true, false]);
    expect(String(allowed)).toBe('127.0.0.0/8,fd00::/8');
  });

  test('read the certificates of a file', async () => {
    const { ca } = await HttpsReceiver.start();
    expect(loadConfig(spec, { WEBHOOK_CA_FILE: await file(ca) }).WEBHOOK_CA_FILE).toBe(ca);
  });

  test('report every problem', async () => {
    const path = await file('no certificate');
    expect(() =>
      loadConfig(spec, { WEBHOOK_ALLOWED_RANGES: '10.0.0.0/8,x/y', WEBHOOK_CA_FILE: path }),
    ).toThrow(
      /WEBHOOK_ALLOWED_RANGES: "x\/y" is not a range.*\n *WEBHOOK_CA_FILE: must be a file that can be read/,
    );
    expect(() => loadConfig(spec, { WEBHOOK_CA_FILE: `${path}.none` })).toThrow(/WEBHOOK_CA_FILE/);
  });
});
