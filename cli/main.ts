/** The command line: `touchline <command or service> [arguments]`. */
import { EXIT, run } from './run.ts';
import { warnOfSilence } from './silence.ts';
import { guard } from './terminal.ts';

guard(process.stdout);
guard(process.stderr);

process.removeAllListeners('warning');
process.on('warning', (warning) => process.stderr.write(`touchline: ${warning.message}\n`));
// The reader of the output has closed it: `touchline tail … | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed);
});

warnOfSilence(process.argv[2]);
const exitCode = await run(process.argv.slice(2));
if (exitCode !== null) process.exit(exitCode);
