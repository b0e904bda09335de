/** `npm run histories`: writes what every history gives now; the diff of data/histories shows what a change of a rule changed. */
import { writeFileSync } from 'node:fs';
import { expectedFile, historyNames, replayHistory } from './histories.ts';

for (const name of historyNames()) {
  const { digest, lines } = await replayHistory(name);
  writeFileSync(expectedFile(name), `${[digest, ...lines].join('\n')}\n`);
  process.stdout.write(`${name}: ${lines.length} records\n`);
}
