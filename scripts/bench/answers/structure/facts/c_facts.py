"""Prints what universal-ctags, the lexer of clang and (for C) cscope find in a code base in C or C++, as JSON.

Usage: /usr/bin/python3 c_facts.py c|c++ ROOT < PATHS, with one path relative to ROOT on each line. Needs Debian's
universal-ctags, cscope and python3-clang. Definitions are those of ctags. A call is a name before a parenthesis that
ctags knows as no declaration; what is doubtful has the target `unknown`: a name of the C++ standard library, a name after
a macro, and in C every name about which cscope says something else.
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from clang import cindex

language, root = sys.argv[1], os.path.abspath(sys.argv[2])
tracked = [line.rstrip("\n") for line in sys.stdin]
SOURCES = re.compile(r"\.(?:c|h|cc|cpp|cxx|hpp|hh)$")
paths = [path for path in tracked if SOURCES.search(path)]
KINDS = {"function": "function", "struct": "class", "class": "class", "union": "class", "enum": "enum", "typedef": "type"}
# Every other kind is weak: a prototype, a member, a local variable, an enumerator.
KINDS.update({"macro": "macro", "variable": "constant"})

definitions, calls, imports, env, extensions = [], [], [], [], []
declared = collections.Counter()
functions, macros, members = set(), set(), set()


def parameters(signature):
    """Names in a signature, or None where one of them is not plain."""
    names, depth, part = [], 0, ""
    inner = signature.strip()[1:-1] if signature.startswith("(") else ""
    for char in inner + ",":
        depth += {"(": 1, "<": 1, "[": 1, "{": 1, ")": -1, ">": -1, "]": -1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            part = re.sub(r"=.*", "", part).strip()
            part = re.sub(r"(\[[^\]]*\])+$", "", part).strip()
            match = re.fullmatch(r"[\w:<>,\s*&.]*?[\s*&>](\w+)", part)
            if part in ("", "void", "..."):
                pass
            elif not match or "(" in part or match.group(1) in ("const", "int", "char", "long", "unsigned"):
                return None
            else:
                names.append(match.group(1))
            part = ""
        else:
            part += char
    return names


def read_ctags():
    flags = ["--output-format=json", "--fields=+neKSsZi", "--kinds-C=+pxlzL", "--kinds-C++=+pxlzLUNA", "-L", "-", "-f", "-"]
    if language == "c":
        flags.insert(0, "--langmap=C:+.h")
    else:
        flags.insert(0, "--langmap=C++:+.h")
    done = subprocess.run(["ctags", *flags], input="\n".join(paths), cwd=root, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag" or "line" not in tag or tag["name"].startswith("__anon"):
            continue
        name, path, kind = tag["name"], tag["path"], tag["kind"]
        if kind in ("function", "prototype", "macro"):
            declared[(path, tag["line"], name)] += 1
        one = {"name": name, "kind": KINDS.get(kind, "constant"), "path": path, "line": tag["line"]}
        if kind not in KINDS:
            one["isWeak"] = True
        if kind == "prototype":
            one["kind"] = "function"
        if kind == "function":
            functions.add(name)
            if tag.get("scope") and tag.get("scopeKind") in ("class", "struct"):
                one["kind"] = "method"
                one["container"] = tag["scope"].split("::")[-1]
                # A constructor or destructor: who asks for the name means the class.
                if name.lstrip("~") == one["container"]:
                    one["isWeak"] = True
            names = parameters(tag.get("signature", ""))
            if names is not None:
                one["params"] = names
        if kind == "macro":
            macros.add(name)
        if kind in ("member", "local", "parameter", "variable"):
            members.add(name)
        definitions.append(one)
        inherits = tag.get("inherits", "")
        while "<" in inherits and (shorter := re.sub(r"<[^<>]*>", "", inherits)) != inherits:
            inherits = shorter
        for base in inherits.split(",") if "<" not in inherits else []:
            base = base.split("::")[-1].strip()
            if re.fullmatch(r"\w+", base):
                extensions.append({"name": name, "base": base, "path": path, "line": tag["line"]})


def standard_names():
    names = set()
    for pattern in ("/usr/include/c++/*/*", "/usr/include/c++/*/bits/*.h"):
        for one in glob.glob(pattern):
            if os.path.isfile(one):
                with open(one, encoding="utf8", errors="replace") as source:
                    names.update(re.findall(r"\b[a-z]\w*\b", source.read()))
    return names


KEYWORDS = set("return else case throw co_return co_yield co_await do new delete and or not in if while sizeof".split())
OPERATORS = set("; { } ( , = ! && || ? : + - / % < <= >= == != << >> | ^ [ -> . += -= *= /= |= &= ) ->* ...".split())


def judge(tokens, at, directive):
    """What the call at `at` reaches, by the token before it; None for what is no call."""
    name = tokens[at].spelling
    before = tokens[at - 1] if at > 0 else None
    spelling = before.spelling if before else ";"
    if name in macros:
        return "unknown"
    if spelling == "::":
        qualifier = tokens[at - 2].spelling if at > 1 else ""
        return "elsewhere" if qualifier == "std" else "here"
    if spelling in (".", "->"):
        return ("elsewhere" if name in members else "unknown") if language == "c" else "here"
    if before and before.kind == cindex.TokenKind.KEYWORD and spelling not in KEYWORDS:
        return None if language == "c" else "unknown"
    if before and before.kind == cindex.TokenKind.IDENTIFIER and not directive:
        is_macro = spelling in macros or spelling.isupper()
        return "unknown" if is_macro else None
    if spelling == "~":
        return None if language == "c++" else "here"
    if spelling in ("*", "&", ">", "&&") and language == "c++":
        return "unknown"
    return "here"


def skip_template(tokens, at):
    """The index after `<...>` at `at`, or `at`."""
    if at >= len(tokens) or tokens[at].spelling != "<":
        return at
    depth = 0
    for index in range(at, min(at + 40, len(tokens))):
        spelling = tokens[index].spelling
        depth += {"<": 1, ">": -1, ">>": -2}.get(spelling, 0)
        if spelling in (";", "{", "}"):
            return at
        if depth <= 0:
            return index + 1
    return at


def read_tokens(index, path):
    text = open(os.path.join(root, path), encoding="utf8", errors="replace").read()
    # Directives that include are blanked: nothing but the tokens of this file is asked for.
    text = re.sub(r"^([ \t]*)#([ \t]*include\b)", r"\1//\2", text, flags=re.M)
    text = text.encode("ascii", "replace").decode()
    options = cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES | cindex.TranslationUnit.PARSE_INCOMPLETE
    flags = ["-x", language, "-w", "-nostdinc"]
    unit = index.parse("in." + ("c" if language == "c" else "cc"), flags, [("in." + ("c" if language == "c" else "cc"), text)], options)
    tokens = [token for token in unit.get_tokens(extent=unit.cursor.extent) if token.kind != cindex.TokenKind.COMMENT]
    lines = text.split("\n")
    directive, last_line = None, 0
    for at, token in enumerate(tokens):
        line = token.location.line
        if line != last_line:
            is_continued = directive and lines[line - 2].rstrip().endswith("\\")
            if token.spelling == "#":
                directive = tokens[at + 1].spelling if at + 1 < len(tokens) else "#"
            elif not is_continued:
                directive = None
            last_line = line
        if token.kind not in (cindex.TokenKind.IDENTIFIER, cindex.TokenKind.KEYWORD) or at + 1 >= len(tokens):
            continue
        name = token.spelling
        if name in ("getenv", "secure_getenv") and tokens[at + 1].spelling == "(" and at + 2 < len(tokens):
            value = tokens[at + 2].spelling
            is_text = value.startswith('"')
            name_read = value.strip('"') if is_text else strings.get(value, "")
            env.append({"name": name_read, "path": path, "line": line, **({} if name_read else {"isWeak": True})})
        after = skip_template(tokens, at + 1) if language == "c++" else at + 1
        if name not in functions or after >= len(tokens) or tokens[after].spelling != "(":
            continue
        if directive and directive != "define":
            continue
        if declared[(path, line, name)] > 0:
            declared[(path, line, name)] -= 1
            continue
        target = judge(tokens, at, directive)
        if target:
            call = {"name": name, "path": path, "line": line, "target": target}
            calls.append({**call, "isWeak": True} if directive else call)


def read_strings():
    """Returns the macros that stand for a text."""
    found = {}
    for path in paths:
        with open(os.path.join(root, path), encoding="utf8", errors="replace") as source:
            found.update(re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+"(\w+)"', source.read(), flags=re.M))
    return found


def read_includes(path):
    known = set(tracked)
    text = open(os.path.join(root, path), encoding="utf8", errors="replace").read()
    text = re.sub(r"/\*.*?\*/", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', text, flags=re.M):
        name = match.group(2)
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        if match.group(1) == '"' and beside in known:
            imports.append({"from": path, "to": beside})
            continue
        wanted = "/" + re.sub(r"^(?:\.\./)+", "", os.path.normpath(name))
        found = [one for one in sorted(known) if ("/" + one).endswith(wanted)]
        for one in found:
            edge = {"from": path, "to": one}
            imports.append(edge if len(found) == 1 else {**edge, "isWeak": True})


def compare_with_cscope():
    """Marks the calls of every name about which cscope and the tokens differ."""
    by_name = collections.defaultdict(list)
    for call in calls:
        by_name[call["name"]].append(call)
    with tempfile.TemporaryDirectory() as folder:
        listed = os.path.join(folder, "files")
        with open(listed, "w", encoding="utf8") as file:
            file.write("\n".join(paths))
        base = ["cscope", "-k", "-f", os.path.join(folder, "out")]
        subprocess.run([*base, "-b", "-i", listed], cwd=root, check=True, capture_output=True)
        names = sorted(functions)
        asked = "".join(f"3{name}\n" for name in names)
        done = subprocess.run([*base, "-d", "-l"], cwd=root, input=asked, capture_output=True, text=True, check=True)
    answers, current = [], None
    for line in done.stdout.splitlines():
        line = re.sub(r"^(?:>> )+", "", line)
        # The second is what it says of a function that nobody calls.
        if re.match(r"cscope: \d+ lines|Unable to search database", line):
            current = set()
            answers.append(current)
        elif current is not None:
            parts = line.split(" ", 3)
            if len(parts) > 2 and parts[2].isdigit():
                current.add((parts[0], int(parts[2])))
    if len(answers) != len(names):
        raise SystemExit(f"cscope answered {len(answers)} of {len(names)} questions")
    differ = 0
    for name, seen in zip(names, answers):
        own = {(call["path"], call["line"]) for call in by_name[name] if call["target"] == "here"}
        sure = {(call["path"], call["line"]) for call in by_name[name] if not call.get("isWeak")}
        weak = {(call["path"], call["line"]) for call in by_name[name] if call.get("isWeak")}
        if (seen - weak) != (own & sure):
            differ += 1
            for call in by_name[name] or [None]:
                if call:
                    call["target"] = "unknown"
                else:
                    calls.append({"name": name, "path": "", "line": 0, "target": "unknown"})
    print(f"cscope differs about {differ} of {len(names)} functions", file=sys.stderr)


strings = read_strings()
read_ctags()
clang = cindex.Index.create()
for one in paths:
    read_tokens(clang, one)
    read_includes(one)
if language == "c":
    compare_with_cscope()
else:
    standard = standard_names()
    for one in calls:
        if one["name"] in standard:
            one["target"] = "unknown"
json.dump(
    {"definitions": definitions, "calls": calls, "imports": imports, "env": env, "extensions": extensions}, sys.stdout
)
