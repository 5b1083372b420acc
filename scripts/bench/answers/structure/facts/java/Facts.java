import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.tree.JCTree;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Prints what javac finds in a code base, as JSON.
 *
 * <p>Usage: java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED
 * --add-exports jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED Facts.java ROOT &lt; PATHS, with one path relative to
 * ROOT on each line. Libraries are not looked for: what they would type stays unknown.
 */
public class Facts {
  static final List<String> definitions = new ArrayList<>(), calls = new ArrayList<>(), imports = new ArrayList<>();
  static final List<String> env = new ArrayList<>(), extensions = new ArrayList<>();
  static final Set<String> ownTypes = new HashSet<>(), methods = new HashSet<>();
  static final Map<String, String> fileOfType = new HashMap<>();
  static final Map<String, List<String>> filesOfPackage = new HashMap<>();
  static Path root;

  static String text(String value) {
    return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  public static void main(String[] args) throws IOException {
    root = Paths.get(args[0]).toAbsolutePath();
    List<File> files = new BufferedReader(new InputStreamReader(System.in)).lines()
        .filter(line -> line.endsWith(".java") && !line.endsWith("module-info.java") && !line.endsWith("package-info.java"))
        .map(line -> root.resolve(line).toFile()).collect(Collectors.toList());
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
    JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), manager, error -> {},
        List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "100000"), null, manager.getJavaFileObjectsFromFiles(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    try {
      task.analyze();
    } catch (RuntimeException | Error error) {
      System.err.println("javac stopped early: " + error);
    }
    Trees trees = Trees.instance(task);
    for (CompilationUnitTree unit : units) new Declarations(unit).scan(unit, null);
    for (CompilationUnitTree unit : units) new Uses(unit, trees).scan(unit, null);
    System.out.printf("{\"definitions\":%s,\"calls\":%s,\"imports\":%s,\"env\":%s,\"extensions\":%s}%n",
        definitions, calls, imports, env, extensions);
  }

  static String pathOf(CompilationUnitTree unit) {
    return root.relativize(Paths.get(unit.getSourceFile().toUri())).toString();
  }

  /** Lines and names that both passes need. */
  static class Base extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final String path, source;

    Base(CompilationUnitTree unit) {
      this.unit = unit;
      this.path = pathOf(unit);
      try {
        this.source = unit.getSourceFile().getCharContent(true).toString();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }

    int lineOf(long position) {
      return (int) unit.getLineMap().getLineNumber(position);
    }

    /** The line on which `name` stands, at `position` or after it. */
    int lineOfName(String name, int position) {
      Matcher matcher = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(source);
      return lineOf(matcher.find(position) ? matcher.start() : position);
    }
  }

  static class Declarations extends Base {
    final String pack;

    Declarations(CompilationUnitTree unit) {
      super(unit);
      pack = unit.getPackageName() == null ? "" : unit.getPackageName().toString();
      filesOfPackage.computeIfAbsent(pack, key -> new ArrayList<>()).add(path);
    }

    void define(String name, String kind, int line, String more) {
      definitions.add(String.format("{\"name\":%s,\"kind\":\"%s\",\"path\":%s,\"line\":%d%s}",
          text(name), kind, text(path), line, more));
    }

    String container() {
      Tree up = getCurrentPath().getParentPath().getLeaf();
      return up instanceof ClassTree ? ((ClassTree) up).getSimpleName().toString() : "";
    }

    @Override
    public Void visitClass(ClassTree tree, Void nothing) {
      String name = tree.getSimpleName().toString();
      if (!name.isEmpty()) {
        ownTypes.add(name);
        String outer = container();
        fileOfType.put(pack + "." + name, path);
        String kind = tree.getKind() == Tree.Kind.ENUM ? "enum"
            : tree.getKind() == Tree.Kind.INTERFACE || tree.getKind() == Tree.Kind.ANNOTATION_TYPE ? "interface" : "class";
        int start = ((JCTree.JCClassDecl) tree).mods.pos > 0 ? ((JCTree.JCClassDecl) tree).mods.pos : ((JCTree) tree).pos;
        Matcher matcher = Pattern.compile("\\b(?:class|interface|enum|record)\\s+" + Pattern.quote(name) + "\\b").matcher(source);
        int line = lineOf(matcher.find(Math.max(0, start)) ? matcher.end() - 1 : start);
        define(name, kind, line, outer.isEmpty() ? "" : ",\"container\":" + text(outer));
        List<Tree> bases = new ArrayList<>(tree.getImplementsClause());
        if (tree.getExtendsClause() != null) bases.add(tree.getExtendsClause());
        for (Tree base : bases)
          extensions.add(String.format("{\"name\":%s,\"base\":%s,\"path\":%s,\"line\":%d}",
              text(name), text(simple(base)), text(path), line));
      } else if (getCurrentPath().getParentPath().getLeaf() instanceof NewClassTree) {
        NewClassTree made = (NewClassTree) getCurrentPath().getParentPath().getLeaf();
        extensions.add(String.format("{\"name\":\"\",\"base\":%s,\"path\":%s,\"line\":%d,\"isWeak\":true}",
            text(simple(made.getIdentifier())), text(path), lineOf(((JCTree) made).pos)));
      }
      return super.visitClass(tree, nothing);
    }

    String simple(Tree type) {
      String name = type.toString().replaceAll("<.*", "").replaceAll("@\\w+ ", "");
      return name.substring(name.lastIndexOf('.') + 1).trim();
    }

    @Override
    public Void visitMethod(MethodTree tree, Void nothing) {
      String name = tree.getName().toString();
      if (!name.equals("<init>")) {
        methods.add(name);
        String params = tree.getParameters().stream().map(one -> text(one.getName().toString())).collect(Collectors.joining(","));
        define(name, "method", lineOf(((JCTree) tree).pos), ",\"container\":" + text(container()) + ",\"params\":[" + params + "]");
      }
      return super.visitMethod(tree, nothing);
    }

    @Override
    public Void visitVariable(VariableTree tree, Void nothing) {
      Set<Modifier> flags = tree.getModifiers().getFlags();
      boolean isEnumerator = (((JCTree.JCVariableDecl) tree).mods.flags & Flags.ENUM) != 0;
      boolean isConstant = flags.contains(Modifier.STATIC) && flags.contains(Modifier.FINAL) && !isEnumerator;
      if (!tree.getName().toString().isEmpty())
        define(tree.getName().toString(), "constant", lineOf(((JCTree) tree).pos), isConstant ? "" : ",\"isWeak\":true");
      return super.visitVariable(tree, nothing);
    }
  }

  static class Uses extends Base {
    final Trees trees;

    Uses(CompilationUnitTree unit, Trees trees) {
      super(unit);
      this.trees = trees;
    }

    @Override
    public Void visitImport(ImportTree tree, Void nothing) {
      String name = tree.getQualifiedIdentifier().toString();
      if (name.endsWith(".*")) {
        String inner = name.substring(0, name.length() - 2);
        String type = typeFile(inner);
        if (type != null) edge(type, false);
        else for (String one : filesOfPackage.getOrDefault(inner, List.of())) edge(one, true);
      } else {
        String type = typeFile(name);
        if (type != null) edge(type, false);
      }
      return super.visitImport(tree, nothing);
    }

    /** The file of a type, or of the type that a nested one or a static member belongs to. */
    String typeFile(String name) {
      for (String one = name; one.contains("."); one = one.substring(0, one.lastIndexOf('.')))
        if (fileOfType.containsKey(one)) return fileOfType.get(one);
      return null;
    }

    void edge(String to, boolean isWeak) {
      if (!to.equals(path))
        imports.add(String.format("{\"from\":%s,\"to\":%s%s}", text(path), text(to), isWeak ? ",\"isWeak\":true" : ""));
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
      String name = tree.getName().toString();
      if (methods.contains(name)) call(name, lineOf(((JCTree) tree).pos), "here", true);
      return super.visitMemberReference(tree, nothing);
    }

    void call(String name, int line, String target, boolean isWeak) {
      calls.add(String.format("{\"name\":%s,\"path\":%s,\"line\":%d,\"target\":\"%s\"%s}",
          text(name), text(path), line, target, isWeak ? ",\"isWeak\":true" : ""));
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
      ExpressionTree select = tree.getMethodSelect();
      String name = select instanceof MemberSelectTree ? ((MemberSelectTree) select).getIdentifier().toString()
          : select instanceof IdentifierTree ? ((IdentifierTree) select).getName().toString() : "";
      int line = lineOfName(name, ((JCTree) select).pos);
      if (methods.contains(name)) call(name, line, judge(tree), false);
      if (name.equals("getenv") && tree.getArguments().size() == 1) {
        Object value = ((JCTree.JCExpression) tree.getArguments().get(0)).type == null ? null
            : ((JCTree.JCExpression) tree.getArguments().get(0)).type.constValue();
        env.add(String.format("{\"name\":%s,\"path\":%s,\"line\":%d%s}", text(value instanceof String ? (String) value : ""),
            text(path), line, value instanceof String ? "" : ",\"isWeak\":true"));
      }
      return super.visitMethodInvocation(tree, nothing);
    }

    String judge(MethodInvocationTree tree) {
      Element element = trees.getElement(new TreePath(getCurrentPath(), tree.getMethodSelect()));
      if (!(element instanceof ExecutableElement) || element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR)
        return "unknown";
      Element owner = element.getEnclosingElement();
      while (owner != null && owner.getKind() != ElementKind.PACKAGE && trees.getTree(owner) == null)
        owner = owner.getEnclosingElement();
      return owner != null && owner.getKind() != ElementKind.PACKAGE ? "here" : "elsewhere";
    }
  }
}
