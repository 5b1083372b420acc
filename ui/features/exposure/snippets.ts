import { shellQuoted, shellWords } from '../../lib/shell-words.js';

/** The languages of snippets that ask over HTTP. */
export type AskSnippet = 'curl' | 'typescript' | 'python';

export interface AskTarget {
  origin: string;
  member: string;
  question: string;
}

/** An ask with what a shell needs to find its token. */
export interface ShellTarget extends AskTarget {
  /** The project's folder; undefined until it is known. */
  root: string | undefined;
  /** The words that run `meshd`. */
  command: readonly string[];
}

/** Returns the environment variable in which a snippet expects the member token: `CONSULTANT_TOKEN`. */
export function tokenVariable(member: string): string {
  return `${member.toUpperCase().replaceAll('-', '_')}_TOKEN`;
}

/** The command that prints the member's token, in any folder. */
export const tokenCommand = ({ member, root, command }: Pick<ShellTarget, 'member' | 'root' | 'command'>): string =>
  shellWords([...command, 'token', 'show', member, ...(root === undefined ? [] : ['--root', root])]);

/**
 * The first line of a text for a shell: sets the variable to `token`, or, unless it is set already, to what `meshd`
 * prints.
 */
export const setsToken = (target: ShellTarget, token?: string): string => {
  const variable = tokenVariable(target.member);
  return token === undefined
    ? `[ "\${${variable}:-}" ] || ${variable}=$(${tokenCommand(target)})\n`
    : `${variable}=${shellQuoted(token)}\n`;
};

/**
 * Returns code that asks this member. It reads the token from the environment unless one is passed, so that a
 * screenshot reveals nothing.
 */
export function snippet(kind: AskSnippet, target: ShellTarget, token?: string): string {
  return { curl, typescript, python }[kind](target, token);
}

/** Submits and polls an ask, as one paste into a shell. */
function curl(target: ShellTarget, token?: string): string {
  const { origin, member, question } = target;
  const variable = tokenVariable(member);
  const body = shellQuoted(JSON.stringify({ text: question }));
  return `${setsToken(target, token)}RID=$(curl -s -X POST ${origin}/team/${member}/ask \\
  -H "Authorization: Bearer $${variable}" \\
  -H 'Content-Type: application/json' \\
  -d ${body} | jq -r .request_id)
curl -s "${origin}/team/requests/$RID?wait=60" \\
  -H "Authorization: Bearer $${variable}" | jq -r .result_text`;
}

function typescript({ origin, member, question }: AskTarget, token?: string): string {
  const secret = token ? JSON.stringify(token) : `process.env.${tokenVariable(member)}`;
  return `const headers = {
  authorization: \`Bearer \${${secret}}\`,
  'content-type': 'application/json',
};
const asked = await fetch('${origin}/team/${member}/ask', {
  method: 'POST',
  headers,
  body: JSON.stringify({ text: ${JSON.stringify(question)} }),
});
if (!asked.ok) throw new Error(await asked.text());
const { poll } = await asked.json();

let answer;
do {
  answer = await (await fetch(\`${origin}\${poll}?wait=60\`, { headers })).json();
} while (answer.status !== 'done' && answer.status !== 'error');
console.log(answer.result_text ?? answer.error.message);`;
}

function python({ origin, member, question }: AskTarget, token?: string): string {
  const secret = token ? JSON.stringify(token) : `os.environ["${tokenVariable(member)}"]`;
  return `import json, os, urllib.request

def call(path, body=None):
    request = urllib.request.Request(
        "${origin}" + path,
        data=json.dumps(body).encode() if body else None,
        headers={
            "Authorization": "Bearer " + ${secret},
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)

asked = call("/team/${member}/ask", {"text": ${JSON.stringify(question)}})
answer = asked
while answer["status"] not in ("done", "error"):
    answer = call(asked["poll"] + "?wait=60")
print(answer.get("result_text") or answer["error"]["message"])`;
}
