import { httpGet } from '#service/http-get.ts';

/** The metrics of a process, or why they could not be read. */
export type ProcessStatus =
  | {
      readonly url: string;
      readonly service: string;
      /** Number of tasks by state; empty for a service without tasks. */
      readonly tasks: Readonly<Record<string, number>>;
      readonly restoredRecords: number;
      readonly undecidedRecords: number;
      readonly residentBytes: number;
    }
  | { readonly url: string; readonly problem: string };

const LIMITS = { timeoutMs: 3_000, maxBytes: 16 * 1024 * 1024 };
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads the metrics of a process; `url` is its address, as http://localhost:9464. Never rejects. */
export async function readProcessStatus(url: string, signal: AbortSignal): Promise<ProcessStatus> {
  try {
    const { status, body } = await httpGet(`${url}/metrics`, LIMITS, signal);
    return status === 200 ? parseProcessStatus(url, body.toString()) : { url, problem: `answers ${status}` };
  } catch (error) {
    return { url, problem: (error as Error).message };
  }
}

/** Parses the Prometheus text of a process. */
export function parseProcessStatus(url: string, text: string): ProcessStatus {
  const tasks: Record<string, number> = {};
  let service = '';
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
    if (name === '') continue;
    const byName = Object.fromEntries([...labels.matchAll(LABEL)].map(([, label, text]) => [label, text]));
    service ||= byName.service ?? '';
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
    if (name === 'touchline_tasks' && Number(value) > 0) tasks[byName.state ?? ''] = Number(value);
  }
  if (service === '') return { url, problem: 'is no service of Touchline' };
  return {
    url,
    service,
    tasks,
    restoredRecords: sums.get('touchline_restore_records_total') ?? 0,
    undecidedRecords: sums.get('touchline_undecided_records') ?? 0,
    residentBytes: sums.get('process_resident_memory_bytes') ?? 0,
  };
}
