import type { ProxyPlace } from "../../machine/questions.ts";

const words: Readonly<Record<ProxyPlace, string>> = {
  service: "variables of the service AmazonSSMAgent",
  machine: "variables of the machine",
};

/** Places of the variables by which an SSM agent uses a proxy, in words. */
export const proxyPlaceWords = (places: readonly ProxyPlace[]): string =>
  places.map((place) => words[place]).join(" and ");

/** Reason why Casement cannot write to a machine that reaches AWS only through a proxy. */
export const proxiedMachine = (places: readonly ProxyPlace[]): string =>
  `the SSM agent reaches AWS only through a proxy (${proxyPlaceWords(places)}), which Casement's scripts on the machine do not use`;

/** Remedy for a machine that reaches AWS only through a proxy. */
export const giveDirectWay = "Give its subnet endpoints for S3 and Secrets Manager, or a route to them";
