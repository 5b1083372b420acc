/** The languages of snippets that ask over HTTP. */
export type AskSnippet = 'curl' | 'typescript' | 'python';

export interface Door {
  origin: string;
  member: string;
  question: string;
}

/** Returns the environment variable in which a snippet expects the member token: `CONSULTANT_TOKEN`. */
export function tokenVariable(member: string): string {
  return `${member.toUpperCase().replaceAll('-', '_')}_TOKEN`;
}

/** Quotes a text for the shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Returns code that asks this member. It reads the token from the environment unless one is passed, so that a
 * screenshot reveals nothing.
 */
export function snippet(kind: AskSnippet, door: Door, token?: string): string {
  return { curl, typescript, python }[kind](door, token);
}

/** Submits and polls an ask, as one paste into a shell. */
function curl({ origin, member, question }: Door, token?: string): string {
  const variable = tokenVariable(member);
  const body = shellQuoted(JSON.stringify({ text: question }));
  return `${token ? `${variable}=${shellQuoted(token)}\n` : ''}RID=$(curl -s -X POST ${origin}/team/${member}/ask \\
  -H "Authorization: Bearer $${variable}" \\
  -H 'Content-Type: application/json' \\
  -d ${body} | jq -r .request_id)
curl -s "${origin}/team/requests/$RID?wait=60" \\
  -H "Authorization: Bearer $${variable}" | jq -r .result_text`;
}

function typescript({ origin, member, question }: Door, token?: string): string {
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

function python({ origin, member, question }: Door, token?: string): string {
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
