/** The command line: `touchline <command or service> [arguments]`. */
import { withAdvice } from '#errors/shortages.ts';
import { SUMMARIES } from './commands/catalogue.ts';
import { EXIT, run } from './run.ts';
import { guard } from './values.ts';

/** When a command that still runs asks whether a broker answers, and for how long, milliseconds: its own requests wait far longer. */
const SILENT_AFTER_MS = 3_000;
const ASKED_FOR_MS = 5_000;

guard(process.stdout);
guard(process.stderr);

process.removeAllListeners('warning');
process.on('warning', (warning) => process.stderr.write(`touchline: ${warning.message}\n`));
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of the output has closed it: `touchline tail … | head`.
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  process.stderr.write(`touchline: the output cannot be written: ${withAdvice(error)}\n`);
  process.exit(EXIT.failed);
});

// Delays no command and no exit. Services log it themselves.
if (Object.hasOwn(SUMMARIES, process.argv[2] ?? ''))
  setTimeout(() => void warnIfSilent().catch(() => {}), SILENT_AFTER_MS).unref();
const exitCode = await run(process.argv.slice(2));
if (exitCode !== null) {
  // Errors of the output are emitted after the write that failed.
  await new Promise((done) => process.stdout.write('', () => setImmediate(done)));
  process.exit(exitCode);
}

async function warnIfSilent(): Promise<void> {
  const { setTimeout: delay } = await import('node:timers/promises');
  const { shownBrokers } = await import('#security/brokers.ts');
  const { findCluster } = await import('./cluster.ts');
  const { requireKafkaAccess } = await import('#cluster/access.ts');
  const { brokers } = findCluster(process.env);
  // One that refuses has answered: the command says why.
  const answers = requireKafkaAccess(brokers).catch(() => true);
  const isSilent = !(await Promise.race([answers, delay(ASKED_FOR_MS, false, { ref: false })]));
  if (isSilent) process.stderr.write(`warning: no broker answers at ${shownBrokers(brokers)}\n`);
}
