import { test } from "vitest";
import { world } from "./world.ts";
test("probe", { timeout: 60_000 }, async () => {
  let t = performance.now();
  const here = await world();
  console.log("bare", performance.now() - t);
  await here.close();
  t = performance.now();
  const lived = await world({ inhabited: true });
  console.log("lived", performance.now() - t, new Date().toISOString());
  const shown = await lived.type("operator", "/win nodes");
  console.log(JSON.stringify(shown));
  await lived.pass(1);
  for (const m of lived.ground.slack.messages())
    console.log(m.onlyTo, m.text, m.blocks.map((b: any) => b.text?.text ?? JSON.stringify(b)).join("\n"));
  console.log("after", performance.now() - t, new Date().toISOString());
  console.log(
    lived.ground.kubernetes
      .objects("pods")
      .map((p: any) => `${p.metadata.namespace}/${p.metadata.name} ${p.spec.nodeName} ${p.status.phase}`)
      .join("\n"),
  );
  await lived.close();
});
