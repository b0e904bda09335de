/**
 * The statuses of all sports, those of soccer included: id, name and short name by type. What the service's
 * specification does not show is from the provider's published catalogue (its PHP client's fixtures of 2019, MIT
 * licence); polling adds later ones.
 */
import { type EventStatus, STATUSES_OF_SOCCER } from './soccer.ts';

const BY_TYPE: Readonly<Partial<Record<EventStatus['type'], string>>> = {
  interrupted: `
    150|Called game|Call. game`,
  cancelled: `
    151|Cancelled due rain|Canc. rain`,
  other: `
    4|No information|No info`,
  finished: `
    76|Retired|Ret.; 77|Walkover|W/O; 140|Finished after overtime|AOT; 143|Finished after extra inning|Fin ext. i;
    165|Match finished|fin; 246|Finished after Super Over|Fin. after Super Over;
    332|Finished after 2nd extratime|Fin 2nd ext.`,
  live: `
    8|1st quarter|1st q.; 10|2nd quarter|2nd q.; 15|Extratime|Extra; 18|Live|live; 19|3rd quarter|3rd q.;
    20|4th quarter|4th q.; 41|1st period|1st period; 42|Break|Break; 43|2nd period|2nd period; 44|3rd period|3rd period;
    49|1st inning|1st inn.; 50|2nd inning|2nd inn.; 51|3rd inning|3rd inn.; 52|4th inning|4th inn.;
    53|5th inning|5th inn.; 54|6th inning|6th inn.; 55|7th inning|7th inn.; 56|8th inning|8th inn.;
    57|9th inning|9th inn.; 58|10th inning|10th inn.; 59|11th inning|11th inn.; 60|12th inning|12th inn.;
    61|13th inning|13th inn.; 62|14th inning|14th inn.; 63|15th inning|15th inn.; 64|16th inning|16th inn.;
    65|2nd set|2nd set; 66|After day 1|After 1 d.; 67|After day 2|After 2 d.; 68|After day 3|After 3 d.;
    69|After day 4|After 4 d.; 71|1st frame|1 frame; 72|2nd frame|2 frame; 73|3rd frame|3 frame; 74|4th frame|4 frame;
    75|5th frame|5 frame; 78|6th frame|6 frame; 79|7th frame|7 frame; 80|8th frame|8 frame; 81|9th frame|9 frame;
    82|10th frame|10 frame; 83|11th frame|11 frame; 84|12th frame|12 frame; 85|13th frame|13 frame;
    86|14th frame|14 frame; 87|15th frame|15 frame; 88|16th frame|16 frame; 89|17th frame|17 frame;
    90|18th frame|18 frame; 91|19th frame|19 frame; 92|20th frame|20 frame; 93|21st frame|21 frame;
    94|22nd frame|22 frame; 95|23rd frame|23 frame; 96|24th frame|24 frame; 97|25th frame|25 frame;
    98|26th frame|26 frame; 99|27th frame|27 frame; 100|28th frame|28 frame; 101|29th frame|29 frame;
    102|30th frame|30 frame; 103|31st frame|31 frame; 104|32nd frame|32 frame; 105|33rd frame|33 frame;
    106|34th frame|34 frame; 107|35th frame|35 frame; 108|Pause|Pause; 134|1st set|1st set; 135|3rd set|3rd set;
    136|4th set|4th set; 137|5th set|5th set; 138|Waiting for overtime|Waiting OT; 139|Overtime|OT;
    144|Extra inning|Extra inn.; 145|Day 1|Day 1; 146|Day 2|Day 2; 147|Day 3|Day 3; 148|Day 4|Day 4;
    153|Overtime break|OT break; 154|Golden set|Golden set; 155|Break after 1st set|1st set break;
    156|Break after 2nd set|2nd set break; 157|Break after 3rd set|3rd set break; 158|Break after 4th set|4th set break;
    159|Break after 5th set|5th set break; 160|Break after 6th set|6th set break; 161|Break after 7th set|7th set break;
    162|6th set|6th set; 163|7th set|7th set; 166|17th inning|17th inn.; 167|18th inning|18th inn.;
    168|19th inning|19th inn.; 169|20th inning|20th inn.; 170|21st inning|21st inn.; 171|22nd inning|22nd inn.;
    172|23rd inning|23rd inn.; 173|Break after 1st frame|1st Frame break; 174|Break after 2nd frame|2nd Frame break;
    175|Break after 3rd frame|3rd Frame break; 176|Break after 4th frame|4th Frame break;
    177|Break after 5th frame|5th Frame break; 178|Break after 6th frame|6th Frame break;
    179|Break after 7th frame|7th Frame break; 180|Break after 8th frame|8th Frame break;
    181|Break after 9th frame|9th Frame break; 182|Break after 10th frame|10th Frame break;
    183|Break after 11th frame|11th Frame break; 184|Break after 12th frame|12th Frame break;
    185|Break after 13th frame|13th Frame break; 186|Break after 14th frame|14th Frame break;
    187|Break after 15th frame|15th Frame break; 188|Break after 16th frame|16th Frame break;
    189|Break after 17th frame|17th Frame break; 190|Break after 18th frame|18th Frame break;
    191|Break after 19th frame|19th Frame break; 192|Break after 20th frame|20th Frame break;
    193|Break after 21st frame|21st Frame break; 194|Break after 22nd frame|22nd Frame break;
    195|Break after 23rd frame|23rd Frame break; 196|Break after 24th frame|24th Frame break;
    197|Break after 25th frame|25th Frame break; 198|Break after 26th frame|26th Frame break;
    199|Break after 27th frame|27th Frame break; 200|Break after 28th frame|28th Frame break;
    201|Break after 29th frame|29th Frame break; 202|Break after 30th frame|30th Frame break;
    203|Break after 31st frame|31st Frame break; 204|Break after 32nd frame|32nd Frame break;
    205|Break after 33rd frame|33rd Frame break; 206|Break after 34th frame|34th Frame break;
    207|Break after 35th frame|35th Frame break; 208|Session break|Session brake;
    209|Waiting for tie-breaker|Waiting for t/b; 210|Tie-breaker|Tie break; 211|In progress|In prog.;
    212|Break after 1st quarter|Break 1st q.; 213|Break after 2nd quarter|Break 2st q.;
    214|Break after 3rd quarter|Break 3rd q.; 215|Break after 4th quarter|Break 4th q.; 216|Extratime 1|Extra 1;
    217|Extratime 2|Extra 2; 218|Extratime 3|Extra 3; 219|Extratime 4|Extra 4; 220|Extratime 5|Extra 5;
    221|Break after extratime 1|Break extra 1; 222|Break after extratime 2|Break extra 2;
    223|Break after extratime 3|Break extra 3; 224|Break after extratime 4|Break extra 4;
    225|Technical problems|Tech. problems; 226|8th set|8th set; 227|9th set|9th set; 228|10th set|10th set;
    229|11th set|11th set; 230|12th set|12th set; 231|13th set|13th set; 232|Break after 8th set|8th set break;
    233|Break after 9th set|9th set break; 234|Break after 10th set|10th set break;
    235|Break after 11th set|11th set break; 236|Break after 12th set|12th set break; 237|1st round|1st r.;
    238|Break after 1st round|break 1st r.; 239|2nd round|2nd r.; 240|Break after 2nd round|break 2nd r.;
    241|3rd round|3rd r.; 242|Break after 3rd round|break 3rd r.; 243|4th round|4th r.; 244|Final round|Final r.;
    245|Trial round|Trial r.; 247|1st innings home|1st innings - home;
    248|Break after 1st innings home|Innings break 1st - h.; 249|1st innings away|1st innings - away;
    250|Break after 1st innings away|Innings break 1st - a.; 251|2nd innings home|2nd innings - home;
    252|Break after 2nd innings home|Innings break 2nd - h.; 253|2nd innings away|2nd innings away;
    254|Break after 2nd innings away|Innings break 2nd - a.; 255|Super Over home|Super Over - home;
    256|Super Over Break|Super Over Break; 257|Super Over away|Super Over - away; 258|Lunch break|Lunch break;
    259|Tea break|Tea break; 260|Stumps|Stumps; 261|Break after Super Over home|Break after S.O. h.;
    262|Break after Super Over away|Break after S.O. a.; 263|Break after 1st half|After 1st;
    264|Break after 2nd half|After 2nd; 265|1st ET 1st half|1st Extra 1st;
    266|Break after 1st ET 1st half|After 1st ET 1st; 267|1st ET 2nd half|1st Extra 2nd;
    268|Break after 1st ET 2nd half|After 1st ET; 269|2nd Extratime 1st half|2nd Extra 1st;
    270|2nd Extratime halftime|After 2nd ET 1st; 271|2nd Extratime 2nd half|2nd Extra 2nd;
    272|Break after 2nd ET 2nd half|After 2nd ET; 273|Heat 1|Heat1; 274|Break after heat 1|break h1; 275|Heat 2|Heat2;
    276|Break after heat 2|break h2; 277|Heat 3|Heat3; 278|Break after heat 3|break h3; 279|Heat 4|Heat4;
    280|Break after heat 4|break h4; 281|Heat 5|Heat5; 282|Break after heat 5|break h5; 283|Heat 6|Heat6;
    284|Break after heat 6|break h6; 285|Heat 7|Heat7; 286|Break after heat 7|break h7; 287|Heat 8|Heat8;
    288|Break after heat 8|break h8; 289|Heat 9|Heat9; 290|Break after heat 9|break h9; 291|Heat 10|Heat10;
    292|Break after heat 10|break h10; 293|Heat 11|Heat11; 294|Break after heat 11|break h11; 295|Heat 12|Heat12;
    296|Break after heat 12|break h12; 297|Heat 13|Heat13; 298|Break after heat 13|break h13; 299|Heat 14|Heat14;
    300|Break after heat 14|break h14; 301|Heat 15|Heat15; 302|Break after heat 15|break h15; 303|Heat 16|Heat16;
    304|Break after heat 16|break h16; 305|Heat 17|Heat17; 306|Break after heat 17|break h17; 307|Heat 18|Heat18;
    308|Break after heat 18|break h18; 309|Heat 19|Heat19; 310|Break after heat 19|break h19; 311|Heat 20|Heat20;
    312|Break after heat 20|break h20; 313|Heat 21|Heat21; 314|Break after heat 21|break h21; 315|Heat 22|Heat22;
    316|Break after heat 22|break h22; 317|Semifinal 1|semi1; 318|Break after semifinal 1|break semi1;
    319|Semifinal 2|semi2; 320|Break after semifinal 2|break semi2; 321|Final|final; 322|Break after final|break fin;
    323|Final B|finalb; 324|Break after final B|break finb; 325|Extra heat|extraheat;
    326|Break after Extra heat|break eh; 327|Extra heat 2|extraheat2; 328|Break after Extra heat 2|break eh2;
    329|Extra heat 3|extraheat3; 330|Break after Extra heat 3|break eh3; 331|Super tiebreak|S. tiebreak;
    333|Waiting for 2nd extratime|Waiting 2nd ET; 334|Waiting for penalties|Waiting pen.;
    335|Break after 1st period|After 1st period; 336|Break after 2nd period|After 2nd period;
    337|Break after 3rd period|After 3rd period; 338|1st overtime|1st OT; 339|Break after 1st overtime|After 1st OT;
    340|2nd overtime|2nd OT; 341|Break after 2nd overtime|After 2nd OT; 342|3rd overtime|3rd OT;
    343|Break after 3rd overtime|After 3rd OT; 344|4th overtime|4th OT; 345|Break after 4th overtime|After 4th OT;
    346|5th overtime|5th OT; 347|Map 1|Map 1; 348|Map 2|Map 2; 349|Map 3|Map 3; 350|Map 4|Map 4; 351|Map 5|Map 5;
    352|Practice 1|Practice 1; 353|Practice 2|Practice 2; 354|Practice 3|Practice 3; 355|Qualifying 1|Qualifying 1;
    356|Break after qualifying 1|break q1; 357|Qualifying 2|Qualifying 2; 358|Break after qualifying 2|break q2;
    359|Qualifying 3|Qualifying 3; 360|Warm-up lap|Warm-up lap; 361|Awaiting start|Awaiting start;
    362|Race in progress|Race; 363|Break after 1st inning|1st in. break; 364|Break after 2nd inning|2nd in. break;
    365|Break after 3rd inning|3rd in. break; 366|Break after 4th inning|4th in. break;
    367|Break after 5th inning|5th in. break; 368|Break after 6th inning|6th in. break;
    369|Break after 7th inning|7th in. break; 370|Break after 8th inning|8th in. break;
    371|Break after 9th inning|9th in. break; 372|Break after 10th inning|10th in. break;
    373|Break after 11th inning|11th in. break; 374|Break after 12th inning|12th in. break;
    375|Break after 13th inning|13th in. break; 376|Break after 14th inning|14th in. break;
    377|Break after 15th inning|15th in. break; 378|Break after 16th inning|16th in. break;
    379|Break after 17th inning|17th in. break; 380|Break after 18th inning|18th in. break;
    381|Break after 19th inning|19th in. break; 382|Break after 20th inning|20th in. break;
    383|Break after 21th inning|21th in. break; 384|Break after 22th inning|22th in. break`,
};

/** Every known status, by id. The sport of a status is unknown. */
export const STATUSES: ReadonlyMap<number, EventStatus> = new Map(
  [
    ...STATUSES_OF_SOCCER.values(),
    ...Object.entries(BY_TYPE).flatMap(([type, texts]) =>
      texts.split(';').map((text) => statusOf(text, type as EventStatus['type'])),
    ),
  ]
    .sort((a, b) => a.id - b.id)
    .map((status) => [status.id, status]),
);

function statusOf(text: string, type: EventStatus['type']): EventStatus {
  const [id = '', name = '', shortName = ''] = text.replaceAll(/\s+/g, ' ').trim().split('|');
  return { id: Number(id), name, shortName, type };
}
