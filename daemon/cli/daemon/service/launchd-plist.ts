import { getServiceCommand, getServiceEnvironment, type ServicePlan } from './service-plan.js';

/** launchd cannot distinguish permanent failures: a service that always fails is restarted at this interval. */
const THROTTLE_SECONDS = 30;

/** Escapes `text` as the content of an XML element. */
export function xmlText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/** The command in a property list of meshd; empty when there is none. */
export function readPlistCommand(plist: string): readonly string[] {
  const [, array = ''] = /<key>ProgramArguments<\/key>\s*<array>([\s\S]*?)<\/array>/.exec(plist) ?? [];
  return [...array.matchAll(/<string>([^<]*)<\/string>/g)].map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&apos;', "'")
      .replaceAll('&amp;', '&'),
  );
}

const string = (text: string) => `<string>${xmlText(text)}</string>`;
const key = (name: string) => `<key>${xmlText(name)}</key>`;

/**
 * The launchd property list that runs a project's daemon from login and restarts it after a failure. `log` is the file
 * for its stderr.
 */
export function launchdPlist(plan: ServicePlan, label: string, log: string): string {
  const environment = getServiceEnvironment(plan).map(([name, value]) => `    ${key(name)}\n    ${string(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  ${key('Label')}
  ${string(label)}
  ${key('ProgramArguments')}
  <array>
${getServiceCommand(plan)
  .map((word) => `    ${string(word)}\n`)
  .join('')}  </array>
  ${key('EnvironmentVariables')}
  <dict>
${environment.join('')}  </dict>
  ${key('RunAtLoad')}
  <true/>
  ${key('KeepAlive')}
  <dict>
    ${key('SuccessfulExit')}
    <false/>
  </dict>
  ${key('ThrottleInterval')}
  <integer>${THROTTLE_SECONDS}</integer>
  ${key('ExitTimeOut')}
  <integer>20</integer>
  ${key('ProcessType')}
  <string>Interactive</string>
  ${key('StandardOutPath')}
  <string>/dev/null</string>
  ${key('StandardErrorPath')}
  ${string(log)}
</dict>
</plist>
`;
}
