import { readFileSync } from 'node:fs';

/** The commands that install Java and Maven, by platform: a name of `ID` or `ID_LIKE` in /etc/os-release, or of `process.platform`. */
const COMMANDS = [
  [
    'Debian, Ubuntu',
    ['debian', 'ubuntu'],
    'sudo apt install -y openjdk-21-jre-headless maven (Debian 12: openjdk-17-jre-headless)',
  ],
  ['Fedora, RHEL', ['fedora', 'rhel'], 'sudo dnf install -y java-21-openjdk-headless maven'],
  ['Alpine', ['alpine'], 'apk add openjdk21-jre-headless maven'],
  ['Arch', ['arch'], 'sudo pacman -S --noconfirm jre-openjdk-headless maven'],
  ['macOS', ['darwin'], 'brew install maven'],
  ['Windows', ['win32'], 'wsl --install -d Ubuntu, then the line of Ubuntu in it'],
] as const;

/** Returns the text of /etc/os-release; empty where there is none. */
export function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

/** Returns what to install, a line a platform: that of this machine alone where it is known. `release`: the text of /etc/os-release. */
export function installLines(release: string, platform: string = process.platform): string[] {
  const named = [...release.matchAll(/^(?:ID|ID_LIKE)="?([^"\n]*)"?$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const own = COMMANDS.filter(([, ids]) => ids.some((id) => id === platform || named.includes(id)));
  return (own.length > 0 ? own.slice(0, 1) : COMMANDS).map(([name, , command]) => `  ${name}: ${command}`);
}
