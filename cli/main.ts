/** The command line: `touchline <command or service> [arguments]`. */
import { withAdvice } from '#errors/shortages.ts';
import { EXIT, run } from './run.ts';
import { warnOfSilence } from './silence.ts';
import { guard } from './terminal.ts';

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

warnOfSilence(process.argv[2]);
const exitCode = await run(process.argv.slice(2));
if (exitCode !== null) {
  // Errors of the output are emitted after the write that failed.
  await new Promise((done) => process.stdout.write('', () => setImmediate(done)));
  process.exit(exitCode);
}
