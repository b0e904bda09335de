/** What this service is called: its folder, its processor, its group. */
export const SERVICE = 'webhook-dispatcher';
