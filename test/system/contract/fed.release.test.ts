import { fedRows } from './fed-rows.ts';

fedRows('webhooks');
fedRows('polling');
