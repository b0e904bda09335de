/**
 * Flags of Node for the process of a service. Without them the young generation alone grows to some 100 MiB under load: 485 MiB
 * resident beside 379 (30,000 scheduled matches, `npm run bench -- memory`), and a restore is a tenth slower. The receiver, all
 * of whose memory is young, is the exception: it answers 6,800 beside 10,000 deliveries a second with them.
 */
export function heapFlags(service: string): readonly string[] {
  return service === 'webhook-receiver' ? [] : ['--max-semi-space-size=8'];
}

/**
 * Settings of the C library for the process of a service. By default it learns to keep buffers of up to 32 MiB for later; the
 * poller, whose answers come in bursts, gives them back. Other libraries than glibc ignore them.
 */
export function mallocSettings(service: string): Readonly<Record<string, string>> {
  return service === 'feed-poller'
    ? { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' }
    : {};
}
