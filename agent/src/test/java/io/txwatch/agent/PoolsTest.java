package io.txwatch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.prepare.Preparation;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.example.pools.PoolApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pools, raw and watched: in three concurrent JVMs, each with databases of its own. */
class PoolsTest {

  private static final Pattern LOST =
      Pattern.compile("\"phenomenon\":\"LOST_UPDATE\".*?\"table\":\"account_(\\w+)\"");

  /** What the application prints, but not Atomikos. */
  private static final Pattern LINE = Pattern.compile("(?:postgresql|mariadb|mysql) \\w+: .*");

  /**
   * The expected output of each pool; Agroal, and Atomikos without a transaction of its own,
   * commit.
   */
  private static final Pattern RIGHT =
      Pattern.compile(
          ".* (?:agroal|atomikos): 3 connections, one more is .*, balances 101 102 103, .*"
              + ", valid true, left 0"
              + "|.*: 3 connections, (?:unbounded|one more is .*Exception .*)"
              + ", balances 100 102 103, auto true, valid true, left 0");

  /** Any line of txwatch but the one that names where row versions come from. */
  private static final Pattern UNEXPECTED =
      Pattern.compile("txwatch: (?!(?:no )?row versions come from ).*");

  private final Path directory;

  PoolsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @Test
  void everyPoolBehavesAsUnwatchedAndItsLostUpdatesAreReported() throws Exception {
    List<ServerKind> kinds =
        TestServers.concurrentKinds().filter(kind -> kind != ServerKind.H2).toList();
    CompletableFuture<ChildJvm> raw = run("raw", kinds, "jdbc:", List.of());
    CompletableFuture<ChildJvm> agent = run("agent", kinds, "jdbc:", List.of("agent"));
    CompletableFuture<ChildJvm> url = run("url", kinds, "jdbc:txwatch:", List.of());

    assertThat(lines(raw.join()))
        .hasSizeGreaterThan(10 * kinds.size())
        .allMatch(RIGHT.asMatchPredicate());
    assertThat(lines(agent.join())).isEqualTo(lines(raw.join()));
    assertThat(lines(url.join())).hasSize(7 * kinds.size()).isSubsetOf(lines(raw.join()));
    assertThat(agent.join().errors().lines()).noneMatch(UNEXPECTED.asMatchPredicate());
    assertThat(url.join().errors().lines()).noneMatch(UNEXPECTED.asMatchPredicate());
    assertThat(lost("agent")).isEqualTo(used(agent.join()));
    assertThat(lost("url")).isEqualTo(used(url.join()));
  }

  private CompletableFuture<ChildJvm> run(
      String way, List<ServerKind> kinds, String prefix, List<String> agent) throws Exception {
    Path own = Files.createDirectory(directory.resolve(way));
    List<String> arguments = new ArrayList<>(List.of(prefix));
    for (ServerKind kind : kinds) {
      arguments.add(database(kind));
      arguments.add(TestServers.of(kind).url());
    }
    List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    if (agent.isEmpty()) {
      options.add("-Dtxwatch.report=" + report(way));
      options.add("-Dtxwatch.log=none");
    } else {
      options.add(ChildJvm.agent(own, "log=none,report=" + report(way)));
    }
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return ChildJvm.run(own, options, PoolApplication.class, arguments);
          } catch (IOException | InterruptedException e) {
            throw new CompletionException(e);
          }
        });
  }

  private static String database(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    PoolApplication.createTables(url);
    try (Connection connection = DriverManager.getConnection(url)) {
      Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(5));
      if (preparation.isPossible()) {
        assertThat(preparation.execute(preparation.planPrepare(List.of())).complete()).isTrue();
      }
    }
    return url;
  }

  private Path report(String way) {
    return directory.resolve(way + ".jsonl");
  }

  /** The pools of which a lost update was found, once for each server. */
  private List<String> lost(String way) throws IOException {
    List<String> pools = new ArrayList<>();
    for (String line : Files.readAllLines(report(way), StandardCharsets.UTF_8)) {
      Matcher lost = LOST.matcher(line);
      if (lost.find()) {
        pools.add(lost.group(1));
      }
    }
    return pools.stream().sorted().toList();
  }

  private static List<String> used(ChildJvm jvm) {
    return lines(jvm).stream()
        .map(line -> line.replaceFirst("\\w+ (\\w+):.*", "$1"))
        .sorted()
        .toList();
  }

  private static List<String> lines(ChildJvm jvm) {
    return jvm.lines().stream().filter(LINE.asMatchPredicate()).toList();
  }
}
