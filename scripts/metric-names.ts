/** Finds the metrics of the tree in its sources. */
import { execFileSync } from 'node:child_process';

const ROOT = new URL('..', import.meta.url);
/** Words with the prefix of metrics that are none: the start of an access token, a cookie, a host of a test. */
const OTHERS: ReadonlySet<string> = new Set(['touchline_pat', 'touchline_session', 'touchline_api']);
/** Services with metrics of views, whose names begin with the service: libs/views/metrics.ts. */
const VIEW_SERVICES = ['api', 'tools'];

/** Returns the names of all metrics in the sources, without the suffixes of histograms. */
export function metricNames(): ReadonlySet<string> {
  const quoted = grep("'touchline_[a-z_]+'", 'libs/**/*.ts', 'services/**/*.ts').flatMap(
    (line) => line.match(/touchline_[a-z_]+[a-z]/) ?? [],
  );
  const views = grep('name: `\\$\\{prefix\\}_[a-z_]+`', 'libs/views/metrics.ts').flatMap((line) =>
    VIEW_SERVICES.map((service) => `touchline_${service}${/\}(\w+)/.exec(line)?.[1]}`),
  );
  return new Set([...quoted, ...views].filter((name) => !OTHERS.has(name)));
}

function grep(pattern: string, ...files: readonly string[]): string[] {
  const args = ['grep', '--untracked', '-hoE', pattern, '--', ...files];
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
}
