package io.txwatch;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The dependencies between modules and packages, and the rules for names that a compiler does not
 * check.
 */
class ArchitectureTest {

  /** Limits are {@code MAX_…} and {@code MIN_…}; nothing is named for what it is not. */
  private static final String COLLOQUIAL_CONSTANT =
      "(.*_)?(MOST|LEAST|SELDOM|NOBODY|AT_ONCE)(_.*)?";

  /** The package {@code io.txwatch} itself, the public API, without those below it. */
  private static final String ROOT = "";

  /** A module: the packages that live there, and the modules that they may import. */
  private record Module(List<String> packages, List<String> mayImport) {}

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.txwatch");

  private static Map<String, Module> table() {
    Map<String, Module> table = new LinkedHashMap<>();
    table.put("sql", new Module(List.of("sql"), List.of()));
    // Two rows for the module history: every module may use the settings, but not the events.
    table.put("settings", new Module(List.of("settings"), List.of()));
    table.put("history", new Module(List.of("history", "link"), List.of("settings")));
    table.put("changes", new Module(List.of("changes"), List.of("history", "settings")));
    table.put(
        "analyzer",
        new Module(
            List.of(
                ROOT,
                "analyzer",
                "coverage",
                "dependency",
                "version",
                "graph",
                "anomaly",
                "baseline",
                "comparison",
                "guarantee",
                "rules",
                "report",
                "format",
                "register",
                "listappend",
                "live",
                "slice",
                "stale",
                "deadlock",
                "metrics",
                "page",
                "document",
                "serve"),
            List.of("sql", "history", "settings")));
    table.put("kafka", new Module(List.of("kafka"), List.of("history")));
    table.put(
        "flink",
        new Module(List.of("flink"), List.of("history", "settings", "analyzer", "changes")));
    table.put(
        "proxy-driver",
        new Module(
            List.of(
                "jdbc",
                "plan",
                "rewrite",
                "statement",
                "dialect",
                "capture",
                "catalog",
                "prepare",
                "product"),
            List.of("sql", "history", "settings", "changes")));
    table.put(
        "interleave",
        new Module(
            List.of("interleave", "predict"),
            List.of("sql", "history", "settings", "analyzer", "proxy-driver")));
    table.put(
        "fuzzer",
        new Module(
            List.of(
                "testcase",
                "pattern",
                "dbms",
                "schedule",
                "oracle",
                "generator",
                "reduction",
                "campaign",
                "proof"),
            List.of(
                "sql",
                "history",
                "settings",
                "changes",
                "analyzer",
                "proxy-driver",
                "interleave")));
    table.put("agent", new Module(List.of("agent"), List.of("proxy-driver")));
    table.put(
        "junit",
        new Module(
            List.of("junit"),
            List.of("history", "settings", "analyzer", "proxy-driver", "interleave", "agent")));
    table.put(
        "spring-boot-starter",
        new Module(
            List.of("spring"),
            List.of("history", "settings", "analyzer", "proxy-driver", "agent")));
    table.put("servers", new Module(List.of("servers"), List.of()));
    table.put("demo-app", new Module(List.of("demo"), List.of()));
    table.put("mcp", new Module(List.of("mcp"), List.of()));
    table.put(
        "cli",
        new Module(
            List.of("cli"),
            List.of(
                "sql",
                "history",
                "settings",
                "changes",
                "analyzer",
                "proxy-driver",
                "agent",
                "interleave",
                "fuzzer",
                "servers")));
    table.put(
        "bench",
        new Module(
            List.of("bench"),
            List.of(
                "sql",
                "history",
                "settings",
                "analyzer",
                "proxy-driver",
                "agent",
                "fuzzer",
                "servers")));
    return table;
  }

  @Test
  void everyDependencyIsInTheTable() {
    architecture(table()).check(CLASSES);
  }

  @Test
  void forbiddenDependencyIsFound() {
    Map<String, Module> table = table();
    table.computeIfPresent(
        "analyzer", (name, module) -> new Module(module.packages(), List.of("sql", "settings")));

    assertThat(architecture(table).evaluate(CLASSES).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("io.txwatch.anomaly.Anomaly"));
  }

  @Test
  void packageWithoutAModuleIsFound() {
    Map<String, Module> table = table();
    table.remove("proxy-driver");
    table.replaceAll(
        (name, module) -> {
          List<String> mayImport = new ArrayList<>(module.mayImport());
          mayImport.remove("proxy-driver");
          return new Module(module.packages(), mayImport);
        });

    assertThat(architecture(table).evaluate(CLASSES).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("io.txwatch.plan.RewritePlan"));
  }

  @Test
  void onlyTheExtensionForJUnitAndTheStarterImportThePublicApi() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.txwatch", "io.txwatch.junit", "io.txwatch.spring")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.txwatch")
        .check(CLASSES);
  }

  /** Their texts would name operators and functions that users may have defined. */
  @Test
  void queriesOfPostgresQualifyTheirNames() {
    noClasses()
        .that()
        .haveSimpleNameStartingWith("Postgres")
        .and()
        .doNotHaveSimpleName("PostgresQueries")
        .should()
        .callMethodWhere(target(name("query")).and(target(owner(simpleName("CatalogQueries")))))
        .check(CLASSES);
  }

  @Test
  void packagesFormNoCycles() {
    slices()
        .matching("io.txwatch.(**)")
        .should()
        .beFreeOfCycles()
        // The main class of the benchmarks lists its commands in an annotation.
        .ignoreDependency(name("io.txwatch.bench.Bench"), alwaysTrue())
        .check(CLASSES);
  }

  /**
   * The classes of a statement's way, from the wrappers to the driver, can be read in one order.
   */
  @Test
  void classesOfTheDriverFormNoCycles() {
    slices()
        .assignedFrom(new OutermostClasses("io.txwatch.jdbc"))
        .should()
        .beFreeOfCycles()
        .check(CLASSES);
  }

  @Test
  void otherModulesUseThePublicTypesOfTheDriverAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.txwatch.jdbc..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("io.txwatch.jdbc.*..")
                .and(not(resideInAnyPackage("io.txwatch.jdbc.gate")))) // for the interleaver
        .check(CLASSES);
    assertThat(
            CLASSES.stream()
                .filter(type -> type.getPackageName().equals("io.txwatch.jdbc"))
                .filter(type -> type.isTopLevelClass() && type.getModifiers().contains(PUBLIC))
                .map(JavaClass::getSimpleName))
        .containsExactlyInAnyOrder(
            "ConnectionWatcher",
            "TxWatchDataSource",
            "TxWatchDriver",
            "TxWatchXADataSource",
            "Watch");
  }

  /** Each class of a package and of those below it, with the classes nested in it. */
  private record OutermostClasses(String in) implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      boolean belongs =
          type.getPackageName().equals(in) || type.getPackageName().startsWith(in + ".");
      return belongs
          ? SliceIdentifier.of(type.getName().replaceAll("\\$.*", ""))
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "classes of " + in;
    }
  }

  /** From text to tree, to questions about the tree, to plans. */
  @Test
  void sqlDependsInOneDirection() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage(
            "io.txwatch.sql..",
            "io.txwatch.dialect",
            "io.txwatch.plan",
            "io.txwatch.statement",
            "io.txwatch.rewrite")
        .layer("text")
        .definedBy("io.txwatch.sql..")
        .layer("additions")
        .definedBy("io.txwatch.dialect")
        .layer("plans")
        .definedBy("io.txwatch.plan")
        .layer("statements")
        .definedBy("io.txwatch.statement")
        .layer("rewrite")
        .definedBy("io.txwatch.rewrite")
        .whereLayer("rewrite")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("statements")
        .mayOnlyBeAccessedByLayers("rewrite")
        .whereLayer("plans")
        .mayOnlyBeAccessedByLayers("statements", "rewrite")
        .whereLayer("additions")
        .mayOnlyBeAccessedByLayers("plans", "statements", "rewrite")
        .check(CLASSES);
  }

  @Test
  void onlyThePlannersOfTheRewritersArePublic() {
    classes()
        .that()
        .resideInAPackage("io.txwatch.rewrite")
        .and()
        .areTopLevelClasses()
        .and()
        .arePublic()
        .should()
        .haveSimpleName("RewritePlanner")
        .orShould()
        .haveSimpleName("UntouchedPlanner")
        .check(CLASSES);
  }

  /** Whatever is to be known of a text that the application sends is read from the same tokens. */
  @Test
  void theDriverTokenizesInFewPlaces() {
    assertThat(
            CLASSES.that(livesIn(Objects.requireNonNull(table().get("proxy-driver")))).stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> call.getTargetOwner().getSimpleName().equals("Tokenizer"))
                .filter(call -> call.getName().equals("tokenize"))
                .map(
                    call ->
                        call.getOriginOwner().getSimpleName() + "." + call.getOrigin().getName())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "RewritePlanner.tokens",
            "UntouchedPlanner.tokens",
            "RewritePlanner.comparedKey", // while a gate is installed
            "CalledNames.of", // while a gate is installed
            "PlainView.of", // the query of a view
            "ServerText.<init>"); // a position in an error
  }

  @Test
  void typeNamesAreUniqueWithinAModule() {
    table()
        .forEach(
            (name, module) ->
                assertThat(typeNamesUsedTwice(module))
                    .as("type names that %s uses twice", name)
                    .isEmpty());
  }

  private static Set<String> typeNamesUsedTwice(Module module) {
    return CLASSES.that(livesIn(module)).stream()
        .filter(JavaClass::isTopLevelClass)
        .filter(type -> !type.getPackageName().endsWith(".wire")) // generated by protoc
        .collect(Collectors.groupingBy(JavaClass::getSimpleName, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(entry -> entry.getValue() > 1 && !entry.getKey().equals("package-info"))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void limitsAreNamedMaxAndMin() {
    constantNames().check(CLASSES);
  }

  @Test
  void limitNamedMostIsFound() {
    assertThat(
            constantNames()
                .evaluate(new ClassFileImporter().importClasses(LimitNamedMost.class))
                .hasViolation())
        .isTrue();
  }

  private static ArchRule constantNames() {
    return fields()
        .that()
        .areStatic()
        .and()
        .areFinal()
        .should()
        .haveNameNotMatching(COLLOQUIAL_CONSTANT)
        .allowEmptyShould(true);
  }

  @SuppressWarnings("unused") // read from its class file
  private static final class LimitNamedMost {
    static final int MOST_ROWS = 1;
  }

  private static DescribedPredicate<JavaClass> livesIn(Module module) {
    return resideInAnyPackage(packages(module));
  }

  private static String[] packages(Module module) {
    return module.packages().stream()
        .map(name -> name.equals(ROOT) ? "io.txwatch" : "io.txwatch." + name + "..")
        .toArray(String[]::new);
  }

  private static LayeredArchitecture architecture(Map<String, Module> table) {
    LayeredArchitecture architecture =
        layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.txwatch..")
            .withOptionalLayers(true);
    for (Map.Entry<String, Module> module : table.entrySet()) {
      architecture = architecture.layer(module.getKey()).definedBy(packages(module.getValue()));
    }
    for (Map.Entry<String, Module> module : table.entrySet()) {
      String[] mayImport = module.getValue().mayImport().toArray(String[]::new);
      architecture =
          mayImport.length == 0
              ? architecture.whereLayer(module.getKey()).mayNotAccessAnyLayer()
              : architecture.whereLayer(module.getKey()).mayOnlyAccessLayers(mayImport);
    }
    return architecture.ensureAllClassesAreContainedInArchitectureIgnoring("io.txwatch.endtoend..");
  }
}
