import { type OwnSchedule, ruleName } from "../capabilities/schedules.ts";

const PEOPLE: OwnSchedule = "people";

/**
 * Makes an event like a tick of the schedule `people`, so that the members of Slack's user groups are read now.
 * @param id the event's id; sending it twice is harmless
 */
export const directoryTick = (cluster: string, id: string) => ({
  id,
  "detail-type": "Scheduled Event",
  resources: [ruleName(cluster, PEOPLE)],
});
