/** Returns the sum of a metric over its labels, or over the lines with this label, such as `state="stale"`. */
export function metricValue(metrics: string, name: string, label = ''): number {
  return metrics
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
