import { describe, expect, test } from "vitest";
import { sleep } from "../../../lib/sandbox/core/clock.ts";
import { buttons } from "./samples.ts";
import { bench, CHANNEL, manualClock, OPERATOR, silentApp } from "./workbench.ts";

describe("an app that does not answer as it must", () => {
  test("takes longer than three seconds: operation_timeout, and the late answer is lost", async () => {
    const clock = manualClock();
    const late = silentApp({ body: "too late" });
    const requestUrl: typeof late.requestUrl = async (request) => {
      await sleep(clock, 3_500);
      return late.requestUrl(request);
    };
    const { service } = bench({ requestUrl }, clock);
    const typing = service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    await clock.advance(0);
    await clock.advance(3_000);
    expect(await typing).toMatchObject({
      error: "operation_timeout",
      notice: '/win failed with the error "operation_timeout"',
    });
    await clock.advance(1_000);
    expect(service.ui.messagesFor(OPERATOR).map((message) => message.text)).toEqual([
      '/win failed with the error "operation_timeout"',
    ]);
  });

  test("gets three seconds of the host's time although the sandbox runs faster", async () => {
    const [sandbox, host] = [manualClock(), manualClock()];
    const slow = silentApp({ body: "done" });
    const requestUrl: typeof slow.requestUrl = async (request) => {
      await sleep(host, 2_900);
      return slow.requestUrl(request);
    };
    const { service } = bench({ requestUrl, host }, sandbox);
    const typing = service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    await sandbox.advance(60_000);
    await host.advance(2_900);
    expect(await typing).toMatchObject({ error: null, messages: [{ text: "done" }] });
  });

  test.each([
    [500, "http_service_error"],
    [404, "http_client_error"],
    [302, "http_service_error"],
    [201, "http_service_error"],
  ])("answers %i: %s", async (status, error) => {
    const { service } = bench({ requestUrl: silentApp({ status }).requestUrl });
    expect(await service.ui.type(OPERATOR, CHANNEL, "/win nodes")).toMatchObject({ error });
  });

  test("cannot be reached: dispatch_failed", async () => {
    const { service } = bench({ requestUrl: () => Promise.reject(new Error("ECONNREFUSED")) });
    expect(await service.ui.type(OPERATOR, CHANNEL, "/win nodes")).toMatchObject({ error: "dispatch_failed" });
  });

  test("answers with blocks that are wrong: invalid_command_response", async () => {
    const body = JSON.stringify({ text: "a", blocks: [{ type: "marquee" }] });
    const { service } = bench({ requestUrl: silentApp({ body }).requestUrl });
    const shown = await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    expect(shown).toMatchObject({ error: "invalid_command_response" });
  });

  test("fails a click with a line for the person alone", async () => {
    const { client, service } = bench({ requestUrl: silentApp({ status: 500 }).requestUrl });
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "a", blocks: [buttons] });
    await service.ui.press(OPERATOR, { channel: CHANNEL, messageTs: String(ts), actionId: "cancel" });
    expect(service.ui.messagesFor(OPERATOR).at(-1)).toMatchObject({
      onlyTo: OPERATOR,
      text: 'This action failed with the error "http_service_error"',
    });
  });
});
