import { type OwnSchedule, ruleName } from "../capabilities/schedules.ts";

const PEOPLE: OwnSchedule = "people";

/**
 * An event like that of the schedule `people`: it has the members of the Slack user groups read now.
 * @param id id of the event; the same one twice is harmless
 */
export const directoryTick = (cluster: string, id: string) => ({
  id,
  "detail-type": "Scheduled Event",
  resources: [ruleName(cluster, PEOPLE)],
});
