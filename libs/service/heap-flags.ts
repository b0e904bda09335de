/**
 * Node flags for the process of a service. Without them the young generation alone grows to some 100 MiB under load: 485 MiB
 * resident instead of 379 (30,000 scheduled matches, `npm run bench -- memory`), and a restore is a tenth slower. Not for the
 * receiver, whose memory is all young: with them it answers 6,800 instead of 10,000 deliveries a second.
 */
export function heapFlags(service: string): readonly string[] {
  return service === 'webhook-receiver' ? [] : ['--max-semi-space-size=8'];
}

/**
 * C library settings for the process of a service. By default glibc keeps freed buffers of up to 32 MiB; with them the
 * poller, whose answers come in bursts, returns them. Other libraries ignore the settings.
 */
export function mallocSettings(service: string): Readonly<Record<string, string>> {
  return service === 'feed-poller'
    ? { MALLOC_MMAP_THRESHOLD_: '65536', MALLOC_TRIM_THRESHOLD_: '131072' }
    : {};
}
