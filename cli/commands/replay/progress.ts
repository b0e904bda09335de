const WIDTH = 24;

/** How far it has come, as one line: a bar, records, records a second, and how long it may still take. */
export function progressLine(records: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : records / total;
  const filled = Math.floor(share * WIDTH);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
  const rate = seconds > 0 ? records / seconds : 0;
  const left = rate > 0 ? `, ${Math.ceil((total - records) / rate)} s left` : '';
  return `replay: [${bar}] ${Math.floor(share * 100)} %, ${records} of ${total} records, ${Math.round(rate)}/s${left}`;
}
