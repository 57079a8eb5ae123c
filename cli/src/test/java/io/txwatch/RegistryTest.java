package io.txwatch;

import static com.tngtech.archunit.core.domain.JavaModifier.ABSTRACT;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each package of a DBMS is in the registry of its module. */
class RegistryTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.txwatch");

  /** Packages that several DBMSs share. */
  private static final Set<String> SHARED = Set.of("innodb", "support");

  @ParameterizedTest
  @CsvSource({
    "rules, rules.registry.RulesRegistry, rules.DbmsRules",
    "dbms, dbms.registry.DbmsRegistry, dbms.support.DbmsSupport",
    "product, product.registry.Products, product.WatchedProduct",
    "interleave.product, interleave.product.registry.InterleavedProducts,"
        + " interleave.product.InterleavedProduct"
  })
  void registryHasEachPackage(String in, String registry, String type) {
    String parent = "io.txwatch." + in + ".";
    Set<String> created =
        CLASSES.get("io.txwatch." + registry).getConstructorCallsFromSelf().stream()
            .map(call -> call.getTargetOwner().getName())
            .collect(Collectors.toSet());
    List<JavaClass> inPackages =
        CLASSES.stream()
            .filter(one -> one.getPackageName().startsWith(parent))
            .filter(one -> !one.getPackageName().equals(parent + "registry"))
            .toList();
    Set<String> registered = new TreeSet<>();
    for (JavaClass one : inPackages) {
      if (one.isAssignableTo("io.txwatch." + type) && !one.getModifiers().contains(ABSTRACT)) {
        assertThat(created).contains(one.getName());
        registered.add(one.getPackageName());
      }
    }

    assertThat(registered)
        .hasSizeGreaterThan(3)
        .containsExactlyInAnyOrderElementsOf(
            inPackages.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !SHARED.contains(name.substring(parent.length())))
                .collect(Collectors.toSet()));
  }
}
