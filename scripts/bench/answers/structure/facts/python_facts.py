"""Prints what Python's own parser finds in a code base, as JSON.

Usage: python3 python_facts.py ROOT < PATHS, with one path relative to ROOT on each line. Needs nothing but the standard
library. A call is matched by name; where a name of the standard library could be meant, its target is `unknown`.
"""

import ast
import builtins
import importlib
import json
import os
import re
import sys

root = sys.argv[1]
paths = [line.rstrip("\n") for line in sys.stdin]
files = set(paths)
trees = {}
for path in paths:
    if path.endswith(".py"):
        try:
            with open(os.path.join(root, path), encoding="utf8") as source:
                trees[path] = ast.parse(source.read())
        except (SyntaxError, UnicodeDecodeError):
            pass

definitions, calls, imports, env, extensions = [], [], [], [], []
functions, methods, attributes, top_level = set(), set(), set(), {}


def members_of(module):
    """Names of a module of the standard library and of its classes."""
    try:
        loaded = importlib.import_module(module)
    except Exception:
        return set()
    names = set(dir(loaded))
    for name in list(names):
        value = getattr(loaded, name, None)
        if isinstance(value, type):
            names.update(dir(value))
    return names


def library_names():
    names = members_of("builtins") | members_of("io") | members_of("logging") | members_of("unittest.mock")
    for tree in trees.values():
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = [node.module]
            for module in modules:
                if module.split(".")[0] in sys.stdlib_module_names and module not in ("this", "antigravity"):
                    names |= members_of(module)
    return names


def module_file(base):
    for one in (base + ".py", base + "/__init__.py"):
        if one in files:
            return one
    return None


def find_module(path, name, level):
    """The file of a module as it is imported in `path`, or None."""
    parts = name.split(".") if name else []
    if level > 0:
        folder = path.split("/")[:-1]
        folder = folder[: len(folder) - level + 1]
        return module_file("/".join(folder + parts)) if folder + parts else None
    own = os.path.dirname(path)
    for prefix in ("", "src", own):
        found = module_file("/".join([part for part in [prefix] if part] + parts)) if parts else None
        if found:
            return found
    return None


def read_imports(path, tree):
    """Adds the edges of a file. Returns what each imported name stands for: `here`, `module` or `elsewhere`."""
    strong, weak, names = set(), set(), {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                found = find_module(path, alias.name, 0)
                for upto in range(1, len(parts)):
                    weak.add(find_module(path, ".".join(parts[:upto]), 0))
                strong.add(found)
                names[alias.asname or parts[0]] = "module" if found else "elsewhere"
        elif isinstance(node, ast.ImportFrom):
            module = find_module(path, node.module, node.level)
            parts = (node.module or "").split(".")
            for upto in range(1, len(parts)):
                weak.add(find_module(path, ".".join(parts[:upto]), node.level))
            for alias in node.names:
                inner = find_module(path, (node.module + "." if node.module else "") + alias.name, node.level)
                if inner and inner != module:
                    strong.add(inner)
                    weak.add(module)
                    names[alias.asname or alias.name] = "module"
                else:
                    strong.add(module)
                    names[alias.asname or alias.name] = "here" if module else "elsewhere"
    for to in sorted(strong - {None, path}):
        imports.append({"from": path, "to": to})
    for to in sorted(weak - strong - {None, path}):
        imports.append({"from": path, "to": to, "isWeak": True})
    return names


def parameters(node):
    args = node.args
    every = args.posonlyargs + args.args + ([args.vararg] if args.vararg else []) + args.kwonlyargs
    every += [args.kwarg] if args.kwarg else []
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def define(path, name, kind, line, **more):
    definitions.append({"name": name, "kind": kind, "path": path, "line": line, **more})


def read_definitions(path, node, container, is_top):
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            more = {"container": container} if container else {}
            if container:
                methods.add(child.name)
            else:
                functions.add(child.name)
            define(path, child.name, "method" if container else "function", child.lineno, params=parameters(child), **more)
            top_level.setdefault(path, set()).add(child.name)
            for one in parameters(child):
                define(path, one, "constant", child.lineno, isWeak=True)
            read_definitions(path, child, None, False)
        elif isinstance(child, ast.ClassDef):
            define(path, child.name, "class", child.lineno)
            top_level.setdefault(path, set()).add(child.name)
            for base in child.bases:
                inner = base.value if isinstance(base, ast.Subscript) else base
                name = getattr(inner, "attr", getattr(inner, "id", None))
                if name:
                    extensions.append({"name": child.name, "base": name, "path": path, "line": child.lineno})
            read_definitions(path, child, child.name, False)
        else:
            read_assignments(path, child, is_top and node.__class__ is ast.Module)
            read_definitions(path, child, container, is_top)


def read_assignments(path, node, is_top):
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and is_top:
                define(path, target.id, "constant", target.lineno)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        define(path, node.id, "constant", node.lineno, isWeak=True)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        attributes.add(node.attr)
        define(path, node.attr, "constant", node.lineno, isWeak=True)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            define(path, alias.asname or alias.name, "constant", node.lineno, isWeak=True)


def judge(path, func, names, library, stored):
    if isinstance(func, ast.Name):
        name = func.id
        if names.get(name) == "elsewhere":
            return "elsewhere"
        if name in top_level.get(path, ()) or names.get(name) == "here":
            return "unknown" if name in stored else "here"
        return "elsewhere" if name in stored or hasattr(builtins, name) else "unknown"
    receiver = func.value.id if isinstance(func.value, ast.Name) else None
    if receiver and names.get(receiver) == "elsewhere":
        return "elsewhere"
    if receiver and names.get(receiver) == "module" and func.attr in functions:
        return "here"
    if func.attr in library or func.attr in attributes or func.attr not in methods:
        return "unknown"
    return "here"


def read_calls(path, tree, names, library):
    stored = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            stored.add(node.arg)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            if name in functions or name in methods:
                target = judge(path, node.func, names, library, stored)
                calls.append({"name": name, "path": path, "line": node.func.end_lineno, "target": target})


def is_environ(node):
    return bool(re.search(r"(?:^|[._])environ$", ast.unparse(node)))


def literal(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def read_env(path, tree):
    for node in ast.walk(tree):
        name, is_read = None, False
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Attribute, ast.Name)):
            called = ast.unparse(node.func)
            is_get = isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault")
            if re.search(r"(?:^|\.)getenv$", called) or (is_get and is_environ(node.func.value)):
                name, is_read = literal(node.args[0]), True
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and is_environ(node.value):
            name, is_read = literal(node.slice), True
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            if is_environ(node.comparators[0]):
                name, is_read = literal(node.left), True
        if is_read:
            env.append({"name": name or "", "path": path, "line": node.lineno, **({} if name else {"isWeak": True})})


library = library_names()
for path, tree in trees.items():
    read_definitions(path, tree, None, True)
for path, tree in trees.items():
    read_calls(path, tree, read_imports(path, tree), library)
    read_env(path, tree)
json.dump(
    {"definitions": definitions, "calls": calls, "imports": imports, "env": env, "extensions": extensions}, sys.stdout
)
