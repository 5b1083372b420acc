/**
 * Scenarios that may fail, with the reason. All others must pass. An exception that passes is an error as well, so that
 * the list stays current.
 */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'http-custom-header-server-validation':
    'Mirrors arguments into headers of their own for tools that ask for it (x-mcp-header). No tool of the ' +
    'daemon does, so that there is nothing to compare.',
  'server-sse-polling':
    'Closes a stream on purpose and goes on in another. The daemon holds a call open until its answer, and ' +
    'keeps no frames to send again: an answer that was missed is read as a resource.',
  ...extension('SEP-2663, tasks: a call waits for its answer, and what runs longer is read as a resource.', [
    'tasks-lifecycle',
    'tasks-capability-negotiation',
    'tasks-wire-fields',
    'tasks-request-state-removal',
    'tasks-mrtr-input',
    'tasks-request-headers',
    'tasks-dispatch-and-envelope',
    'tasks-status-notifications',
    'tasks-required-task-error',
    'tasks-mrtr-composition',
  ]),
  ...extension('SEP-2640, skills as files: members are asked, they are not downloaded.', [
    'sep-2640-skills-directory',
    'sep-2640-skills-enumeration',
    'sep-2640-skills-manifest',
  ]),
};

/** Returns the exceptions for an extension that is not offered. */
function extension(reason: string, scenarios: readonly string[]): Record<string, string> {
  return Object.fromEntries(scenarios.map((scenario) => [scenario, `An extension that is not offered. ${reason}`]));
}
