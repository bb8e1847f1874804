import { beforeEach } from "vitest";
import { enterCase } from "./case.ts";

beforeEach(enterCase);
