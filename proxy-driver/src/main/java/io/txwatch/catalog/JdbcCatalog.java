package io.txwatch.catalog;

import io.txwatch.capture.WaitReader;
import io.txwatch.capture.WaitSource;
import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.PathChange;
import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import io.txwatch.plan.Catalog;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One session's view of the tables: names are looked up as this session's DBMS would, answers are
 * {@linkplain SharedTableCache shared} by all sessions of one URL.
 *
 * <p>The catalog is read on {@linkplain SeparateConnection a connection of our own}; only how a
 * session begins is read from itself, before it is handed out. So what a session alone can see is
 * not known, and statements over it are sent as they are: temporary tables, those that its open
 * transaction has made or changed, those of attached databases, and those that another user sees
 * whom it has become. Where it looks names up is {@linkplain SearchPath followed} through its
 * statements. H2's database in memory without a name has one connection only, and is read on it.
 *
 * <p>The driver reports what may have changed the answers: {@link #executed} after each statement
 * that is no SELECT, INSERT, UPDATE or DELETE, {@link #transactionEnded} after each end of a
 * transaction, {@link #close} at last. Plans are valid for one {@link #version}. A session's
 * catalog is used by one thread at a time, as a connection is.
 */
public final class JdbcCatalog implements Catalog, AutoCloseable {

  private static final Pattern CREATE_TEMPORARY =
      Pattern.compile(
          "(?is)(?:\\bcreate\\s+(?:(?:or\\s+replace|global|local|cached|memory)\\s+)*"
              + "temp(?:orary)?\\s+(?:table|view)\\s+(?:if\\s+not\\s+exists\\s+)?"
              // SELECT … INTO TEMPORARY TABLE t (PostgreSQL)
              + "|\\binto\\s+(?:(?:global|local)\\s+)?temp(?:orary)?\\s+(?:table\\s+)?)"
              + "([^\\s(;]+)");

  /** Anywhere in a text: it may begin with a comment, or with another statement. */
  private static final Pattern CHANGES_SCHEMA =
      Pattern.compile(
          "(?i)\\b(create|alter|drop|rename|grant|revoke|import|runscript|attach|detach)\\b");

  /** MySQL and MariaDB: no other session, and no other table, is concerned. */
  private static final Pattern DROPS_TEMPORARY =
      Pattern.compile("(?i)^\\s*drop\\s+temporary\\s+table\\b[^;]*;?\\s*$");

  private static final Pattern CHANGES_SETTING = Pattern.compile("(?is)(?:^|;)\\s*set\\b");

  private static final Pattern ATTACH = Pattern.compile("(?i)\\battach\\b");

  private final Database database;
  private volatile Connection connection;
  private final SessionView view;
  private final SharedTableCache shared;
  private final SchemaChangeGate.Session session;
  private final Set<String> shadowed = new HashSet<>();

  /** True if the session sees databases that no other connection does (SQLite). */
  private boolean attaches;

  private final String home;
  private final AtomicBoolean closed = new AtomicBoolean();
  private List<String> path;
  private NamePath names;
  private int unknownPaths;

  /** The path of a session that is not queried. */
  private final SearchPath followed;

  private final List<String> firstPath;

  private boolean schemaChanged;
  private long ownVersion;
  private boolean otherLexis;
  private final String serverRun;
  private boolean storesAsGiven;

  private JdbcCatalog(
      Connection connection,
      SessionView view,
      SharedTableCache shared,
      InitialSessionState opened) {
    this.connection = connection;
    this.view = view;
    this.shared = shared;
    this.session = shared.snapshots().add(view);
    this.path = opened.path();
    this.firstPath = path;
    this.followed = new SearchPath(path);
    this.names = new NamePath(path, path);
    this.otherLexis = opened.otherLexis();
    this.serverRun = opened.serverRun();
    this.storesAsGiven = opened.storesAsGiven();
    DialectSql sql = shared.probe().product().sql();
    this.home = path.stream().filter(s -> !sql.isInternalSchema(s)).findFirst().orElse("");
    this.database =
        shared
            .probe()
            .databaseAt(home)
            .with(opened.settings())
            .in(opened.serverRun())
            .of(cluster(opened.cluster(), home));
  }

  /** Names of tables depend on the default schema. */
  private static Cluster cluster(Cluster server, String home) {
    return server.isKnown() ? new Cluster(server.id() + "/" + home, server.isStandby()) : server;
  }

  /**
   * For a connection that has just been opened and that the application has not got yet.
   *
   * @param connection the real one
   * @param url the real URL
   * @param user distinguishes the catalogs of several users: what a user may do is part of the
   *     answers
   * @param source opens another connection of the same kind
   * @param mode how its tables are watched
   * @param view what is known of this session's transaction
   * @param log receives lines for the user
   * @throws SQLException if the connection does not answer
   */
  public static JdbcCatalog open(
      Connection connection,
      String url,
      String user,
      ConnectionSource source,
      CatalogMode mode,
      SessionView view,
      CatalogLog log)
      throws SQLException {
    SharedTableCache shared = SharedTableCache.enter(connection, url, user, source, mode, log);
    try {
      InitialSessionState opened = shared.opened(connection);
      return new JdbcCatalog(connection, view, shared, opened);
    } catch (SQLException | RuntimeException e) {
      shared.leave();
      throw e;
    }
  }

  /** True if versions are read from the DBMS's system columns. */
  public boolean usesSystemColumns() {
    return shared.usesSystemColumns() && !serverRun.isEmpty();
  }

  /**
   * Where versions come from; {@link CatalogMode.Versions#AUTO} if it is by value, from whichever
   * source can be had.
   */
  public CatalogMode.Versions versions() {
    return shared.versions();
  }

  /** The run of the server that this session is in; empty if unknown. */
  public String serverRun() {
    return serverRun;
  }

  /** True if the server is in a transaction that accepts statements, as far as the driver knows. */
  public boolean isInTransaction() {
    return ServerState.of(connection) == ServerState.OPEN;
  }

  /** The schema whose tables this session named without it when it was opened. */
  public String home() {
    return home;
  }

  /** The DBMS at the other end. */
  public Database database() {
    return database;
  }

  /**
   * The SQL it speaks; empty if statements cannot be rewritten for it: {@link #find} knows none.
   */
  public Optional<Dialect> dialect() {
    return shared.dialect();
  }

  /** Changes when plans made before may no longer hold. Cheap: called before each use of a plan. */
  public long version() {
    return shared.version() + (ownVersion << 32);
  }

  @Override
  public Optional<Table> find(List<String> nameParts) {
    if (followed.isOtherUsers()) {
      return Optional.of(SharedTableCache.notLookedUp(nameParts));
    }
    if (isShadowed(nameParts)) {
      String name = plain(nameParts.get(0));
      return Optional.of(new Table(name, Status.NOT_A_BASE_TABLE, List.of()));
    }
    Optional<Table> found = shared.find(home, path, nameParts, lookupContext());
    return found.isEmpty() && attaches
        ? Optional.of(SharedTableCache.notLookedUp(nameParts))
        : found;
  }

  private boolean isShadowed(List<String> nameParts) {
    return nameParts.size() == 1
        && !shadowed.isEmpty()
        && shadowed.contains(plain(nameParts.get(0)));
  }

  @Override
  public boolean storesAsGiven() {
    return storesAsGiven;
  }

  /** What is known of its size; an answer holds for a minute. */
  @Override
  public boolean isSmall(List<String> nameParts) {
    return !isShadowed(nameParts)
        && !followed.isOtherUsers()
        && shared.isSmall(path, nameParts, lookupContext());
  }

  /**
   * What the server states of itself, read on the connection of our own.
   *
   * @param query the last column of its first row is read
   * @return empty if there is no such connection, or the query failed
   */
  public Optional<String> status(String query) {
    return shared.status(query);
  }

  /** Reads who waits for whom, on the connection of our own; null if there is none. */
  public @Nullable WaitReader waitReader(WaitSource source) {
    return shared.waitReader(source);
  }

  private LookupContext lookupContext() {
    return new LookupContext(connection, view, schemaChanged);
  }

  /**
   * A statement is about to be planned and sent: waits while a table is prepared. From then on none
   * is until {@link #sent}, so that the plan holds.
   */
  public void sending() {
    if (shared.preparesTables()) {
      shared.snapshots().enter(session);
    }
  }

  /** The statement was executed, and its transaction is noted. */
  public void sent() {
    session.leave();
  }

  /** True if tables are prepared at first sight, so that plans may change while they are used. */
  public boolean preparesTables() {
    return shared.preparesTables();
  }

  /**
   * True if what the DBMS returns about a table names columns of ours: not where the application
   * has a column of that name itself.
   *
   * @param schema as stored; empty if the DBMS has none
   * @param table as stored
   */
  public boolean hasOurColumns(String schema, String table) {
    List<String> name =
        schema.isEmpty() ? List.of(quoted(table)) : List.of(quoted(schema), quoted(table));
    return sql().map(DialectSql::hasAuxiliaryColumns).orElse(true)
        && find(name).map(found -> found.status() != Status.NOT_PREPARED).orElse(true);
  }

  /**
   * A statement that is no SELECT, INSERT, UPDATE or DELETE has been executed, or one that
   * {@linkplain io.txwatch.jdbc.plan.CachedPlan#mayChangeNames may change names}: what it may have
   * changed is queried again. To be called right after it succeeded, on its thread.
   */
  public void executed(String sql, PathChange change) {
    otherLexis = SessionSqlMode.isOtherAfter(sql, otherLexis);
    storesAsGiven = storesAsGiven && !SessionSqlMode.mayStoreOtherwiseAfter(sql);
    Matcher temporary = CREATE_TEMPORARY.matcher(sql);
    boolean makesTemporary = false;
    while (temporary.find()) {
      shadowed.add(lastName(temporary.group(1)));
      ownVersion++;
      makesTemporary = true;
    }
    if ((makesTemporary && sql.indexOf(';') < 0) || DROPS_TEMPORARY.matcher(sql).matches()) {
      return;
    }
    if (sql().isPresent()) {
      follow(change);
    }
    boolean changesSchema = CHANGES_SCHEMA.matcher(sql).find();
    if (compilesStatements() && (changesSchema || CHANGES_SETTING.matcher(sql).find())) {
      shared.compiledAnew();
      calledTo(schemaNow());
    }
    if (changesSchema) {
      schemaChanged = true;
      shared.invalidate();
      if (sql().map(DialectSql::attachesDatabases).orElse(false) && ATTACH.matcher(sql).find()) {
        attaches = true;
        ownVersion++;
      }
    }
  }

  /**
   * True if the session reads texts in another way than we do by now: they are to be left alone.
   */
  public boolean hasOtherLexis() {
    return otherLexis;
  }

  private static String lastName(String qualified) {
    return plain(qualified.substring(qualified.lastIndexOf('.') + 1));
  }

  /** What can be added to its statements; empty if they are not read. */
  public Optional<DialectSql> sql() {
    return shared.sql();
  }

  private String quoted(String name) {
    return sql().map(sql -> sql.quoteInDdl(name)).orElse(name);
  }

  /** The session goes on through another handle on its physical connection. */
  public void uses(Connection handle) {
    connection = handle;
  }

  /** JDBC's number of the level with which the session began, where the session is not queried. */
  public int levelAtFirst() throws SQLException {
    return shared.levelAtFirst();
  }

  /**
   * {@code setSchema} or {@code setCatalog} has been called on the connection.
   *
   * @param name what it was set to
   * @param isCatalog true if it was {@code setCatalog}
   * @param isIgnored true if the driver takes no notice of that method
   */
  public void pathChanged(@Nullable String name, boolean isCatalog, boolean isIgnored) {
    if (!isIgnored && !(isCatalog && ignoresCatalog())) {
      List<String> schemas =
          name == null
              ? List.of()
              : namesAreDatabases() ? List.of(name) : shared.schemas(List.of(name));
      move(state -> state.in(schemas), false);
      if (namesAreDatabases() || compilesStatements()) {
        calledTo(schemaNow());
      }
    }
  }

  /** True if {@code setCatalog} has no effect. */
  private boolean ignoresCatalog() {
    return sql().map(DialectSql::driver).map(DriverTraits::ignoresCatalog).orElse(false);
  }

  /**
   * The same, for statements that stay where they were made.
   *
   * @param database where the driver is now; null if that is not known
   */
  public void calledTo(@Nullable String database) {
    List<String> called = database == null ? unknown() : List.of(database);
    names = new NamePath(called, called);
  }

  private boolean compilesStatements() {
    return sql().map(DialectSql::driver).map(DriverTraits::compilesStatements).orElse(false);
  }

  /** Where the session is; null if that is not known. */
  private @Nullable String schemaNow() {
    return path.isEmpty() ? null : path.get(0);
  }

  /**
   * How often the DBMS has had a reason to compile prepared statements again, as far as watched
   * sessions gave it one.
   */
  public long compilations() {
    return shared.compilations();
  }

  /** A setting was changed by a method of JDBC: a reason to compile statements again. */
  public void settingChanged() {
    if (compilesStatements()) {
      shared.compiledAnew();
    }
  }

  /** A path that is no other one's. */
  private List<String> unknown() {
    return List.of("", String.valueOf(++unknownPaths));
  }

  /** The database that names are looked up in now. Cheap: called before each execution. */
  public NamePath names() {
    return names;
  }

  /** True if what {@code USE} names is all that a name without a schema is looked up in. */
  public boolean namesAreDatabases() {
    return sql().map(DialectSql::hasDatabasesForSchemas).orElse(false);
  }

  /** A statement has been executed that may change where names are looked up. */
  private void follow(PathChange change) {
    if (change.effect() == PathChange.Effect.NONE) {
      return;
    }
    List<String> schemas = change.names().stream().map(shared::fold).toList();
    if (namesAreDatabases()) {
      names = new NamePath(schemas.size() == 1 ? schemas : unknown(), names.called());
    }
    switch (change.effect()) {
      case NONE -> {}
      case TO -> {
        List<String> found = shared.schemas(schemas);
        move(state -> state.in(found), change.isLocal());
      }
      case RESET -> move(state -> state.in(firstPath), change.isLocal());
      case RESET_ALL -> move(state -> new SearchPath.State(firstPath, false, false), false);
      case UNKNOWN -> move(state -> state.in(List.of()), change.isLocal());
      case UNKNOWN_ROLE -> move(state -> state.in(List.of()).role(true), change.isLocal());
      case UNKNOWN_USER -> move(state -> state.in(List.of()).ofOtherUser(), change.isLocal());
      case ROLE -> move(state -> state.role(true), change.isLocal());
      case OWN_ROLE -> move(state -> state.role(false), false);
      case USER -> move(SearchPath.State::ofOtherUser, change.isLocal());
    }
  }

  private boolean rollbackRestoresPath() {
    return sql().map(DialectSql::rollbackRestoresPath).orElse(false);
  }

  private void move(UnaryOperator<SearchPath.State> change, boolean local) {
    followed.change(change, rollbackRestoresPath() && isInSomeTransaction(), local);
    moved();
  }

  /** Also one that {@code setSchema} has begun. */
  private boolean isInSomeTransaction() {
    try {
      return !view.isIdle() || !connection.getAutoCommit();
    } catch (SQLException e) {
      return true;
    }
  }

  private void moved() {
    List<String> schemas = followed.schemas();
    if (!schemas.equals(path)) {
      path = schemas;
      ownVersion++;
    }
  }

  /** ROLLBACK TO a savepoint has been executed: it may have set the path back. */
  public void rolledBackToSavepoint() {
    followed.rolledBackToSavepoint();
    moved();
  }

  /**
   * The session's transaction has ended; in autocommit, the statement. What a rollback, or the end
   * of a {@code SET LOCAL}, takes back is taken back here; what a commit made visible to others is
   * queried again.
   */
  public void transactionEnded(boolean committed) {
    if (schemaChanged) {
      schemaChanged = false;
      shared.invalidate();
    }
    followed.ended(committed);
    moved();
  }

  /** Forgets what is known of the tables, as after a statement that failed for a column of ours. */
  public void invalidate() {
    shared.invalidate();
  }

  /** The session's connection was closed. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      shared.snapshots().remove(session);
      shared.leave();
    }
  }

  private static String plain(String identifier) {
    return NameFolding.INSENSITIVE.fold(identifier).toLowerCase(Locale.ROOT);
  }
}
