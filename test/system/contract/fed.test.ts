import { fedRows } from './fed-rows.ts';

fedRows('both');
