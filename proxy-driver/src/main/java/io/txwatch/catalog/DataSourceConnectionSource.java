package io.txwatch.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Requests connections from a data source. */
public final class DataSourceConnectionSource implements ConnectionSource {

  private final @Nullable Login login;
  private final Opener opener;

  /** Requests a connection that is not watched. */
  @FunctionalInterface
  public interface Opener {
    /**
     * Requests one.
     *
     * @param login null for the data source's own user
     */
    Connection open(@Nullable Login login) throws SQLException;
  }

  private DataSourceConnectionSource(@Nullable Login login, Opener opener) {
    this.login = login;
    this.opener = opener;
  }

  /**
   * Creates a source.
   *
   * @param user as whom the application requested its connection; null for the data source's own
   * @param password that user's
   */
  public static DataSourceConnectionSource of(
      @Nullable String user, @Nullable String password, Opener opener) {
    return new DataSourceConnectionSource(
        user == null ? null : new Login(user, password == null ? "" : password), opener);
  }

  @Override
  public Connection open() throws SQLException {
    return opener.open(login);
  }

  @Override
  public Connection openAs(Login other) throws SQLException {
    return opener.open(other);
  }

  @Override
  public Optional<Login> login() {
    return Optional.ofNullable(login);
  }
}
