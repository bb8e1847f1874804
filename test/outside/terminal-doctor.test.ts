import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { connect } from "../../bin/connect/connect.ts";
import { cleanUp, emptyFolder, start, type, until } from "./running.ts";

afterEach(cleanUp);

test("The doctor on a terminal lists what waits for a person, or says that it could not read it", async () => {
  const here = await start(emptyFolder());
  const check = () => connect(["check", "--sandbox", join(here.folder, ".sandbox")], {});
  const { nodes } = await here.control("GET /state");
  const [node] = nodes.filter(({ metadata }) => Object(metadata).labels?.["kubernetes.io/os"] === "windows");
  await type(here, `/win remove ${Object(node?.metadata).name}`);
  await until("the dialog", async () => {
    const { operations } = await here.control("GET /state");
    return operations.some(({ status }) => status === "waiting") || undefined;
  });

  const { code, text } = await check();
  expect(text).toMatch(/^prod-west: .*1 wait for a person\n/);
  expect(text).toMatch(
    /\nWaiting for a person\n {2}• remove-\S+ waits for an answer in its dialog, for \w+: answer the dialog, or type \/win cancel remove-/,
  );
  expect(text).not.toContain("checks passed");
  expect(code).toBe(0);

  await here.control("POST /faults", { kind: "aws-5xx", match: { service: "dynamodb" } });
  expect((await check()).text).toMatch(/\nNot checked: .*what waits for a person \(InternalServerError/);
});
