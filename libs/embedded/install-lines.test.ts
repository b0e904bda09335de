import { expect, test } from 'vitest';
import { installLines } from './install-lines.ts';

test.each([
  [
    'ID=debian\n',
    'linux',
    '  Debian, Ubuntu: sudo apt install -y openjdk-21-jre-headless maven (Debian 12: openjdk-17-jre-headless)',
  ],
  [
    'ID=linuxmint\nID_LIKE="ubuntu debian"\n',
    'linux',
    '  Debian, Ubuntu: sudo apt install -y openjdk-21-jre-headless maven (Debian 12: openjdk-17-jre-headless)',
  ],
  [
    'ID="rocky"\nID_LIKE="rhel centos fedora"\n',
    'linux',
    '  Fedora, RHEL: sudo dnf install -y java-21-openjdk-headless maven',
  ],
  ['ID=alpine\n', 'linux', '  Alpine: apk add openjdk21-jre-headless maven'],
  ['', 'darwin', '  macOS: brew install maven'],
])('names the command of %j on %s', (release, platform, line) => {
  expect(installLines(release, platform)).toEqual([line]);
});

test('names one line a platform on a platform that it does not know', () => {
  const lines = installLines('ID=nixos\n', 'linux');
  expect(lines.length).toBeGreaterThan(4);
  expect(new Set(lines.map((line) => line.split(':')[0])).size).toBe(lines.length);
});
