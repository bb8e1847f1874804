import { folders } from "./apply-plans.ts";
import { changed, failed, inline, type MachineCase, planOf, sha256 } from "./case.ts";

const FOLDER = "C:\\k\\registries\\quay.io";
const FILE = `${FOLDER}\\hosts.toml`;
/** Remainder of a write that crashed. */
const LEFT = `${FILE}.casement-new`;

const write = (...contents: readonly string[]) => ({ ...inline(FILE, "new"), expects: contents.map(sha256) });
const remove = (...contents: readonly string[]) => ({
  do: "remove-file",
  path: FILE,
  expects: contents.map(sha256),
});
const makeFolder = { do: "directory", path: FOLDER, access: "inherited" };
const removeFolder = { do: "remove-directory", path: FOLDER };

const foreign = (words: string): object => failed(`file ${FILE}`, words, "foreign-file");
const foreignContent = `Casement did not write the content of ${FILE}, which has sha256 ${sha256("theirs")}`;
const foreignFolder = (names: string): string => `the folder ${FOLDER} holds what Casement did not write: ${names}`;

const writing: readonly MachineCase[] = [
  {
    name: "replaces a file whose content is one of those expected, and removes what a crash left of an earlier write",
    script: "apply",
    folders,
    files: { [FILE]: "old", [LEFT]: "half" },
    request: planOf(write("older", "old")),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: "new", [LEFT]: null },
    settles: true,
  },
  {
    name: "writes a file that is missing, whatever content is expected",
    script: "apply",
    folders: [...folders, FOLDER],
    request: planOf(write()),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: "new" },
    settles: true,
  },
  {
    name: "keeps a file whose content others wrote, and names its hash",
    script: "apply",
    folders,
    files: { [FILE]: "theirs" },
    request: planOf(write("old")),
    exitCode: 1,
    result: foreign(foreignContent),
    left: { [FILE]: "theirs" },
  },
  {
    name: "writes nothing beside a file that others wrote",
    script: "apply",
    folders,
    files: { [`${FOLDER}\\ca.crt`]: "theirs" },
    request: planOf(write()),
    exitCode: 1,
    result: foreign(foreignFolder("ca.crt")),
    left: { [FILE]: null, [`${FOLDER}\\ca.crt`]: "theirs" },
  },
  {
    name: "names five of the files and folders that others made",
    script: "apply",
    folders: [...folders, `${FOLDER}\\certs`],
    files: Object.fromEntries(["a", "b", "d", "e", "f", "g"].map((name) => [`${FOLDER}\\${name}.crt`, "theirs"])),
    request: planOf(write()),
    exitCode: 1,
    result: foreign(foreignFolder("a.crt, b.crt, certs, d.crt, e.crt and 2 more")),
  },
  {
    name: "replaces any content where none is expected, whatever lies beside it",
    script: "apply",
    folders,
    files: { [FILE]: "theirs", [`${FOLDER}\\ca.crt`]: "theirs" },
    request: planOf(inline(FILE, "new")),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: "new", [`${FOLDER}\\ca.crt`]: "theirs" },
  },
];

const removing: readonly MachineCase[] = [
  {
    name: "removes a file whose content is expected, then its folder, once",
    script: "apply",
    folders,
    files: { [FILE]: "old", [LEFT]: "half" },
    request: planOf(remove("old"), removeFolder),
    exitCode: 0,
    result: changed(`remove-file ${FILE}`, `remove-directory ${FOLDER}`),
    left: { [FILE]: null, [LEFT]: null },
    settles: true,
  },
  {
    name: "leaves a file whose content others wrote, and does not fail",
    script: "apply",
    folders,
    files: { [FILE]: "theirs" },
    request: planOf(remove("old"), removeFolder),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 2 },
    left: { [FILE]: "theirs" },
  },
  {
    name: "removes its own file beside which others wrote, and leaves theirs",
    script: "apply",
    folders,
    files: { [FILE]: "old", [`${FOLDER}\\ca.crt`]: "theirs" },
    request: planOf(remove("old"), removeFolder),
    exitCode: 0,
    result: { ok: true, changed: [`remove-file ${FILE}`], unchanged: 1 },
    left: { [FILE]: null, [`${FOLDER}\\ca.crt`]: "theirs" },
  },
  {
    name: "has nothing to remove where the file is missing, and leaves a folder in which others wrote",
    script: "apply",
    folders,
    files: { [`${FOLDER}\\ca.crt`]: "theirs" },
    request: planOf(remove("old"), removeFolder, makeFolder),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 3 },
    left: { [`${FOLDER}\\ca.crt`]: "theirs" },
  },
  {
    name: "leaves a folder that holds a folder",
    script: "apply",
    folders: [...folders, `${FOLDER}\\certs`],
    request: planOf(removeFolder, makeFolder),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 2 },
  },
  {
    name: "removes an empty folder, and has nothing to remove where there is none",
    script: "apply",
    folders: [...folders, FOLDER],
    request: planOf(removeFolder, removeFolder, makeFolder),
    exitCode: 0,
    result: { ...changed(`remove-directory ${FOLDER}`, `directory ${FOLDER}`), unchanged: 1 },
  },
  {
    name: "does not remove a link in place of a folder",
    script: "apply",
    folders,
    links: ["C:\\link"],
    request: planOf({ do: "remove-directory", path: "C:\\link" }, { ...makeFolder, path: "C:\\link" }),
    exitCode: 1,
    result: { ...failed("directory C:\\link", "it is a link to another place"), changed: [], unchanged: 1 },
  },
];

/** Cases in which apply.ps1 finds files of others, or its own. */
export const ownership: readonly MachineCase[] = [...writing, ...removing];
