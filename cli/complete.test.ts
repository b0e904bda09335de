import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { complete } from './complete.ts';

test.each([
  ['ta', ['tail']],
  ['match-p', ['match-processor']],
  ['help ta', ['tail']],
  ['tail match-s', ['match-state']],
  ['tail --fr', ['--from-beginning']],
  ['tail --from-beginning --fr', []],
  ['tail --key ', []],
  ['webhooks ski', ['skip']],
  ['clients webhook re', ['remove', 'reseal']],
  ['clients webhook add 1 --secr', ['--secret-file']],
  ['compare --level st', ['state']],
  ['compare --level=st', ['--level=state']],
  ['position match-processor 0 ', []],
  ['nonsense ', []],
])('completes %j', async (line, found) => expect(await complete(line.split(' '))).toEqual(found));

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
const launcher = fileURLToPath(new URL('../bin/touchline.js', import.meta.url));

test('completes in bash', () => {
  const script = `eval "$(${JSON.stringify(process.execPath)} ${launcher} completion bash)"
COMP_WORDS=(touchline tail match-s) COMP_CWORD=2
_touchline
echo "$\{COMPREPLY[*]}"`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('match-state\n');
});

test.skipIf(!has('zsh'))('completes in zsh (needs zsh)', () => {
  const script = `compdef() { : }
compadd() { print -r -- $found }
eval "$(${JSON.stringify(process.execPath)} ${launcher} completion zsh)"
words=(touchline tail match-s) CURRENT=3
_touchline`;
  expect(execFileSync('zsh', ['-fc', script], { encoding: 'utf8' })).toBe('match-state\n');
});

test.skipIf(!has('fish'))('completes in fish (needs fish)', () => {
  const script = `${JSON.stringify(process.execPath)} ${launcher} completion fish | source
complete -C'touchline tail match-s'`;
  expect(execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })).toBe('match-state\n');
});
