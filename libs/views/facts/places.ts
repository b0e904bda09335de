/** Languages and areas by the provider's ids, as its own published catalogues show them (its PHP client's fixtures of 2019, MIT licence). */

/** id, code, name, own name. */
export const LANGUAGES: readonly (readonly [number, string, string, string])[] = [
  [1, 'en', 'English', 'English'],
  [2, 'de', 'German', 'Deutsch'],
  [3, 'fr', 'French', 'Français'],
  [4, 'it', 'Italian', 'Italiano'],
  [5, 'tr', 'Turkish', 'Türkçe'],
  [6, 'cs', 'Czech Republic', 'Český'],
  [7, 'pl', 'Polish', 'Polski'],
  [8, 'hr', 'Croatian', 'Hrvatski'],
  [9, 'da', 'Danish', 'Dansk'],
  [10, 'es', 'Spanish', 'Español'],
  [11, 'fi', 'Finnish', 'Suomeksi'],
  [12, 'el', 'Greek', 'ελληνικά'],
  [13, 'hu', 'Hungarian', 'Magyar'],
  [14, 'jp', 'Japan', '日本語'],
  [15, 'lt', 'Lithuanian', 'Lietuvos'],
  [16, 'lv', 'Latvian', 'Latvijas'],
  [17, 'nl', 'Dutch', 'Nederlands'],
  [19, 'no', 'Norway', 'Norsk'],
  [20, 'pt', 'Portuguese', 'Português'],
  [21, 'ro', 'Romanian', 'Româna'],
  [22, 'sr', 'Serbian', 'Srpski'],
  [23, 'ru', 'Russian', 'Русский'],
  [24, 'sv', 'Swedish', 'Svensk'],
  [25, 'si', 'Slovenian', 'Slovenščina'],
  [26, 'sk', 'Slovakian', 'Slovenských'],
  [27, 'zh', 'Chinese', '中文繁體'],
  [28, 'bs', 'Bosnian', 'Bosanski'],
  [29, 'bg', 'Bulgarian', 'Български'],
  [30, 'et', 'Estonian', 'Esti'],
  [31, 'th', 'Thai', 'ไทย'],
  [32, 'mk', 'Macedonian', 'Македонски'],
  [33, 'vi', 'Vietnamese', 'Tiếng Việt'],
  [34, 'id', 'Indonesian', 'Bahasa'],
  [35, 'ko', 'Korean', '한국어'],
  [36, 'ka', 'Georgian', 'ქართული'],
  [37, 'uk', 'Ukrainian', 'Український'],
  [38, 'sq', 'Albanian', 'Shqiptar'],
  [39, 'me', 'Montenegrin', 'Crnogorski'],
  [40, 'zh-CN', 'Chinese Simplified', '简体字'],
];

/** Languages that are not in use. */
export const INACTIVE_LANGUAGES: ReadonlySet<number> = new Set([14, 15, 16, 25, 28]);

/** id, code, name; few are shown, the rest come with the catalogue. */
export const AREAS: readonly (readonly [number, string | null, string])[] = [
  [1, 'AFG', 'Afghanistan'],
  [2, 'ALB', 'Albania'],
  [5, null, 'England'],
  [14, 'AUS', 'Australia'],
  [144, 'POL', 'Poland'],
  [149, 'RUS', 'Russia'],
  [191, 'USA', 'USA'],
];
