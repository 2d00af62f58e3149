import { EDIT_TOOLS, REFUSED } from './readers/opencode-reader.ts';

/**
 * The plugin that OpenCode loads. It asks the hook before each edit and waits as long as needed. Anything but a clear
 * yes throws, so the edit does not happen. It also prints what OpenCode's own stream reports late or not at all: a new
 * session, the start of a tool, and a retry.
 */
export function pluginSource(hook: readonly string[]): string {
  return `const HOOK = ${JSON.stringify(hook)};
const EDIT_TOOLS = ${JSON.stringify(EDIT_TOOLS)};
const print = (what) => console.log(JSON.stringify({ type: "autobuild", ...what }));

async function ask(question) {
  const { spawn } = await import("node:child_process");
  return new Promise((resolve, reject) => {
    const refuse = (reason) => reject(new Error(${JSON.stringify(REFUSED)} + reason));
    if (HOOK.length === 0) return refuse("there is no gate to ask");
    const child = spawn(HOOK[0], HOOK.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
    let answer = "";
    child.on("error", () => refuse("the gate could not be asked"));
    child.stdin.on("error", () => refuse("the gate could not be asked"));
    child.stdout.on("data", (text) => (answer = (answer + text).slice(0, 100000)));
    child.on("close", (code) => {
      try {
        const { decision, reason } = JSON.parse(answer);
        if (code === 0 && decision === "allow") resolve();
        else refuse(reason || "the gate gave no reason");
      } catch {
        refuse("the gate could not be asked");
      }
    });
    child.stdin.end(JSON.stringify(question));
  });
}

export const AutobuildGate = async () => ({
  config: async (config) => {
    config.permission = { ...config.permission, edit: "allow" };
  },
  event: async ({ event }) => {
    const { sessionID, info, status } = event.properties ?? {};
    if (event.type === "session.created" && !info?.parentID) print({ session: info?.id ?? sessionID });
    if (event.type === "session.status" && status?.type === "retry") print({ retry: status.message });
  },
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const { filePath, path, command, patchText } = args ?? {};
    print({ tool, sessionID, callID, input: { filePath, path, command, patchText } });
    if (EDIT_TOOLS.includes(tool)) await ask({ tool, args });
  },
});
`;
}
