const forms: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  date_num: { year: "numeric", month: "2-digit", day: "2-digit" },
  date: { year: "numeric", month: "long", day: "numeric" },
  date_short: { year: "numeric", month: "short", day: "numeric" },
  date_long: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  date_pretty: { year: "numeric", month: "long", day: "numeric" },
  date_short_pretty: { year: "numeric", month: "short", day: "numeric" },
  date_long_pretty: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  time: { hour: "numeric", minute: "2-digit" },
  time_secs: { hour: "numeric", minute: "2-digit", second: "2-digit" },
};

/**
 * Slack's date tokens in the reader's own zone (docs.slack.dev, "Date formatting").
 * @param seconds since the epoch
 * @param format words with tokens: "{date_short} at {time}"
 */
export const formattedDate = (seconds: number, format: string): string =>
  format.replace(/\{(\w+)\}/g, (token, name: string) => {
    const form = forms[name];
    return form ? new Intl.DateTimeFormat("en", form).format(new Date(seconds * 1_000)) : token;
  });

/** The time beside a message: "2:32 PM", as the times in messages. @param ts Slack's: seconds with six decimals */
export const timeOfMessage = (ts: string): string => formattedDate(Number(ts), "{time}");
