import { join } from 'node:path';
import type { Platform, ProviderAccess } from '../../platform.ts';
import { ServiceProcess } from '../../processes.ts';

/** Who is played into, and the REST that the play is served as. */
export type PlayTarget = { readonly platform: Platform; readonly provider: ProviderAccess };

/** Starts a simulator that plays by webhooks and by REST, with these settings. */
export function startSimulator(
  { platform, provider }: PlayTarget,
  settings: Readonly<Record<string, string>>,
): ServiceProcess {
  return new ServiceProcess({
    name: 'simulator',
    settings: {
      WEBHOOK_URL: platform.webhookUrl,
      WEBHOOK_SECRET: platform.secret,
      REST_PORT: new URL(provider.baseUrl).port,
      REST_CLIENT_ID: provider.clientId,
      REST_SECRET_KEY: provider.secretKey,
      ...settings,
    },
    logFile: join(platform.logFolder, 'simulator.log'),
    restart: false,
    onTrouble: () => {},
  });
}
