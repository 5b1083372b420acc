// Prints what Go's own parser and type checker find in a code base, as JSON.
//
// Usage: go run facts.go MODULE ROOT < PATHS, with one path relative to ROOT on each line. Needs nothing but the standard
// library: packages of other modules are stood in for by empty ones, and errors of types are ignored.
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

type place struct {
	Name      string   `json:"name"`
	Path      string   `json:"path"`
	Line      int      `json:"line"`
	Kind      string   `json:"kind,omitempty"`
	Container string   `json:"container,omitempty"`
	Params    []string `json:"params,omitempty"`
	IsWeak    bool     `json:"isWeak,omitempty"`
	Target    string   `json:"target,omitempty"`
}

type edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type reader struct {
	module, root string
	fset         *token.FileSet
	folders      map[string]map[string][]*ast.File
	checked      map[string]*types.Package
	info         *types.Info
	std          types.ImporterFrom
	strange      map[string]bool
	definitions  []place
	calls        []place
	env          []place
	imports      []edge
}

func (r *reader) at(pos token.Pos) (string, int) {
	p := r.fset.Position(pos)
	rel, _ := filepath.Rel(r.root, p.Filename)
	return filepath.ToSlash(rel), p.Line
}

// Import checks a package of the module, loads one of the standard library, and makes up any other.
func (r *reader) Import(name string) (*types.Package, error) {
	if name == r.module || strings.HasPrefix(name, r.module+"/") {
		folder := strings.TrimPrefix(strings.TrimPrefix(name, r.module), "/")
		if folder == "" {
			folder = "."
		}
		if _, ok := r.folders[folder]; ok {
			return r.check(folder, false), nil
		}
	}
	if !strings.Contains(strings.Split(name, "/")[0], ".") {
		if pkg, err := r.std.ImportFrom(name, r.root, 0); err == nil {
			return pkg, nil
		}
	}
	base := path.Base(name)
	if strings.HasPrefix(base, "v") && len(base) < 4 {
		base = path.Base(path.Dir(name))
	}
	pkg := types.NewPackage(name, strings.ReplaceAll(strings.TrimPrefix(base, "go-"), "-", "_"))
	pkg.MarkComplete()
	return pkg, nil
}

func (r *reader) check(folder string, withTests bool) *types.Package {
	if pkg, ok := r.checked[folder]; ok && !withTests {
		return pkg
	}
	if !withTests {
		r.checked[folder] = types.NewPackage(folder, "cycle")
	}
	names := []string{}
	for name := range r.folders[folder] {
		names = append(names, name)
	}
	sort.Strings(names)
	var first *types.Package
	for _, name := range names {
		files := []*ast.File{}
		for _, file := range r.folders[folder][name] {
			p, _ := r.at(file.Pos())
			if withTests || !strings.HasSuffix(p, "_test.go") {
				files = append(files, file)
			}
		}
		if len(files) == 0 {
			continue
		}
		config := types.Config{Importer: r, Error: func(error) {}, FakeImportC: true}
		full := r.module
		if folder != "." {
			full = r.module + "/" + folder
		}
		info := r.info
		if !withTests {
			info = nil
		}
		pkg, _ := config.Check(full, r.fset, files, info)
		if first == nil && !strings.HasSuffix(name, "_test") && name != "main" || first == nil {
			first = pkg
		}
	}
	if !withTests && first != nil {
		r.checked[folder] = first
	}
	return first
}

func receiver(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return ""
	}
	expr := decl.Recv.List[0].Type
	for {
		switch inner := expr.(type) {
		case *ast.StarExpr:
			expr = inner.X
		case *ast.IndexExpr:
			expr = inner.X
		case *ast.Ident:
			return inner.Name
		default:
			return ""
		}
	}
}

func params(t *ast.FuncType) []string {
	names := []string{}
	for _, field := range t.Params.List {
		for _, name := range field.Names {
			if name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

func (r *reader) define(name *ast.Ident, kind string, more place) {
	more.Path, more.Line = r.at(name.Pos())
	more.Name, more.Kind = name.Name, kind
	r.definitions = append(r.definitions, more)
}

func (r *reader) readDeclarations(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			kind := "function"
			if d.Recv != nil {
				kind = "method"
			}
			r.define(d.Name, kind, place{Container: receiver(d), Params: params(d.Type)})
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					kind := "type"
					if _, ok := s.Type.(*ast.StructType); ok {
						kind = "class"
					} else if _, ok := s.Type.(*ast.InterfaceType); ok {
						kind = "interface"
					}
					r.define(s.Name, kind, place{})
				case *ast.ValueSpec:
					for _, name := range s.Names {
						r.define(name, "constant", place{})
					}
				}
			}
		}
	}
}

func (r *reader) judge(name *ast.Ident, fun ast.Expr) string {
	object := r.info.Uses[name]
	if object == nil {
		if selector, ok := fun.(*ast.SelectorExpr); ok {
			if id, ok := selector.X.(*ast.Ident); ok {
				if pkg, ok := r.info.Uses[id].(*types.PkgName); ok && !strings.HasPrefix(pkg.Imported().Path(), r.module) {
					return "elsewhere"
				}
			}
		}
		return "unknown"
	}
	if _, ok := object.(*types.Func); !ok {
		return "elsewhere"
	}
	if object.Pkg() == nil {
		return "elsewhere"
	}
	full := object.Pkg().Path()
	if full == r.module || strings.HasPrefix(full, r.module+"/") {
		return "here"
	}
	return "elsewhere"
}

func (r *reader) readFile(file *ast.File) {
	from, _ := r.at(file.Pos())
	for _, one := range file.Imports {
		name := strings.Trim(one.Path.Value, "\"")
		folder := strings.TrimPrefix(strings.TrimPrefix(name, r.module), "/")
		if name == r.module {
			folder = "."
		}
		if _, ok := r.folders[folder]; ok && strings.HasPrefix(name, r.module) {
			r.imports = append(r.imports, edge{from, folder})
		}
	}
	r.readDeclarations(file)
	names := map[*ast.Ident]bool{}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.FuncDecl); ok {
			names[d.Name] = true
		}
	}
	ast.Inspect(file, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			if object := r.info.Defs[id]; object != nil && !names[id] && object.Parent() != object.Pkg().Scope() {
				kind := "constant"
				if _, ok := object.(*types.Func); ok {
					kind = "method"
				}
				r.define(id, kind, place{IsWeak: true})
			}
		}
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun := call.Fun
		for paren, ok := fun.(*ast.ParenExpr); ok; paren, ok = fun.(*ast.ParenExpr) {
			fun = paren.X
		}
		if index, ok := fun.(*ast.IndexExpr); ok {
			fun = index.X
		}
		var name *ast.Ident
		switch f := fun.(type) {
		case *ast.Ident:
			name = f
		case *ast.SelectorExpr:
			name = f.Sel
		default:
			return true
		}
		p, line := r.at(name.Pos())
		r.calls = append(r.calls, place{Name: name.Name, Path: p, Line: line, Target: r.judge(name, fun)})
		if selector, ok := fun.(*ast.SelectorExpr); ok && len(call.Args) > 0 {
			x, _ := selector.X.(*ast.Ident)
			if x != nil && x.Name == "os" && (name.Name == "Getenv" || name.Name == "LookupEnv") {
				if value := r.info.Types[call.Args[0]].Value; value != nil && value.Kind() == constant.String {
					r.env = append(r.env, place{Name: constant.StringVal(value), Path: p, Line: line})
				} else {
					r.env = append(r.env, place{Path: p, Line: line, IsWeak: true})
				}
			}
		}
		return true
	})
}

func main() {
	root, _ := filepath.Abs(os.Args[2])
	fset := token.NewFileSet()
	r := &reader{
		module: os.Args[1], root: root, fset: fset, folders: map[string]map[string][]*ast.File{},
		checked: map[string]*types.Package{}, std: importer.ForCompiler(fset, "source", nil).(types.ImporterFrom),
		info: &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
	}
	all := []*ast.File{}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name := lines.Text()
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			continue
		}
		folder := path.Dir(name)
		if r.folders[folder] == nil {
			r.folders[folder] = map[string][]*ast.File{}
		}
		r.folders[folder][file.Name.Name] = append(r.folders[folder][file.Name.Name], file)
		all = append(all, file)
	}
	for folder := range r.folders {
		r.check(folder, true)
	}
	for _, file := range all {
		r.readFile(file)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"definitions": r.definitions, "calls": r.calls, "imports": r.imports, "env": r.env, "extensions": []place{},
	})
}
