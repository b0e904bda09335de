/** The tracer of this process, or thread; none unless traces are on (docs/guides/trace.md). */
import type { Tracer, TracingOptions, TracingSinks } from './tracer.ts';

let current: Tracer | null = null;

/** Null where traces are off: ask before anything is made for a span. */
export function tracer(): Tracer | null {
  return current;
}

/** Turns traces on; loads OpenTelemetry only here. Null leaves them off. */
export async function startTracing(options: TracingOptions | null, sinks: TracingSinks): Promise<void> {
  if (options === null) return;
  const { openTracer } = await import('./otel.ts');
  current = openTracer(options, sinks);
}

/** Sends what waits, for a second at most, and turns traces off. */
export async function stopTracing(): Promise<void> {
  const stopped = current;
  current = null;
  await stopped?.close();
}
