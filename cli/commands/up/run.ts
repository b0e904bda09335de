import { once } from 'node:events';
import { resolve } from 'node:path';
import { makePrivateFolder } from '#security/folders.ts';
import { loadConfig } from '#service/config.ts';
import { backboneLines, dataDirFor, enterFolder, shellWord } from '../../addresses.ts';
import type { GivenTo } from '../../command.ts';
import { type Platform, startPlatform } from '../../platform.ts';
import { parseAccepted, requireBrokers } from '../../platform-settings.ts';
import { platformStopRequests, printLine } from '../../terminal.ts';
import { keepFolder } from '../demo/folder.ts';
import { type command, config } from './command.ts';

export async function run(
  ...[{ replicas = new Map(), accept: accepted }]: GivenTo<typeof command>
): Promise<number> {
  const accept = parseAccepted(accepted);
  const settings = loadConfig(config, process.env);
  requireBrokers(settings);
  // Complete where the address is set.
  const { PROVIDER_BASE_URL, PROVIDER_CLIENT_ID = '', PROVIDER_SECRET_KEY = '' } = settings;
  const provider = { PROVIDER_CLIENT_ID, PROVIDER_SECRET_KEY };
  const stopRequests = platformStopRequests(0, (reason) =>
    printLine(reason === 'SIGINT' ? '\nStopping …' : `Stopping (${reason}) …`),
  );
  makePrivateFolder(settings.DATA_DIR);
  // Before all services are ready, because the receiver already accepts deliveries.
  keepFolder(settings.DATA_DIR);
  const platform = await startPlatform({
    dataDir: settings.DATA_DIR,
    settings,
    provider: PROVIDER_BASE_URL === undefined ? null : { PROVIDER_BASE_URL, ...provider },
    replicas,
    accept,
    onProgress: (line) => printLine(`  ${line}`),
    onProblem: (line) => printLine(`! ${line}`),
  });
  stopRequests.hasStarted = true;
  printLine(`\n${renderHowTo(platform, settings.DATA_DIR)}`);
  // Keeps this process alive while no service runs, as between restarts.
  const keepAlive = setInterval(() => {}, 2 ** 30);
  await once(stopRequests.signal, 'abort');
  clearInterval(keepAlive);
  await platform.stop();
  return 0;
}

function renderHowTo(platform: Platform, dataDir: string): string {
  const { backbone, webhookUrl, webhookSecret, apiUrl, toolsUrl, dispatcherUrl, logFolder } = platform;
  const { newClient } = platform;
  const { secrets, isNew } = webhookSecret;
  const file = webhookSecret.file === null ? null : resolve(webhookSecret.file);
  const shownSecret = file === null ? 'as set' : isNew ? `${secrets}  (kept in ${file})` : `kept in ${file}`;
  const clientLine =
    newClient === null
      ? ''
      : `  Client    id ${newClient.id}, secret key ${newClient.secretKey}  (shown this once; more with npx touchline clients add)\n`;
  const sign = file === null ? '$WEBHOOK_SECRET' : `$(cat ${shellWord(file)})`;
  return `Touchline is up: ${backbone.why}

${backboneLines(platform.cluster).join('\n')}
  Webhook   POST ${webhookUrl}
  Secret    ${shownSecret}
  Board     ${apiUrl}/
  REST      ${apiUrl}/v2  (described at ${apiUrl}/docs)
  Tokens    POST ${toolsUrl}/api/v1/token
  Tools     ${toolsUrl}/mcp
  Test      POST ${dispatcherUrl}/test-webhook-url/  (webhooks of clients: npx touchline clients webhook --help, npx touchline webhooks list)
${clientLine}  Logs      ${resolve(logFolder)}

From another terminal
${enterFolder()}
Send real matches as a provider would
  WEBHOOK_URL=${webhookUrl} WEBHOOK_SECRET="${sign}" npx touchline simulator
Read
  ${dataDirFor(dataDir)}npx touchline tail match-state --from-beginning

Ctrl-C stops everything.
`;
}
