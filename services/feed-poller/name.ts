/** The name of the service, and how it signs what it gives up. */
export const SERVICE = 'feed-poller';
