/** `npm run histories`: records the replay of every history. The diff of data/histories shows the effect of a changed rule. */
import { writeFileSync } from 'node:fs';
import { expectedFile, historyNames, replayHistory } from './histories.ts';

for (const name of historyNames()) {
  const { digest, lines } = await replayHistory(name);
  writeFileSync(expectedFile(name), `${[digest, ...lines].join('\n')}\n`);
  process.stdout.write(`${name}: ${lines.length} records\n`);
}
