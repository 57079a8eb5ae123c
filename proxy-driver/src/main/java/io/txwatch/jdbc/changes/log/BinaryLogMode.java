package io.txwatch.jdbc.changes.log;

import io.txwatch.catalog.CatalogMode.Versions;
import io.txwatch.catalog.ConnectionSource;
import io.txwatch.catalog.Login;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.binlog.LogAddress;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.history.Database;
import io.txwatch.jdbc.changes.ChangesMode;
import io.txwatch.jdbc.changes.ChangesRequest;
import io.txwatch.settings.Setting;
import java.util.Optional;
import java.util.Set;

/** {@code txwatch.versions=log}: the binary log of MySQL and MariaDB. */
public final class BinaryLogMode implements ChangesMode {

  private static final Set<String> PRODUCTS = Set.of("MySQL", "MariaDB");

  @Override
  public Versions versions() {
    return Versions.LOG;
  }

  @Override
  public String noun() {
    return "a log";
  }

  @Override
  public boolean serves(Database database) {
    return PRODUCTS.contains(database.product().name());
  }

  @Override
  public String whyNot(Database database) {
    return database.product().displayName() + " has no log that is read";
  }

  @Override
  public String consequence(String why) {
    return "no row versions come from a log, so that what is read and written is recorded and not"
        + " resolved: "
        + why;
  }

  @Override
  public Candidate find(ChangesRequest request) {
    ConnectionSource source = request.source();
    String user = request.settings().get(Setting.LOG_USER);
    Optional<Login> login =
        user.isEmpty()
            ? source.login()
            : Optional.of(new Login(user, request.settings().get(Setting.LOG_PASSWORD)));
    if (login.isEmpty()) {
      return Candidate.missing(
          "the data source keeps its password to itself; give txwatch.log-user and"
              + " txwatch.log-password");
    }
    Optional<ServerAddress> address =
        LogAddress.of(
            request.url(), source.properties(), login.get().user(), login.get().password());
    if (address.isEmpty()) {
      return Candidate.missing("the URL does not name one host and port");
    }
    ConnectionOpener opener = user.isEmpty() ? source::open : () -> source.openAs(login.get());
    // Web applications with copies of the driver share no reader.
    ClassLoader loader = request.real().getClass().getClassLoader();
    return Candidate.of(
        address.get() + "\0" + System.identityHashCode(loader),
        new BinaryLog(address.get(), opener));
  }
}
