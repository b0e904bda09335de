import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { ServiceProcess, textOfOutput } from './processes.ts';

const DUMP = `
<--- Last few GCs --->
= [23617:0x1fe41000]     2836 ms: Mark-Compact (reduce) 14.4 (16.9) -> 14.2 (16.9) MB, pooled: 0 MB, 9.62 / 0.00 ms  (average mu = 0
[23617:0x2f1a7000]      118 ms: Mark-Compact 15.9 (18.1) -> 15.6 (18.3) MB, pooled: 0 MB, 6.78 / 0.00 ms  (average mu = 0.4)
FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory
----- Native stack trace -----

 1: 0xe13a1c node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
10: 0x1add9b6  [node]`;

test.each([
  ['a full heap', DUMP, 'its heap is full: give it more with NODE_OPTIONS=--max-old-space-size=<MiB>'],
  [
    'no memory',
    'FATAL ERROR: Zone Allocation failed - process out of memory',
    'memory is used up: give the machine or the container more',
  ],
  ['any other output', 'Error: Cannot find module', 'Error: Cannot find module'],
])('shows %s of a process in one line', (_, output, shown) => {
  const texts = output.split('\n').map(textOfOutput);
  expect(texts.filter((text) => text !== null)).toEqual([shown]);
});

test('a service with wrong settings ends with all that is wrong, not with the last line of it', async () => {
  const simulator = new ServiceProcess({
    name: 'simulator',
    settings: { SPEED: 'fast', MATCHES: '0' },
    logFile: join(temporaryFolder(), 'simulator.log'),
    restart: true,
    onProblem: () => {},
  });
  await expect(simulator.ready()).rejects.toThrow(
    /^simulator: These settings are wrong:\n {2}MATCHES: .*\n {2}SPEED: .*"fast"\nSee touchline simulator --help\.$/,
  );
});
