package io.txwatch.statement;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.GapReason;
import io.txwatch.plan.Catalog;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.sql.syntax.Source;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The catalog's tables of one statement; each is looked up once. */
public final class Tables {

  private final Catalog catalog;
  private final Map<List<String>, Optional<Catalog.Table>> known = new HashMap<>();
  private final Map<List<String>, Optional<PlainView>> views = new HashMap<>();

  public Tables(Catalog catalog) {
    this.catalog = catalog;
  }

  /** The table; empty for a CTE and for what the catalog does not know. */
  public Optional<Catalog.Table> find(Source.Table ref) {
    return ref.isCommon() ? Optional.empty() : find(ref.name());
  }

  /** The table of a name; empty if the catalog does not know it. */
  public Optional<Catalog.Table> find(List<String> name) {
    return known.computeIfAbsent(name, catalog::find);
  }

  /** True if the catalog knew all requested tables. */
  public boolean areFound() {
    return known.values().stream()
        .allMatch(
            found -> found.filter(t -> t.status() != Catalog.Status.LOOKUP_FAILED).isPresent());
  }

  /** True if it is no CTE, and the catalog does not know it and its columns. */
  public boolean isUnknown(Source.Table ref) {
    return !ref.isCommon()
        && find(ref)
            .map(t -> t.status() == Catalog.Status.LOOKUP_FAILED || t.starColumns().isEmpty())
            .orElse(true);
  }

  /** True if the versions of its rows can be read. */
  public boolean isPrepared(Source.Table ref) {
    return find(ref)
        .map(
            t ->
                t.status() == Catalog.Status.PREPARED
                    || (t.status() == Catalog.Status.SYSTEM_COLUMNS && ref.columnAliases() == 0))
        .orElse(false);
  }

  /** What identifies its rows, if their versions are in the DBMS's own columns. */
  public Optional<SystemColumnKey> key(Source.Table ref) {
    return find(ref).flatMap(Catalog.Table::key);
  }

  /** True if versions of some table are in the DBMS's own columns. */
  public boolean haveSystemVersions() {
    return known.values().stream().flatMap(Optional::stream).anyMatch(t -> t.key().isPresent());
  }

  /** True if values are stored as they are given, or refused. */
  public boolean storeAsGiven() {
    return catalog.storesAsGiven();
  }

  /** True if it is known to be small; a view, if its table is. */
  public boolean isSmall(Source.Table ref) {
    return !ref.isCommon()
        && catalog.isSmall(views(ref).map(v -> v.table().name()).orElse(ref.name()));
  }

  /** The view, if it is one whose rows can be read from its table. */
  public Optional<PlainView> view(DialectSql sql, Source.Table ref) {
    if (ref.isCommon()
        || ref.columnAliases() > 0
        || (ref.name().size() > 1 && ref.alias().isEmpty())
        || !find(ref).map(t -> t.status() == Catalog.Status.NOT_A_BASE_TABLE).orElse(false)) {
      return Optional.empty();
    }
    Optional<PlainView> read = views.get(ref.name());
    if (read == null) {
      String query = find(ref).map(t -> t.traits().query()).orElse("");
      read = PlainView.of(query, sql, this).filter(PlainView::repeatable);
      views.put(ref.name(), read);
    }
    return read;
  }

  private Optional<PlainView> views(Source.Table ref) {
    return views.getOrDefault(ref.name(), Optional.empty());
  }

  /** The name of the table that rows of it are of: a plain view's own table. */
  public String displayOfRows(Source.Table ref) {
    return views(ref).map(view -> display(view.table())).orElseGet(() -> display(ref));
  }

  /** True if it has the auxiliary columns, regardless of who may use them. */
  public boolean hasAuxiliary(Source.Table ref) {
    return find(ref)
        .map(t -> t.status() == Catalog.Status.PREPARED || t.status() == Catalog.Status.NO_RIGHTS)
        .orElse(false);
  }

  /**
   * Why a table's rows cannot be seen; empty for a prepared one and for a CTE. Names that an alias
   * gives the columns may hide the key or {@code xmin}.
   */
  public Optional<GapReason> reason(Source.Table ref) {
    if (ref.isCommon()) {
      return Optional.empty();
    }
    return find(ref)
        .map(
            table ->
                switch (table.status()) {
                  case PREPARED -> Optional.<GapReason>empty();
                  case SYSTEM_COLUMNS ->
                      ref.columnAliases() == 0
                          ? Optional.<GapReason>empty()
                          : Optional.of(GapReason.SHAPE);
                  case NOT_PREPARED -> Optional.of(GapReason.NOT_PREPARED);
                  case NO_RIGHTS -> Optional.of(GapReason.NO_RIGHTS);
                  case NOT_A_BASE_TABLE -> Optional.of(GapReason.NOT_A_BASE_TABLE);
                  case LOOKUP_FAILED -> Optional.of(GapReason.LOOKUP_FAILED);
                })
        .orElse(Optional.of(GapReason.NOT_A_BASE_TABLE));
  }

  /** The name that histories show; as it stands if the catalog does not know it. */
  public String display(Source.Table ref) {
    return find(ref).map(Catalog.Table::name).orElseGet(() -> String.join(".", ref.name()));
  }
}
