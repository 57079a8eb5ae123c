package io.txwatch.cli;

import io.txwatch.history.Product;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What the commands need to know of a DBMS whose driver is in the jar, by a URL's subprotocol. */
enum CommandDbms {
  POSTGRESQL("postgresql", Set.of("information_schema", "pg_catalog")) {
    @Override
    Optional<DemoDatabase> demo() {
      return Optional.of(DemoDatabase.server(this, PostgresServer::start));
    }

    @Override
    Optional<String> tlsAdvice(String failure) {
      return failure.contains("does not support SSL")
          ? Optional.of("sslmode=disable in the URL connects without TLS")
          : failure.contains("no encryption")
              ? Optional.of("sslmode=require in the URL connects with TLS")
              : Optional.empty();
    }

    @Override
    Optional<String> certificateAdvice() {
      return Optional.of(
          "name the certificate by sslrootcert=FILE, or use sslmode=require in the URL"
              + " to encrypt without verifying it");
    }
  },

  MYSQL("mysql-connector-j", Schemas.OF_MYSQL) {
    @Override
    boolean isConnectedToServer() {
      return true;
    }

    @Override
    Optional<String> tlsAdvice(String failure) {
      return publicKeyAdvice(failure, "REQUIRED");
    }

    @Override
    Optional<String> certificateAdvice() {
      return Optional.of(
          "name the certificates by trustCertificateKeyStoreUrl=URL, or add"
              + " sslMode=REQUIRED to the URL to encrypt without verifying them");
    }
  },

  MARIADB("mariadb-java-client", Schemas.OF_MYSQL) {
    @Override
    Optional<DemoDatabase> demo() {
      return Optional.of(DemoDatabase.server(this, MariaDbServer::start));
    }

    @Override
    boolean isConnectedToServer() {
      return true;
    }

    /** The driver requires TLS by default. */
    @Override
    Optional<String> withoutTls(String url, String failure) {
      boolean mayBePlain =
          url.matches("jdbc:mariadb://(localhost|127\\.[0-9.]+|\\[::1]|)[:/?].*")
              && !url.matches("(?i).*[?&](sslMode|useSsl)=.*")
              && failure.contains(NO_TLS_AT_SERVER);
      return mayBePlain
          ? Optional.of(url + (url.contains("?") ? "&" : "?") + "sslMode=disable")
          : Optional.empty();
    }

    @Override
    Optional<String> tlsAdvice(String failure) {
      return failure.contains(NO_TLS_AT_SERVER)
          ? Optional.of("add sslMode=disable to the URL to connect without TLS")
          : publicKeyAdvice(failure, "trust");
    }

    @Override
    Optional<String> certificateAdvice() {
      return Optional.of(
          "name the server's certificate by serverSslCert=FILE, or add sslMode=trust to the URL"
              + " to encrypt without verifying it");
    }
  },

  H2("h2", Set.of("information_schema")) {
    @Override
    Optional<DemoDatabase> demo() {
      return Optional.of(
          DemoDatabase.embedded(this, phase -> "jdbc:h2:mem:" + phase + ";DB_CLOSE_DELAY=-1"));
    }

    @Override
    String existing(String url) {
      return url.matches("(?i)jdbc:h2:(mem|tcp|ssl|zip):.*|.*;IFEXISTS=.*")
          ? url
          : url + ";IFEXISTS=TRUE";
    }

    @Override
    Optional<String> named(String url, String name) {
      return url.matches("jdbc:h2:mem:(;.*)?")
          ? Optional.of(url.replaceFirst("mem:", "mem:" + name))
          : Optional.empty();
    }
  },

  SQLITE("sqlite-jdbc", Set.of()) {
    /** Opened to read and to write, and not to be created. */
    @Override
    String existing(String url) {
      return url.matches("jdbc:sqlite:(|:.*|.*[?&](open_mode|mode)=.*)")
          ? url
          : url + (url.contains("?") ? "&" : "?") + "open_mode=2";
    }

    @Override
    Optional<DemoDatabase> demo() {
      return Optional.of(DemoDatabase.embedded(this, CommandDbms::temporaryFile));
    }
  },

  /** Its driver is not in the jar. */
  HSQLDB("", Set.of("information_schema", "system_lobs")) {
    /** In the default transaction model, LOCKS. */
    @Override
    Optional<DemoDatabase> demo() {
      return Optional.of(DemoDatabase.embedded(this, phase -> "jdbc:hsqldb:mem:" + phase));
    }
  };

  /** The message of MariaDB's driver. */
  private static final String NO_TLS_AT_SERVER = "ssl not enabled in the server";

  /**
   * The URL of a new database in memory of the same product; empty if there is none in the jar.
   *
   * @param product as histories name it
   */
  static Optional<String> inMemory(Product product) {
    return product.is("H2") ? Optional.of("jdbc:h2:mem:predicted") : Optional.empty();
  }

  /** The database that {@code fuzz} examines if no URL is given. */
  static final String FUZZED_URL = "jdbc:h2:mem:fuzz";

  private static final class Schemas {
    private static final Set<String> OF_MYSQL =
        Set.of("mysql", "sys", "performance_schema", "information_schema");
  }

  private final String driverJar;
  private final Set<String> systemSchemas;

  CommandDbms(String driverJar, Set<String> systemSchemas) {
    this.driverJar = driverJar;
    this.systemSchemas = systemSchemas;
  }

  /** The DBMS of a JDBC URL, which is that of the real driver. */
  static Optional<CommandDbms> of(String url) {
    return Arrays.stream(values())
        .filter(known -> url.startsWith("jdbc:" + known.subprotocol() + ":"))
        .findFirst();
  }

  /** The beginnings of the URLs for which {@code txwatch.jar} contains a driver. */
  static String urls() {
    return Arrays.stream(values())
        .filter(known -> known.driverJar().isPresent())
        .map(known -> "jdbc:" + known.subprotocol() + ":…")
        .collect(Collectors.joining(", "));
  }

  /** Whether a schema or database is one that a DBMS has of its own, in lower case. */
  static boolean isSystemSchema(String name) {
    return Arrays.stream(values()).anyMatch(known -> known.systemSchemas.contains(name));
  }

  /** What a JDBC URL has after {@code jdbc:}. */
  String subprotocol() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name of the jar with its driver that {@code txwatch.jar} contains; empty if none. */
  Optional<String> driverJar() {
    return Optional.of(driverJar).filter(jar -> !jar.isEmpty());
  }

  /** The database that the demo starts; empty if it needs a URL. */
  Optional<DemoDatabase> demo() {
    return Optional.empty();
  }

  /** True if a connection may use no database, or one of the server's own. */
  boolean isConnectedToServer() {
    return false;
  }

  /**
   * The URL by which a database is opened only if it exists: an embedded DBMS would create one that
   * does not.
   */
  String existing(String url) {
    return url;
  }

  /**
   * The URL with a name for its database, if each connection would have a database of its own.
   *
   * @return empty if all connections have one database
   */
  Optional<String> named(String url, String name) {
    return Optional.empty();
  }

  /**
   * The URL to try instead, if the driver requires TLS only by default, the server has none, and it
   * runs on this machine, so nothing goes over a network.
   *
   * @param failure the messages of the first attempt
   */
  Optional<String> withoutTls(String url, String failure) {
    return Optional.empty();
  }

  /** The parameter of the URL that changes how TLS is used, if that is why it failed. */
  Optional<String> tlsAdvice(String failure) {
    return Optional.empty();
  }

  /** The parameter of the URL that makes a certificate be accepted. */
  Optional<String> certificateAdvice() {
    return Optional.empty();
  }

  private static Optional<String> publicKeyAdvice(String failure, String mode) {
    return failure.contains("Public Key Retrieval is not allowed")
            || failure.contains("RSA public key is not available")
        ? Optional.of(
            "add allowPublicKeyRetrieval=true to the URL, or connect with TLS by sslMode=" + mode)
        : Optional.empty();
  }

  private static String temporaryFile(String name) {
    try {
      return "jdbc:sqlite:" + NestedJars.temporaryDirectory().resolve(name + ".db");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
