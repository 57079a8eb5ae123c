package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.ApplicationClasses.Rank;
import io.txwatch.capture.CodeLocations.Holds;
import io.txwatch.history.CallSite;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which line is the application's, by how the application is packed. */
class ApplicationFramesTest {

  private static final String CONTROLLER = "org.springframework.samples.petclinic.OwnerController";
  private static final String DAO = "org.springframework.samples.dao.OwnerDao";
  private static final String MAPPER = "com.example.mapper.Session";
  private static final String SERVER = "org.apache.catalina.core.FilterChain";
  private static final String DRIVER = "org.postgresql.Driver";

  /** From the server in: each calls the next one, the last one what finds the place. */
  private static final List<String> CHAIN = List.of(SERVER, CONTROLLER, DAO, MAPPER, DRIVER);

  @TempDir private static Path compiled = Path.of("");

  @TempDir private Path directory = Path.of("");

  @BeforeAll
  static void compile() throws IOException {
    List<String> files = new ArrayList<>();
    for (String name : CHAIN) {
      int end = name.lastIndexOf('.');
      Path file = compiled.resolve("src").resolve(name.replace('.', '/') + ".java");
      Files.createDirectories(file.getParent());
      Files.writeString(
          file,
          """
          package %1$s;
          public class %2$s implements java.util.function.Supplier<String> {
            private final java.util.function.Supplier<String> next;
            public %2$s(java.util.function.Supplier<String> next) { this.next = next; }
            public String get() {
              return next.get();
            }
          }
          """
              .formatted(name.substring(0, end), name.substring(end + 1)));
      files.add(file.toString());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", classes().toString()));
    arguments.addAll(files);
    assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new))).isZero();
  }

  private static Path classes() {
    return compiled.resolve("classes");
  }

  /** Packs classes into a directory or a jar. */
  private URL pack(String place, String... names) throws IOException {
    Path target = directory.resolve(place);
    Files.createDirectories(target.getParent());
    if (place.endsWith(".jar")) {
      try (OutputStream out = Files.newOutputStream(target);
          JarOutputStream jar = new JarOutputStream(out)) {
        for (String name : names) {
          String entry = name.replace('.', '/') + ".class";
          jar.putNextEntry(new JarEntry(entry.substring(0, entry.lastIndexOf('/') + 1)));
          jar.putNextEntry(new JarEntry(entry));
          jar.write(Files.readAllBytes(classes().resolve(entry)));
        }
      }
    } else {
      for (String name : names) {
        Path file = target.resolve(name.replace('.', '/') + ".class");
        Files.createDirectories(file.getParent());
        Files.copy(classes().resolve(name.replace('.', '/') + ".class"), file);
      }
    }
    return target.toUri().toURL();
  }

  /** The place that is found at the end of the chain. */
  private static String found(String packages, URL... places) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
      Supplier<?> call = CallSites.of(packages)::current;
      for (int i = CHAIN.size() - 1; i >= 0; i--) {
        Class<?> link = loader.loadClass(CHAIN.get(i));
        call = (Supplier<?>) link.getConstructor(Supplier.class).newInstance(call);
      }
      return CallSite.place(String.valueOf(call.get()));
    }
  }

  @ParameterizedTest
  @CsvSource({"app/BOOT-INF/classes", "webapps/petclinic/WEB-INF/classes", "target/classes"})
  void classesInTheApplicationsDirectoryAreTheApplications(String place) throws Exception {
    assertThat(
            found(
                "",
                pack(place, CONTROLLER, DAO),
                pack("lib/mapper.jar", MAPPER),
                pack("lib/server.jar", SERVER),
                pack("lib/driver.jar", DRIVER)))
        .isEqualTo("OwnerDao.java:6");
  }

  @Test
  void jarWithTheApplicationsPackagePrefixIsTheApplications() throws Exception {
    assertThat(rank("com.acme.dao.Orders", Holds.OTHER, "com.acme.shop.Main"))
        .isEqualTo(Rank.APPLICATION);
    assertThat(rank("com.acme.dao.Orders", Holds.OTHER, "")).isEqualTo(Rank.UNKNOWN);
    assertThat(ApplicationClasses.owner("com.acme.dao.Orders")).isEqualTo("com.acme");
    assertThat(ApplicationClasses.owner("org.apache.fineract.Loans"))
        .isEqualTo("org.apache.fineract");
    assertThat(ApplicationClasses.owner("Main")).isEqualTo("Main");
    assertThat(ApplicationClasses.owner("shop.Main")).isEqualTo("shop.Main");
  }

  @Test
  void configuredPackagesTakePrecedence() throws Exception {
    URL[] places = {
      pack("target/classes", CONTROLLER, DAO),
      pack("lib/mapper.jar", MAPPER),
      pack("lib/server.jar", SERVER),
      pack("lib/driver.jar", DRIVER)
    };
    assertThat(found("com.example.mapper", places)).isEqualTo("Session.java:6");
    assertThat(found("com.nobody, org.springframework.samples.petclinic", places))
        .isEqualTo("OwnerController.java:6");
    assertThat(found("org.spring", places)).isEqualTo("OwnerDao.java:6"); // no package
  }

  @Test
  void inAFatJarNamesDecide() throws Exception {
    String[] all = CHAIN.toArray(String[]::new);
    for (String place : List.of("exploded", "fat.jar")) {
      URL packed = pack(place, all);
      assertThat(found("", packed)).isEqualTo("Session.java:6");
      assertThat(found("org.springframework.samples", packed)).isEqualTo("OwnerDao.java:6");
    }
  }

  @Test
  void locationsAreClassifiedByContent() throws Exception {
    Path fat = Path.of(pack("fat.jar", CHAIN.toArray(String[]::new)).toURI());
    Path thin = Path.of(pack("thin.jar", CONTROLLER, DAO).toURI());
    assertThat(CodeLocations.inspect(fat.toUri().toString(), fat)).isEqualTo(Holds.BOTH);
    assertThat(CodeLocations.inspect(fat.toUri().toString(), null)).isEqualTo(Holds.OTHER);
    assertThat(CodeLocations.inspect(thin.toUri().toString(), thin)).isEqualTo(Holds.APPLICATION);
    for (String nested :
        List.of(
            "jar:nested:/app.jar/!BOOT-INF/classes/!/",
            "jar:file:/app.jar!/BOOT-INF/classes!/",
            "vfs:/content/shop.war/WEB-INF/classes")) {
      assertThat(CodeLocations.inspect(nested, null)).isEqualTo(Holds.APPLICATION);
    }
    for (String other :
        List.of("jar:nested:/app.jar/!BOOT-INF/lib/x.jar!/", "http://h/x.jar", "file:%zz", "")) {
      assertThat(CodeLocations.inspect(other, null)).isEqualTo(Holds.OTHER);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "com.acme.shop.Orders, OTHER, '', UNKNOWN",
    "com.acme.shop.OrdersKt, APPLICATION, '', APPLICATION",
    "com.acme.shop.Orders$$anonfun$1, BOTH, com.acme.Main, APPLICATION",
    "com.acme.shop.Orders$_run_closure1, BOTH, com.other.Main, UNKNOWN",
    "org.hibernate.Session, OTHER, '', NONE",
    "org.hibernate.Session, BOTH, com.acme.Main, NONE",
    "org.hibernate.Session, BOTH, org.Main, NONE",
    "org.springframework.samples.petclinic.vet.Vets, BOTH, org.springframework.samples.petclinic.Main, APPLICATION",
    "org.springframework.jdbc.core.JdbcTemplate, BOTH, org.springframework.samples.petclinic.Main, NONE",
    "kotlin.collections.Maps, OTHER, '', NONE",
    "groovy.sql.Sql, OTHER, '', NONE",
  })
  void rankDependsOnLocationAndMainClass(String name, Holds place, String main, Rank expected) {
    assertThat(rank(name, place, main)).isEqualTo(expected);
  }

  @Test
  void generatedClassesHaveRankNone() {
    for (String name :
        List.of(
            "com.acme.Shop$$SpringCGLIB$$0",
            "com.acme.Shop$$EnhancerBySpringCGLIB$$1",
            "jdk.proxy2.$Proxy12",
            "com.acme.Shop$HibernateProxy$x",
            "io.txwatch.jdbc.wrap.WatchedStatement")) {
      assertThat(KnownLibraries.isNever(name)).isTrue();
    }
    assertThat(KnownLibraries.isNever("com.acme.Shop")).isFalse();
  }

  @Test
  void classWithoutACodeSourceIsRankedByName() throws Exception {
    byte[] bytes = Files.readAllBytes(classes().resolve(MAPPER.replace('.', '/') + ".class"));
    ClassLoader loader =
        new ClassLoader(ClassLoader.getPlatformClassLoader()) {
          @Override
          protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
          }
        };
    ApplicationClasses classes = new ApplicationClasses(List.of());
    assertThat(classes.rank(loader.loadClass(MAPPER))).isEqualTo(Rank.UNKNOWN);
    assertThat(Arrays.asList(Rank.values())).startsWith(Rank.NONE).endsWith(Rank.NAMED);
  }

  private static Rank rank(String name, Holds place, String main) {
    return new ApplicationClasses(List.of()).rank(name, place, main);
  }
}
