/** Prints the lines of each room: `npm run ledger`. With a commit also what changed since: `npm run ledger -- main`. */
import { execFileSync } from 'node:child_process';

const TEST = /^test\/|\/testing\/|\.test\.ts$/;
const ROOM =
  /^(?:(?:libs|services)\/[^/]+|cli|scripts)(?=\/.*\.ts$)|^bench(?=\/.*\.(?:ts|java|xml)$)|^docs(?=\/.*\.md$)/;
/** What is counted as one, behind the rooms of production code and their sum. */
const OTHERS = ['tests', 'bench', 'scripts', 'docs'];

function roomOf(file: string): string | undefined {
  if (TEST.test(file)) return file.endsWith('.ts') ? 'tests' : undefined;
  return ROOM.exec(file)?.[0];
}

/** Returns the lines by room of the files that git tracks, as they are in the working tree or at a commit. */
function linesOf(...commit: string[]): ReadonlyMap<string, number> {
  const args = ['grep', '-z', '--count', '', ...commit, '--', '*.ts', '*.java', '*.xml', '*.md'];
  const counts = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const lines = new Map([['production', 0]]);
  for (const [, file = '', count] of counts.matchAll(/(?:^[^\0:]+:)?([^\0\n]+)\0(\d+)$/gm)) {
    const room = roomOf(file);
    if (room === undefined) continue;
    for (const one of OTHERS.includes(room) ? [room] : [room, 'production'])
      lines.set(one, (lines.get(one) ?? 0) + Number(count));
  }
  return lines;
}

const [commit] = process.argv.slice(2);
const now = linesOf();
const before = commit === undefined ? now : linesOf(commit);
const last = ['production', ...OTHERS];
const rooms = [...new Set([...now.keys(), ...before.keys()])].filter((room) => !last.includes(room));
for (const room of [...rooms.sort(), ...last]) {
  const lines = now.get(room) ?? 0;
  const change = lines - (before.get(room) ?? 0);
  console.log(room.padEnd(30), String(lines).padStart(6), change === 0 ? '' : String(change).padStart(7));
}
