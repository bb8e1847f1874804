/**
 * An event like that of the schedule `people`: who is in which group of Slack's is read now.
 * @param id of whatever asks; the same one twice is harmless
 */
export const directoryTick = (id: string) => ({
  id,
  "detail-type": "Scheduled Event",
  resources: ["a release: people"],
});
