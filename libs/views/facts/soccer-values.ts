/**
 * What soccer's results, statistics and details are called. Their ids and names are those of the provider's own
 * published catalogue (its PHP client's fixtures of 2019, MIT licence).
 */

/** Results of a participant. */
export const RESULT_NAMES: ReadonlyMap<number, string> = new Map([
  [411, 'Winner'],
  [412, 'Progress'],
  [2, 'Result'],
  [3, 'Regular time'],
  [4, 'First half'],
  [5, 'Second half'],
  [104, 'Overtime'],
  [133, 'Extratime 1st half'],
  [134, 'Extratime 2nd half'],
  [7, 'Penalty'],
]);

/** Statistics of a team. */
export const STAT_NAMES: ReadonlyMap<number, string> = new Map([
  [20, 'Shots on target'],
  [21, 'Shots off target'],
  [10, 'Attacks'],
  [11, 'Dangerous attacks'],
  [13, 'Corners'],
  [8, 'Yellow cards'],
  [9, 'Red cards'],
  [19, 'Total shots'],
  [22, 'Fouls'],
  [24, 'Offsides'],
  [14, 'Penalties scored'],
  [15, 'Penalties missed'],
  [16, 'Penalties given'],
  [17, 'Own goals'],
  [25, 'Free kicks'],
  [26, 'Dangerous free kicks'],
  [18, 'Free kick goals'],
  [27, 'Shots woodwork'],
  [28, 'Shots blocked'],
  [29, 'Goalkeeper saves'],
  [30, 'Goal kicks'],
  [31, 'Substitutions'],
  [32, 'Throw-ins'],
  [33, 'Aerial duels won'],
  [40, 'Goals'],
  [770, 'Ball possession'],
  [771, 'Ball possession percentage'],
]);

/** Details of an event. */
export const DETAIL_NAMES: ReadonlyMap<number, string> = new Map([
  [8, 'Weather conditions'],
  [36, 'Pitch conditions'],
  [16, 'Period length'],
  [17, 'Number of periods'],
  [50, 'Extra period length'],
  [58, 'Extra period type - soccer'],
  [124, 'Timer direction'],
  [141, 'Attendance'],
  [151, 'Injury time'],
  [19, 'First half start date'],
  [20, 'Second half start date'],
  [44, 'First extra half start date'],
  [45, 'Second extra half start date'],
  [150, 'Penalty shootout start date'],
  [201, 'First half injury time'],
  [202, 'Second half injury time'],
  [203, 'First extra half injury time'],
  [204, 'Second extra half injury time'],
  [205, 'Has lineups'],
  [160, 'Ball movement'],
  [178, 'Has formations'],
]);
