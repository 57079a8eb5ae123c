import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Writes the classes that pass every method of a JDBC interface on to another object, default
 * methods included, and equal what is behind them, so that the wrappers consist of nothing but what
 * they change.
 *
 * <p>It asks javac for the interfaces as Java 17 had them ({@code --release 17}), so the result is
 * the same on any JDK that builds us; a method that a later JDK adds is reached through its default.
 *
 * <p>Run by the build as {@code java DelegateGenerator.java OUTPUT_FOLDER}.
 */
public final class DelegateGenerator {

  /** What an application may change after it has set it. */
  private static final Set<String> MAY_CHANGE =
      Set.of(
          "byte[]",
          "java.lang.Object",
          "java.sql.Date",
          "java.sql.Time",
          "java.sql.Timestamp",
          "java.util.Calendar");

  private static final String PACKAGE = "io.txwatch.jdbc.wrap";

  /** What the classes for prepared statements name. */
  private static final List<String> IMPORTS =
      List.of(
          "io.txwatch.jdbc.execution.ExecutionContext",
          "io.txwatch.jdbc.parameter.ChangingValue",
          "io.txwatch.jdbc.parameter.ParameterSetter",
          "io.txwatch.jdbc.plan.CachedPlan",
          "io.txwatch.jdbc.plan.StatementOptions");

  /**
   * One class to write.
   *
   * @param jdbc the interface
   * @param superclass the class to extend, which serves the interface's own super-interfaces; empty
   *     for none
   * @param field the name of the field that holds the object behind
   * @param constructor more constructor parameters for the superclass, "Type name, Type name"
   * @param hooks what happens to the index or label that many of its methods begin with
   */
  private record Target(
      String jdbc, String superclass, String field, String constructor, Hooks hooks) {

    String simpleName() {
      return jdbc.substring(jdbc.lastIndexOf('.') + 1);
    }

    String className() {
      return "Delegating" + simpleName();
    }
  }

  /** How the first argument of a method is translated. */
  private enum Hooks {
    NONE,
    /** An int column index or a String label: {@code column(i)}, {@code label(s)}. */
    COLUMNS,
    /** An int parameter index of a setter: {@code place(i)}, and the setter is kept for replay. */
    SETTERS,
    /** An int parameter index: {@code place(i)}. */
    PARAMETERS,
    /** What comes back is a result: {@code result(r)}. */
    RESULTS
  }

  private static final List<Target> TARGETS =
      List.of(
          new Target("java.sql.Connection", "", "delegate", "", Hooks.NONE),
          new Target("java.sql.Statement", "", "delegate", "", Hooks.NONE),
          new Target(
              "java.sql.PreparedStatement",
              "WatchedStatement",
              "prepared",
              "ExecutionContext context, StatementOptions options",
              Hooks.SETTERS),
          new Target(
              "java.sql.CallableStatement",
              "WatchedPreparedStatement",
              "callable",
              "ExecutionContext context, StatementOptions options, CachedPlan plan, CachedPlan active",
              Hooks.NONE),
          new Target("java.sql.ResultSet", "", "delegate", "", Hooks.COLUMNS),
          new Target("java.sql.ResultSetMetaData", "", "delegate", "", Hooks.COLUMNS),
          new Target("java.sql.ParameterMetaData", "", "delegate", "", Hooks.PARAMETERS),
          new Target("java.sql.DatabaseMetaData", "", "delegate", "", Hooks.RESULTS));

  private DelegateGenerator() {}

  /** Writes all classes into the folder that is the one argument. */
  public static void main(String[] args) {
    Path folder = Path.of(args[0], PACKAGE.split("\\."));
    JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
    if (javac == null) {
      throw new IllegalStateException("a JDK is needed, this is a JRE: " + System.getProperty("java.home"));
    }
    JavaCompiler.CompilationTask task =
        javac.getTask(
            null,
            null,
            null,
            List.of("--release", "17", "-proc:only", "-implicit:none"),
            List.of("java.lang.Object"),
            null);
    task.setProcessors(List.of(new Writer(folder)));
    if (!task.call()) {
      throw new IllegalStateException("javac could not read the JDBC interfaces");
    }
    deleteOthers(Path.of(args[0]), folder);
  }

  /** What an older version of this program wrote elsewhere would still be compiled. */
  private static void deleteOthers(Path output, Path folder) {
    try (Stream<Path> files = Files.walk(output)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.getParent().equals(folder)) {
          Files.delete(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Writer extends AbstractProcessor {

    private final Path folder;

    Writer(Path folder) {
      this.folder = folder;
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
      return Set.of("*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return SourceVersion.latest();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
      if (!round.processingOver()) {
        try {
          Files.createDirectories(folder);
          for (Target target : TARGETS) {
            write(target);
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return false;
    }

    private void write(Target target) throws IOException {
      Path file = folder.resolve(target.className() + ".java");
      String text = source(target);
      if (!Files.exists(file) || !Files.readString(file).equals(text)) {
        Files.writeString(file, text);
      }
    }

    private String source(Target target) {
      boolean root = target.superclass().isEmpty();
      StringBuilder out = new StringBuilder();
      out.append("package ").append(PACKAGE).append(";\n\n");
      for (String imported : root ? List.<String>of() : IMPORTS) {
        out.append("import ").append(imported).append(";\n");
      }
      out.append("/** Passes every method of {@link ").append(target.jdbc());
      out.append("} on. Generated by DelegateGenerator, not to be edited. */\n");
      out.append("@javax.annotation.processing.Generated(\"DelegateGenerator\")\n");
      out.append("@org.jspecify.annotations.NullUnmarked\n");
      out.append("@SuppressWarnings({\"deprecation\", \"removal\", \"all\"})\n");
      out.append("abstract class ").append(target.className());
      out.append(root ? "" : " extends " + target.superclass());
      out.append(" implements ").append(target.jdbc()).append(" {\n\n");
      out.append("  /** The object behind. */\n");
      out.append("  protected ").append(target.jdbc()).append(' ').append(target.field()).append(";\n\n");
      out.append("  ").append(target.className()).append('(').append(target.jdbc()).append(" delegate");
      if (!target.constructor().isEmpty()) {
        out.append(", ").append(target.constructor());
      }
      out.append(") {\n");
      if (!root) {
        out.append("    super(delegate");
        for (String parameter : target.constructor().split(", ")) {
          out.append(", ").append(parameter.substring(parameter.indexOf(' ') + 1));
        }
        out.append(");\n");
      }
      out.append("    this.").append(target.field()).append(" = delegate;\n  }\n");
      out.append(hookMethods(target.hooks()));
      for (ExecutableElement method : methods(target.jdbc(), root)) {
        if (!root || !method.getSimpleName().contentEquals("isWrapperFor")) {
          out.append(method(target, method));
        }
      }
      out.append(root ? ofEveryWrapper(target) : "");
      return out.append("}\n").toString();
    }

    /** Two wrappers of one object are one, for a pool or an application that compares. */
    private static String ofEveryWrapper(Target target) {
      String field = target.field();
      return ("\n  @Override\n  public boolean isWrapperFor(Class<?> type) throws java.sql.SQLException {\n"
              + "    return Unwrap.isWrapperFor(this, FIELD, type);\n  }\n"
              + "\n  @Override\n  public boolean equals(Object other) {\n"
              + "    return FIELD.equals(other instanceof CLASS wrapper ? wrapper.FIELD : other);\n  }\n"
              + "\n  @Override\n  public int hashCode() {\n    return FIELD.hashCode();\n  }\n"
              + "\n  @Override\n  public String toString() {\n    return FIELD.toString();\n  }\n")
          .replace("FIELD", field)
          .replace("CLASS", target.className());
    }

    private static String hookMethods(Hooks hooks) {
      return switch (hooks) {
        case NONE -> "";
        case RESULTS ->
            "\n  /** A result as it is given on. */\n"
                + "  protected java.sql.ResultSet result(java.sql.ResultSet result) throws java.sql.SQLException {\n    return result;\n  }\n";
        case COLUMNS ->
            "\n  /** The index behind of a column. */\n"
                + "  protected int column(int index) throws java.sql.SQLException {\n    return index;\n  }\n"
                + "\n  /** The label behind of a column. */\n"
                + "  protected String label(String label) throws java.sql.SQLException {\n    return label;\n  }\n"
                + "\n  /** The error as the application is shown it, of a column. */\n"
                + "  protected java.sql.SQLException shown(java.sql.SQLException error, int index) {\n    return error;\n  }\n"
                + "\n  /** The same, of a label. */\n"
                + "  protected java.sql.SQLException shown(java.sql.SQLException error, String label) {\n    return error;\n  }\n";
        case PARAMETERS ->
            "\n  /** The place behind of a parameter. */\n"
                + "  protected int place(int index) throws java.sql.SQLException {\n    return index;\n  }\n"
                + "\n  /** The error as the application is shown it, of a parameter. */\n"
                + "  protected java.sql.SQLException shown(java.sql.SQLException error, int index) {\n    return error;\n  }\n";
        case SETTERS ->
            "\n  /** The place behind of a parameter. */\n"
                + "  protected abstract int place(int index) throws java.sql.SQLException;\n"
                + "\n  /** The error as the application is shown it, of a parameter. */\n"
                + "  protected abstract java.sql.SQLException shown(java.sql.SQLException error, int index);\n"
                + "\n  /** True if setters are to be kept. */\n"
                + "  protected abstract boolean keepsSetters();\n"
                + "\n  /** True if the hashes of values are to be kept too; then setters are. */\n"
                + "  protected abstract boolean keepsValues();\n"
                + "\n  /** Keeps the hash of a value that has been set. */\n"
                + "  protected abstract void keepValue(int index, long hash);\n"
                + "\n  /** Tells the value of a parameter. */\n"
                + "  protected abstract void valueSet(int index, long value);\n"
                + "\n  /** The same. */\n"
                + "  protected abstract void valueSet(int index, double value);\n"
                + "\n  /** The same; null for NULL. */\n"
                + "  protected abstract void valueSet(int index, Object value);\n"
                + "\n  /** The same of a value that is to be sent as a type of {@link java.sql.Types}. */\n"
                + "  protected abstract void valueSet(int index, Object value, int type);\n"
                + "\n  /** The same. */\n"
                + "  protected abstract void valueSet(int index, Object value, java.sql.SQLType type);\n"
                + "\n  /** Tells that a parameter has a value of another kind. */\n"
                + "  protected abstract void otherValueSet(int index);\n"
                + "\n  /** True if values are recorded in clear text. */\n"
                + "  protected abstract boolean recordsValues();\n"
                + "\n  /** Records the value of a parameter. */\n"
                + "  protected abstract void record(int index, io.txwatch.history.RecordedValue value);\n"
                + "\n  /** A value as the driver has it from now on, whatever the application makes of it. */\n"
                + "  protected abstract <T> T taken(T value);\n"
                + "\n  /** Keeps a setter that has been called. */\n"
                + "  protected abstract void keep(int index, ParameterSetter setter);\n"
                + "\n  /** Tells that a parameter is about to be set from a stream, which can be read once only. */\n"
                + "  protected abstract void beforeStream() throws java.sql.SQLException;\n";
      };
    }

    private List<ExecutableElement> methods(String jdbc, boolean inherited) {
      TypeElement type = processingEnv.getElementUtils().getTypeElement(jdbc);
      Map<String, ExecutableElement> found = new LinkedHashMap<>();
      var all =
          inherited
              ? processingEnv.getElementUtils().getAllMembers(type)
              : type.getEnclosedElements();
      for (ExecutableElement method : ElementFilter.methodsIn(all)) {
        boolean ofObject =
            method.getEnclosingElement().toString().equals("java.lang.Object");
        if (!ofObject && !method.getModifiers().contains(Modifier.STATIC)) {
          found.putIfAbsent(method.toString(), method);
        }
      }
      return new ArrayList<>(found.values());
    }

    private static String method(Target target, ExecutableElement method) {
      List<String> types =
          method.getParameters().stream().map(p -> p.asType().toString()).toList();
      String name = method.getSimpleName().toString();
      StringBuilder parameters = new StringBuilder();
      List<String> arguments = new ArrayList<>();
      for (int i = 0; i < types.size(); i++) {
        boolean last = i == types.size() - 1;
        String type = types.get(i);
        if (last && method.isVarArgs()) {
          type = type.substring(0, type.length() - 2) + "...";
        }
        parameters.append(i == 0 ? "" : ", ").append(type).append(" a").append(i);
        arguments.add("a" + i);
      }
      String generics =
          method.getTypeParameters().isEmpty()
              ? ""
              : method.getTypeParameters().stream()
                  .map(Object::toString)
                  .collect(Collectors.joining(", ", "<", "> "));
      String thrown =
          method.getThrownTypes().isEmpty()
              ? ""
              : method.getThrownTypes().stream()
                  .map(Object::toString)
                  .collect(Collectors.joining(", ", " throws ", ""));
      StringBuilder out = new StringBuilder("\n  @Override\n  public ");
      out.append(generics).append(method.getReturnType()).append(' ').append(name);
      out.append('(').append(parameters).append(')').append(thrown).append(" {\n");
      String hook = hook(target.hooks(), name, types);
      String keep = "";
      if (target.hooks() == Hooks.SETTERS && !hook.isEmpty()) {
        if (types.stream().anyMatch(DelegateGenerator::isStream)) {
          out.append("    beforeStream();\n");
        } else {
          keep = keep(name, types, arguments.subList(1, arguments.size()));
        }
      }
      if (target.hooks() == Hooks.SETTERS && !hook.isEmpty()) {
        keep =
            "    if (recordsValues()) {\n      record(a0, "
                + recorded(name, types)
                + ");\n    }\n"
                + keep;
        keep = "    " + valueSet(name, types) + ";\n" + keep;
      }
      if (!hook.isEmpty()) {
        arguments.set(0, hook + "(a0)");
      }
      boolean caught = !hook.isEmpty();
      out.append(caught ? "    try {\n      " : "    ");
      out.append(method.getReturnType().toString().equals("void") ? "" : "return ");
      boolean result =
          target.hooks() == Hooks.RESULTS
              && method.getReturnType().toString().equals("java.sql.ResultSet");
      out.append(result ? "result(" : "");
      out.append(target.field()).append('.').append(name).append('(');
      out.append(String.join(", ", arguments)).append(result ? "));\n" : ");\n");
      if (caught) {
        out.append("    } catch (java.sql.SQLException e) {\n      throw shown(e, a0);\n    }\n");
      }
      out.append(keep);
      out.append("  }\n");
      return out.toString();
    }

    private static String hook(Hooks hooks, String name, List<String> types) {
      if (types.isEmpty()) {
        return "";
      }
      String first = types.get(0);
      boolean index = first.equals("int");
      return switch (hooks) {
        case NONE, RESULTS -> "";
        case COLUMNS -> {
          boolean about =
              name.startsWith("get") || name.startsWith("update") || name.startsWith("is");
          if (index && about) {
            yield "column";
          }
          boolean labelled = about || name.equals("findColumn");
          yield first.equals("java.lang.String") && labelled ? "label" : "";
        }
        case SETTERS -> index && name.startsWith("set") && types.size() > 1 ? "place" : "";
        case PARAMETERS -> index ? "place" : "";
      };
    }
  }

  /** What is told of a setter's value: an integer, a number, an object, or that it is another. */
  private static String valueSet(String name, List<String> types) {
    if (name.equals("setObject") && types.size() == 3) {
      return "valueSet(a0, (Object) a1, a2)";
    }
    boolean inItsCalendar = types.size() == 3 && types.get(2).equals("java.util.Calendar");
    boolean plain = types.size() == 2 || name.equals("setNull") || inItsCalendar;
    return switch (plain ? name : "") {
      case "setByte", "setShort", "setInt", "setLong" -> "valueSet(a0, (long) a1)";
      case "setDouble" -> "valueSet(a0, a1)";
      case "setString", "setObject", "setBigDecimal", "setTimestamp", "setDate" ->
          "valueSet(a0, (Object) a1)";
      case "setNull" -> "valueSet(a0, (Object) null)";
      default -> "otherValueSet(a0)";
    };
  }

  /** A setter's value as it is recorded. */
  private static String recorded(String name, List<String> types) {
    String value = "io.txwatch.history.RecordedValue.of(";
    if (name.equals("setNull")) {
      return value + "null)";
    }
    boolean isStream = types.stream().anyMatch(DelegateGenerator::isStream);
    if (isStream || (types.size() > 2 && types.get(2).equals("long"))) {
      return "io.txwatch.history.RecordedValue.UNKNOWN";
    }
    if (types.size() == 2) {
      return value + "a1)";
    }
    return "io.txwatch.jdbc.parameter.RecordedParameters.of(a1, a2)";
  }

  /** Keeps a setter that was called, with values as the driver has them from now on. */
  private static String keep(String name, List<String> types, List<String> values) {
    StringBuilder taken = new StringBuilder();
    List<String> kept = new ArrayList<>(values);
    for (int i = 0; i < values.size(); i++) {
      String type = types.get(i + 1);
      if (MAY_CHANGE.contains(type)) {
        taken.append("      %1$s k%2$d = taken(a%2$d);\n".formatted(type, i + 1));
        kept.set(i, "k" + (i + 1));
      }
    }
    String setter = "(s, i) -> s.%s(i, %s)".formatted(name, String.join(", ", kept));
    if (MAY_CHANGE.contains(types.get(1))) {
      kept.set(0, "v");
      setter =
          "new ChangingValue<>(k1, (s, i, v) -> s.%s(i, %s))"
              .formatted(name, String.join(", ", kept));
    }
    return "    if (keepsSetters()) {\n"
        + taken
        + "      keep(a0, "
        + setter
        + ");\n      if (keepsValues()) {\n        keepValue(a0, io.txwatch.capture.PredicateHash.value("
        + (name + types).hashCode()
        + "L, "
        + String.join(", ", values)
        + "));\n      }\n    }\n";
  }

  private static boolean isStream(String type) {
    String name = type.toLowerCase(Locale.ROOT);
    return name.endsWith("inputstream") || name.endsWith("reader");
  }
}
