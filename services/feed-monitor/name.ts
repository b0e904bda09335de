/** The service's name: its folder, its client id, and the last part of its group. */
export const SERVICE = 'feed-monitor';
