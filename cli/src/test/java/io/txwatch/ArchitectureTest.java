package io.txwatch;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The only arrows between the modules. */
class ArchitectureTest {

  /** A module: the packages that live there, and the modules that they may import. */
  private record Module(List<String> packages, List<String> mayImport) {}

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.txwatch");

  private static Map<String, Module> table() {
    Map<String, Module> table = new LinkedHashMap<>();
    // Two rows for the module history: what users may type is for everybody, the events are not.
    table.put("settings", new Module(List.of("settings"), List.of()));
    table.put("history", new Module(List.of("history", "link"), List.of("settings")));
    table.put(
        "analyzer",
        new Module(
            List.of(
                "analyzer",
                "dependency",
                "graph",
                "anomaly",
                "guarantee",
                "report",
                "format",
                "register",
                "serve"),
            List.of("history", "settings")));
    table.put(
        "proxy-driver",
        new Module(List.of("jdbc", "sql", "capture", "prepare"), List.of("history", "settings")));
    table.put(
        "fuzzer",
        new Module(
            List.of("testcase", "dbms", "schedule", "oracle", "generator", "campaign"),
            List.of("history", "settings", "analyzer", "proxy-driver")));
    table.put("agent", new Module(List.of("agent"), List.of("proxy-driver")));
    table.put("servers", new Module(List.of("servers"), List.of()));
    table.put("demo-app", new Module(List.of("demo"), List.of()));
    table.put(
        "cli",
        new Module(
            List.of("cli"),
            List.of(
                "history", "settings", "analyzer", "proxy-driver", "agent", "fuzzer", "servers")));
    table.put(
        "bench",
        new Module(
            List.of("bench"),
            List.of(
                "history", "settings", "analyzer", "proxy-driver", "agent", "fuzzer", "servers")));
    return table;
  }

  @Test
  void everyArrowIsInTheTable() {
    architecture(table()).check(CLASSES);
  }

  @Test
  void anArrowThatIsNotInTheTableIsFound() {
    Map<String, Module> table = table();
    table.computeIfPresent(
        "analyzer", (name, module) -> new Module(module.packages(), List.of("settings")));

    assertThat(architecture(table).evaluate(CLASSES).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("io.txwatch.anomaly.Anomaly"));
  }

  @Test
  void aPackageThatBelongsToNoModuleIsFound() {
    Map<String, Module> table = table();
    table.remove("proxy-driver");
    table.replaceAll(
        (name, module) -> {
          List<String> mayImport = new ArrayList<>(module.mayImport());
          mayImport.remove("proxy-driver");
          return new Module(module.packages(), mayImport);
        });

    assertThat(architecture(table).evaluate(CLASSES).getFailureReport().getDetails())
        .anyMatch(detail -> detail.contains("io.txwatch.sql.RewritePlan"));
  }

  private static LayeredArchitecture architecture(Map<String, Module> table) {
    LayeredArchitecture architecture =
        layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("io.txwatch..")
            .withOptionalLayers(true);
    for (Map.Entry<String, Module> module : table.entrySet()) {
      String[] packages =
          module.getValue().packages().stream()
              .map(name -> "io.txwatch." + name + "..")
              .toArray(String[]::new);
      architecture = architecture.layer(module.getKey()).definedBy(packages);
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
